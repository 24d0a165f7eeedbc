// What a JPIP channel has sent, and what it sends next. Bins are counted, not kept: of each one only how many of its first
// bytes the client has.

/** Bins of one codestream, or the metadata, that a request wants, in the order of sending. */
export interface WantedBins {
  /** 0 is the metadata, 1 + n is codestream n. */
  readonly group: number;
  /** Bins of the group in all, those not wanted included. */
  readonly binsInAll: number;
  /** Number of each wanted bin in its group, its length, and how many of its first bytes are wanted. */
  readonly bins: Uint32Array;
  readonly lengths: Uint32Array;
  readonly wanted: Uint32Array;
}

/** Bytes [from, to) of bin `bins[at]` of the group at `groupAt` in the wish. */
export interface Portion {
  readonly groupAt: number;
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** What one message takes at most beside its data: numbers of 1 + 5 + 5 + 5 bytes and two for class and last flag. */
export const MESSAGE_OVERHEAD_BYTES = 20;

/** Longer portions are cut, so that no message has to be in memory as a whole. */
export const LONGEST_PORTION_BYTES = 256 << 10;

/** What has been sent of one group: a bit for each complete bin, a length for those that are not. */
export class SentBins {
  #complete: Uint8Array;
  readonly #partial: Map<number, number>;
  #completeCount: number;

  constructor(complete: Uint8Array = new Uint8Array(0), partial: Iterable<readonly [bin: number, bytes: number]> = []) {
    this.#complete = complete;
    this.#partial = new Map(partial);
    this.#completeCount = 0;
    for (const byte of complete) for (let rest = byte; rest; rest &= rest - 1) this.#completeCount++;
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

  has(bin: number): boolean {
    return (((this.#complete[bin >> 3] ?? 0) >> (bin & 7)) & 1) === 1;
  }

  /** First bytes of an incomplete bin that were sent. */
  sentBytes(bin: number): number {
    return this.#partial.get(bin) ?? 0;
  }

  #mark(bin: number, isComplete: boolean): void {
    if (this.has(bin) === isComplete) return;
    if (bin >> 3 >= this.#complete.length) {
      const larger = new Uint8Array(Math.max((bin >> 3) + 1, 2 * this.#complete.length));
      larger.set(this.#complete);
      this.#complete = larger;
    }
    this.#complete[bin >> 3] = (this.#complete[bin >> 3] as number) ^ (1 << (bin & 7));
    this.#completeCount += isComplete ? 1 : -1;
  }

  /** Notes that the first `bytes` of `length` are with the client. */
  note(bin: number, bytes: number, length: number): void {
    this.#mark(bin, bytes >= length);
    if (bytes > 0 && bytes < length) this.#partial.set(bin, bytes);
    else this.#partial.delete(bin);
  }

  /** Notes that everything from byte `from` on did not arrive. */
  forget(bin: number, from: number): void {
    const known = this.has(bin) ? from : Math.min(from, this.sentBytes(bin));
    this.#mark(bin, false);
    if (known > 0) this.#partial.set(bin, known);
    else this.#partial.delete(bin);
  }
}

/**
 * What to send of a wish within `budget` bytes, message headers included; it is noted in `sentOf(group)` as sent.
 * `isWhole` is false when the budget ended it.
 */
export function planPortions(
  wish: readonly WantedBins[],
  sentOf: (group: number) => SentBins,
  budget: number,
): { portions: Portion[]; isWhole: boolean } {
  const portions: Portion[] = [];
  let left = budget;
  for (const [groupAt, { group, bins, lengths, wanted }] of wish.entries()) {
    const sent = sentOf(group);
    for (const [at, bin] of bins.entries()) {
      if (sent.has(bin)) continue;
      const length = lengths[at] as number;
      const end = wanted[at] as number;
      let from = sent.sentBytes(bin);
      if (from >= end && length > 0) continue;
      do {
        const to = Math.min(end, from + LONGEST_PORTION_BYTES, from + left - MESSAGE_OVERHEAD_BYTES);
        if (to < from || (to === from && length > 0)) return { portions, isWhole: false };
        portions.push({ groupAt, at, from, to });
        sent.note(bin, to, length);
        left -= to - from + MESSAGE_OVERHEAD_BYTES;
        from = to;
      } while (from < end);
    }
  }
  return { portions, isWhole: true };
}

/** Bytes of a bin from `from` on that did not reach the client. */
export interface ForgottenBin {
  readonly group: number;
  readonly bin: number;
  readonly from: number;
}
