// The server's model of a client's cache (ISO/IEC 15444-9): how many of the first bytes of each data-bin the client holds,
// and the statements of a request about it (C.8.1). Supported are explicit bin descriptors. Of the others, which name precincts by tile,
// component, resolution and position, or count layers, an additive statement is ignored, and a subtractive one covers all bins that it may
// mean: the client receives some bytes again, and lacks none.
import { badParameter } from '../../platform/util/errors.ts';

/** Requested data-bins of one codestream, or of the metadata, in the order of delivery. */
export interface RequestedBins {
  /** 0 is the metadata, 1 + n is codestream n. */
  readonly group: number;
  /** Number of bins in the group, requested or not. */
  readonly binsInGroup: number;
  /** Per requested bin: its number in the group, its length in bytes, and how many of its first bytes are requested. */
  readonly bins: Uint32Array;
  readonly lengths: Uint32Array;
  readonly requestedBytes: Uint32Array;
}

/** A message to send: bytes [from, to) of bin `bins[binIndex]` of the requested group at `groupIndex`. */
export interface PlannedMessage {
  readonly groupIndex: number;
  readonly binIndex: number;
  readonly from: number;
  readonly to: number;
}

export interface MessagePlan {
  readonly messages: PlannedMessage[];
  /** False when the budget ended the plan. */
  readonly isComplete: boolean;
}

export type MessageBudget = { readonly bytes: number; readonly messages: number };

export function budgetAfter(budget: MessageBudget, messages: readonly PlannedMessage[]): MessageBudget {
  const bytes = messages.reduce((sum, { from, to }) => sum + to - from + MESSAGE_OVERHEAD_BYTES, 0);
  return { bytes: budget.bytes - bytes, messages: budget.messages - messages.length };
}

/** Upper bound of a message header: VBAS numbers of 1 + 5 + 5 + 5 bytes, and two for class and last flag. */
export const MESSAGE_OVERHEAD_BYTES = 20;

/** Data bytes of one message. Longer stretches of a bin are split, because each message is held in memory as a whole. */
export const MAX_MESSAGE_BYTES = 256 << 10;

/** Cache model of one group: a bit for each complete bin, a length for each partial one. Its methods alone change them. */
export class CacheModel {
  complete: Uint8Array;
  readonly partial: Map<number, number>;
  completeCount: number;

  constructor(complete: Uint8Array = new Uint8Array(0), partial: Iterable<readonly [bin: number, bytes: number]> = []) {
    this.complete = complete;
    this.partial = new Map(partial);
    this.completeCount = 0;
    for (const byte of complete) for (let rest = byte; rest; rest &= rest - 1) this.completeCount++;
  }

  copy(): CacheModel {
    return new CacheModel(this.complete.slice(), this.partial);
  }

  isComplete(bin: number): boolean {
    return (((this.complete[bin >> 3] ?? 0) >> (bin & 7)) & 1) === 1;
  }

  partialBytes(bin: number): number {
    return this.partial.get(bin) ?? 0;
  }

  #mark(bin: number, isComplete: boolean): void {
    if (this.isComplete(bin) === isComplete) return;
    if (bin >> 3 >= this.complete.length) {
      const larger = new Uint8Array(Math.max((bin >> 3) + 1, 2 * this.complete.length));
      larger.set(this.complete);
      this.complete = larger;
    }
    this.complete[bin >> 3] = this.complete[bin >> 3]! ^ (1 << (bin & 7));
    this.completeCount += isComplete ? 1 : -1;
  }

  #setPartial(bin: number, bytes: number): void {
    if (bytes > 0) this.partial.set(bin, bytes);
    else this.partial.delete(bin);
  }

  /** Records that the client holds the first `bytes` of the bin's `length`. */
  add(bin: number, bytes: number, length: number): void {
    this.#mark(bin, bytes >= length);
    this.#setPartial(bin, bytes < length ? bytes : 0);
  }

  /** Records that the client received bytes [from, to) of the bin, unless it lacks bytes before them. Never subtracts. */
  extend(bin: number, from: number, to: number, length: number): void {
    if (this.isComplete(bin) || from > this.partialBytes(bin)) return;
    this.add(bin, Math.max(to, this.partialBytes(bin)), length);
  }

  /** Records that the client lacks every byte from `from` on. */
  subtract(bin: number, from: number): void {
    const held = this.isComplete(bin) ? from : Math.min(from, this.partialBytes(bin));
    this.#mark(bin, false);
    this.#setPartial(bin, held);
  }
}

