// Bytes of a composed file or data-bin, in memory or in stored objects.
import { firstPassing } from '../platform/util/search.ts';

export type ByteRange = { readonly offset: number; readonly length: number };

export interface ObjectRange extends ByteRange {
  readonly key: string;
}

/** Bytes in memory, or a byte range of a stored object. */
export type ByteSource = Uint8Array | ObjectRange;

export const totalLength = (sources: readonly { readonly length: number }[]): number =>
  sources.reduce((sum, { length }) => sum + length, 0);

const subSource = (source: ByteSource, from: number, to: number): ByteSource =>
  source instanceof Uint8Array ? source.subarray(from, to) : { key: source.key, offset: source.offset + from, length: to - from };

/** Consecutive sources. Slices are found by the offsets of the sources, so that all slices of a long file take one pass over it. */
export class SourceSequence {
  readonly length: number;
  readonly #sources: readonly ByteSource[];
  readonly #offsets: Float64Array;

  constructor(sources: readonly ByteSource[]) {
    this.#sources = sources;
    this.#offsets = new Float64Array(sources.length);
    let offset = 0;
    for (const [i, { length }] of sources.entries()) {
      this.#offsets[i] = offset;
      offset += length;
    }
    this.length = offset;
  }

  /** Bytes [from, to). */
  slice(from: number, to: number): ByteSource[] {
    const found: ByteSource[] = [];
    // From the last source that begins at `from` or before.
    const first = Math.max(0, firstPassing(this.#sources.length, (i) => this.#offsets[i]! > from) - 1);
    for (let i = first; i < this.#sources.length && this.#offsets[i]! < to; i++) {
      const [source, offset] = [this.#sources[i]!, this.#offsets[i]!];
      const [start, end] = [Math.max(0, from - offset), Math.min(source.length, to - offset)];
      if (start < end) found.push(subSource(source, start, end));
    }
    return found;
  }
}
