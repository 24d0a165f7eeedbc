// Metadata-bin 0 of a JPX file: the file with a placeholder in the place of each codestream or link to one.
import type { Segment } from '../jpx/layout.ts';
import { placeholder } from './placeholder.ts';

const SHORT_HEADER = 8;
const LONG_HEADER = 16;
const CODESTREAM_BOXES: readonly string[] = ['jp2c', 'ftbl'];

function cutSegment(segment: Segment, from: number, to: number): Segment {
  const length = to - from;
  if ('bytes' in segment) return { length, bytes: segment.bytes.subarray(from, to) };
  return { length, key: segment.key, offset: segment.offset + from };
}

/** A position in a file that is a list of segments. */
class SegmentCursor {
  readonly #segments: readonly Segment[];
  #at = 0;
  #from = 0;

  constructor(segments: readonly Segment[]) {
    this.#segments = segments;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#segments.length;
  }

  /** The written bytes at the position. Headers of boxes on the outside are always written in one piece. */
  header(): Uint8Array {
    const segment = this.#segments[this.#at];
    const bytes = segment && 'bytes' in segment ? segment.bytes.subarray(this.#from) : new Uint8Array(0);
    if (bytes.length < SHORT_HEADER) throw new RangeError('Expected the header of a box among the written bytes of a JPX file.');
    return bytes.subarray(0, new DataView(bytes.buffer, bytes.byteOffset).getUint32(0) === 1 ? LONG_HEADER : SHORT_HEADER);
  }

  /** The next `length` bytes, and steps over them. */
  take(length: number): Segment[] {
    const taken: Segment[] = [];
    for (let left = length; left > 0; ) {
      const segment = this.#segments[this.#at];
      if (!segment) throw new RangeError('Expected boxes that end with the JPX file.');
      const to = Math.min(segment.length, this.#from + left);
      taken.push(cutSegment(segment, this.#from, to));
      left -= to - this.#from;
      this.#from = to;
      if (to < segment.length) continue;
      this.#at++;
      this.#from = 0;
    }
    return taken;
  }
}

/** `segments`: of the whole file. Throws RangeError when they are no boxes. */
export function metadataSegments(segments: readonly Segment[]): Segment[] {
  const cursor = new SegmentCursor(segments);
  const found: Segment[] = [];
  let codestreams = 0;
  while (!cursor.isAtEnd) {
    const header = cursor.header();
    const view = new DataView(header.buffer, header.byteOffset, header.length);
    const length = header.length === LONG_HEADER ? Number(view.getBigUint64(8)) : view.getUint32(0);
    const content = cursor.take(length);
    if (!CODESTREAM_BOXES.includes(String.fromCharCode(...header.subarray(4, 8)))) found.push(...content);
    else {
      const bytes = placeholder(header, codestreams++);
      found.push({ length: bytes.length, bytes });
    }
  }
  return found;
}