/** Plans the messages that deliver what the client lacks of the requested bins within `budget`, and adds them to the cache models. */
export function planMessages(requested: readonly RequestedBins[], modelOf: (group: number) => CacheModel, budget: MessageBudget) {
  const messages: PlannedMessage[] = [];
  let left = budget.bytes;
  for (const [groupIndex, { group, bins, lengths, requestedBytes }] of requested.entries()) {
    const model = modelOf(group);
    for (const [binIndex, bin] of bins.entries()) {
      if (model.isComplete(bin)) continue;
      const length = lengths[binIndex]!;
      const end = requestedBytes[binIndex]!;
      let from = model.partialBytes(bin);
      if (from >= end && (length > 0 || from > 0)) {
        // A client may state more bytes than the bin has.
        if (from >= length) model.add(bin, length, length);
        continue;
      }
      do {
        const to = Math.min(end, from + MAX_MESSAGE_BYTES, from + left - MESSAGE_OVERHEAD_BYTES);
        if (to < from || (to === from && length > 0) || messages.length >= budget.messages)
          return { messages, isComplete: false };
        messages.push({ groupIndex, binIndex, from, to });
        model.add(bin, to, length);
        left -= to - from + MESSAGE_OVERHEAD_BYTES;
        from = to;
      } while (from < end);
    }
  }
  return { messages, isComplete: true };
}

// Ranges of codestreams (C.4.6).

/** Codestreams from..to with a step; `to` null: to the last one. */
export type StreamRange = { readonly from: number; readonly to: number | null; readonly step: number };

/** Parses `a`, `a-b` or `a-`, each with an optional `:step`. @throws Failure (bad-parameter) that names `name` */
export function parseStreamRange(name: string, text: string): StreamRange {
  const match = /^(\d{1,9})(-(\d{1,9})?)?(?::([1-9]\d{0,8}))?$/.exec(text);
  const [, first = '', dash, last, step = '1'] = match ?? [];
  const from = Number(first);
  const to = last !== undefined ? Number(last) : dash ? null : from;
  if (!match || (to !== null && to < from)) throw badParameter(name, 'codestreams as <number> or <first>-<last>', text);
  return { from, to, step: Number(step) };
}

/** The codestreams of `ranges` that a target of `total` has, each once, in the order of the request. Others are ignored. */
export function existingCodestreams(ranges: readonly StreamRange[], total: number): number[] {
  const found: number[] = [];
  const isFound = new Uint8Array(total);
  for (const { from, to, step } of ranges) {
    const end = Math.min(to ?? total, total - 1);
    for (let n = from; n <= end && found.length < total; n += step) {
      if (isFound[n]) continue;
      isFound[n] = 1;
      found.push(n);
    }
  }
  return found;
}

/** Classes of data-bins by the letters of their descriptors. */
type BinKind = 'main-header' | 'tile-header' | 'precinct' | 'metadata';

export interface ModelElement {
  /** Null: the codestreams of the request. */
  readonly codestreams: readonly StreamRange[] | null;
  readonly isAdditive: boolean;
  readonly kind: BinKind;
  /** Identifier of the bin in its class; null for all of them (`*`). */
  readonly bin: number | null;
  /** Bytes that the client holds at least (additive) or at most (subtractive); null for whole bins, and none of them. */
  readonly bytes: number | null;
}

export interface ModelStatement {
  readonly group: number;
  readonly binsInGroup: number;
  readonly from: number;
  readonly to: number;
  readonly isAdditive: boolean;
  readonly bytes: number | null;
}

/** Numbers of bins in their group. `tiles`: number of tiles; metadata has one bin. */
export type GroupLayout = { readonly group: number; readonly binsInGroup: number; readonly tiles: number };

