// Bytes of a composed file or data-bin, in memory or in stored objects.

/** Bytes [offset, offset + length). */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** A byte range of the object with this key. */
export interface ObjectRange extends ByteRange {
  readonly key: string;
}

/** Bytes in memory, or a byte range of a stored object. */
export type ByteSource = Uint8Array | ObjectRange;

export const totalLength = (sources: readonly { readonly length: number }[]): number =>
  sources.reduce((sum, { length }) => sum + length, 0);

/** Bytes [from, to) of one source. */
export const subSource = (source: ByteSource, from: number, to: number): ByteSource =>
  source instanceof Uint8Array ? source.subarray(from, to) : { key: source.key, offset: source.offset + from, length: to - from };

/** Bytes [from, to) of consecutive sources. */
export function sliceSources(sources: readonly ByteSource[], from: number, to: number): ByteSource[] {
  const found: ByteSource[] = [];
  let at = 0;
  for (const source of sources) {
    const [start, end] = [Math.max(0, from - at), Math.min(source.length, to - at)];
    at += source.length;
    if (start < end) found.push(subSource(source, start, end));
  }
  return found;
}
