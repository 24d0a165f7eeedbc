// A file out of parts of others, as a stream that never holds more than a few small parts.
import { JPX } from '../../config/limits/jpx.ts';
import { Failure } from '../../domain/errors.ts';
import type { Segment } from '../../imaging/jpx/layout.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import { fixedLengthPipe } from './fixed-length.ts';

type SegmentObjects = Pick<ObjectStore, 'read' | 'stream'>;
type ObjectSegment = Exclude<Segment, { bytes: Uint8Array }>;

function present<T>(found: T | null): T {
  if (found === null) throw new Failure('missing-file', 'The file of an image of this movie is missing from the archive.');
  return found;
}

const isSmall = ({ length }: ObjectSegment) => length <= JPX.readAheadBytes;

/** Reads small parts before it is their turn, some at once: each is a request, and there may be a thousand. */
class ReadAhead {
  readonly #objects: SegmentObjects;
  readonly #segments: readonly Segment[];
  readonly #reading = new Map<number, Promise<Uint8Array>>();
  #next = 0;

  constructor(objects: SegmentObjects, segments: readonly Segment[]) {
    this.#objects = objects;
    this.#segments = segments;
  }

  /** The bytes of part `i`, a small one; parts are taken in order. */
  async take(i: number): Promise<Uint8Array> {
    this.#readOn(i);
    const bytes = await this.#reading.get(i)!;
    this.#reading.delete(i);
    return bytes;
  }

  #readOn(from: number): void {
    const end = Math.min(from + JPX.partsAhead, this.#segments.length);
    for (this.#next = Math.max(this.#next, from); this.#next < end && this.#reading.size < JPX.parallelReads; this.#next++) {
      const segment = this.#segments[this.#next]!;
      if ('bytes' in segment || !isSmall(segment)) continue;
      const reading = this.#objects.read(segment.key, segment.offset, segment.length).then(present);
      // Whoever takes it hears of a failure; when the client has gone, nobody does.
      reading.catch(() => undefined);
      this.#reading.set(this.#next, reading);
    }
  }
}

async function writeTo(writable: WritableStream<Uint8Array>, bytes: Uint8Array): Promise<void> {
  const writer = writable.getWriter();
  await writer.write(bytes);
  writer.releaseLock();
}

async function pump(objects: SegmentObjects, segments: readonly Segment[], writable: WritableStream<Uint8Array>): Promise<void> {
  const ahead = new ReadAhead(objects, segments);
  for (const [i, segment] of segments.entries()) {
    if ('bytes' in segment) await writeTo(writable, segment.bytes);
    else if (isSmall(segment)) await writeTo(writable, await ahead.take(i));
    else {
      const { body } = present(await objects.stream(segment.key, segment));
      await body.pipeTo(writable, { preventClose: true });
    }
  }
  await writable.close();
}

export interface SegmentStream {
  /** The bytes of the segments, one after the other; fails when a part cannot be read. */
  readonly body: ReadableStream<Uint8Array>;
  /** True once the last byte has been taken, false when the stream broke off. */
  readonly sent: Promise<boolean>;
}

export function segmentStream(objects: SegmentObjects, segments: readonly Segment[]): SegmentStream {
  const { readable: body, writable } = fixedLengthPipe(segments.reduce((sum, { length }) => sum + length, 0));
  const brokenOff = async (error: unknown) => {
    await writable.abort(error).catch(() => undefined);
    return false;
  };
  return { body, sent: pump(objects, segments, writable).then(() => true, brokenOff) };
}
