// Cache model statements of a request (ISO/IEC 15444-9, C.8.1): what a client says it holds or lacks. Supported are explicit bin
// descriptors. Of the others, which name precincts by tile, component, resolution and position, or count layers, an additive statement
// is ignored, and a subtractive one covers all bins that it may mean: the client receives some bytes again, and lacks none.
import { badParameter } from '../../platform/util/errors.ts';
import type { CacheModel } from './cache-model.ts';
import { parseStreamRange, type StreamRange } from './codestreams.ts';

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
