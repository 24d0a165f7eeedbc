// The server's model of a client's cache (ISO/IEC 15444-9): how many of the first bytes of each data-bin the client holds.

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

/** Cache model of one group: a bit for each complete bin, a length for each partial one. */
export class CacheModel {
  #complete: Uint8Array;
  readonly #partial: Map<number, number>;
  #completeCount: number;

  constructor(complete: Uint8Array = new Uint8Array(0), partial: Iterable<readonly [bin: number, bytes: number]> = []) {
    this.#complete = complete;
    this.#partial = new Map(partial);
    this.#completeCount = 0;
    for (const byte of complete) for (let rest = byte; rest; rest &= rest - 1) this.#completeCount++;
  }

  copy(): CacheModel {
    return new CacheModel(this.#complete.slice(), this.#partial);
  }

  get completeCount(): number {
    return this.#completeCount;
  }

  get complete(): Uint8Array {
    return this.#complete;
  }

  get partial(): ReadonlyMap<number, number> {
    return this.#partial;
  }

  isComplete(bin: number): boolean {
    return (((this.#complete[bin >> 3] ?? 0) >> (bin & 7)) & 1) === 1;
  }

  partialBytes(bin: number): number {
    return this.#partial.get(bin) ?? 0;
  }

  #mark(bin: number, isComplete: boolean): void {
    if (this.isComplete(bin) === isComplete) return;
    if (bin >> 3 >= this.#complete.length) {
      const larger = new Uint8Array(Math.max((bin >> 3) + 1, 2 * this.#complete.length));
      larger.set(this.#complete);
      this.#complete = larger;
    }
    this.#complete[bin >> 3] = this.#complete[bin >> 3]! ^ (1 << (bin & 7));
    this.#completeCount += isComplete ? 1 : -1;
  }

  #setPartial(bin: number, bytes: number): void {
    if (bytes > 0) this.#partial.set(bin, bytes);
    else this.#partial.delete(bin);
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