const MAX_ELEMENTS = 4096;
/** Data-bins that the statements of a request may name: all of several large images. */
export const MAX_NAMED_BINS = 1 << 20;

const KINDS: Readonly<Record<string, BinKind>> = { Hm: 'main-header', H: 'tile-header', P: 'precinct', M: 'metadata' };
const QUALIFIER = /^\[([^\][]*)\](.*)$/;
const EXPLICIT = /^(-?)(Hm|(?:H|P|M|T)(?:\d{1,9}|\*))(?::(L?)(\d{1,10}))?$/;
const IMPLICIT = /^(-?)(?:[tcrp](?:\*|\d{1,9}(?:-(?:\d{1,9})?)?))+(?::L\d{1,9})?$/;

const invalid = (text: string) => badParameter('model', 'cache descriptors such as Hm, H*, P7, P7:100 or -M0', text);

/** The element; null for one without effect: tile data-bins, which a JPP-stream does not have, and additive ones that are ignored. */
function elementOf(text: string, codestreams: ModelElement['codestreams']): ModelElement | null {
  const [, minus, descriptor = '', layers, count] = EXPLICIT.exec(text) ?? [];
  if (minus === undefined) {
    const implicit = IMPLICIT.exec(text);
    if (!implicit) throw invalid(text);
    return implicit[1] ? { codestreams, isAdditive: false, kind: 'precinct', bin: null, bytes: null } : null;
  }
  const isAdditive = minus === '';
  const kind = KINDS[descriptor === 'Hm' ? descriptor : descriptor.charAt(0)];
  const name = descriptor === 'Hm' ? '0' : descriptor.slice(1);
  if (!kind || (isAdditive && layers)) return null;
  const bytes = count === undefined || layers ? null : Number(count);
  return { codestreams, isAdditive, kind, bin: name === '*' ? null : Number(name), bytes };
}

/** A qualifier such as `[0;2-3]` names the codestreams of the elements behind it. @throws Failure (bad-parameter) */
export function parseModel(text: string): ModelElement[] {
  const parts = text.split(',');
  if (parts.length > MAX_ELEMENTS) throw badParameter('model', `at most ${MAX_ELEMENTS} entries`, parts.length);
  const elements: ModelElement[] = [];
  let codestreams: ModelElement['codestreams'] = null;
  for (const part of parts) {
    const [, ranges, rest] = QUALIFIER.exec(part) ?? [];
    if (ranges !== undefined) codestreams = ranges.split(';').map((range) => parseStreamRange('model', range));
    // The qualifier is a separate item, or stands directly before an element.
    if (rest === '') continue;
    const element = elementOf(rest ?? part, codestreams);
    if (element) elements.push(element);
  }
  return elements;
}

/** Numbers [from, to) of an element's bins in a group; empty where the group does not have them. */
function binsOf({ kind, bin }: ModelElement, { binsInGroup, tiles }: GroupLayout): [from: number, to: number] {
  const spans: Readonly<Record<BinKind, readonly [number, number]>> = {
    metadata: [0, 1],
    'main-header': [0, 1],
    'tile-header': [1, 1 + tiles],
    precinct: [1 + tiles, binsInGroup],
  };
  const [first, end] = spans[kind];
  if (bin === null) return [first, end];
  return first + bin < end ? [first + bin, first + bin + 1] : [0, 0];
}

/** The statement of an element about a group; null where the group has no such bin. */
export function statementOf(element: ModelElement, layout: GroupLayout): ModelStatement | null {
  const [from, to] = binsOf(element, layout);
  const { group, binsInGroup } = layout;
  return from < to ? { group, binsInGroup, from, to, isAdditive: element.isAdditive, bytes: element.bytes } : null;
}

export function applyStatement(model: CacheModel, { from, to, isAdditive, bytes }: ModelStatement): void {
  for (let bin = from; bin < to; bin++) {
    if (!isAdditive) model.subtract(bin, bytes ?? 0);
    else if (bytes === null) model.add(bin, 0, 0);
    else model.extend(bin, 0, bytes, Number.POSITIVE_INFINITY);
  }
}
