// Streams a file that is composed of byte sources, holding only a few small ones in memory.
import { type ByteSource, type ObjectRange, totalLength } from '../../jp2/byte-source.ts';
import { JPX } from '../../platform/limits/jpx.ts';
import type { ObjectStore } from '../../platform/ports/objects.ts';
import { fixedLengthPipe } from '../../platform/storage/fixed-length.ts';
import { Failure } from '../../platform/util/errors.ts';
import { Service } from '../../platform/util/service.ts';

type SourceObjects = Pick<ObjectStore, 'read' | 'stream'>;

/** @throws Failure `missing-file` for null, of an object of an image */
export function present<T>(found: T | null, missingKey: string): T {
  const sentence = 'The file of an image of this movie is missing from the archive.';
  if (found === null) throw new Failure('missing-file', sentence, { missingKey });
  return found;
}

const isSmall = ({ length }: ObjectRange) => length <= JPX.readAheadBytes;

/** Reads small ranges ahead and concurrently, because each read is a request and a file may need a thousand. */
class ReadAhead extends Service<{ readonly objects: SourceObjects; readonly sources: readonly ByteSource[] }> {
  readonly #reading = new Map<number, Promise<Uint8Array>>();
  #next = 0;

  /** The bytes of source `i`, a small range. Calls must be in ascending order. */
  async take(i: number): Promise<Uint8Array> {
    this.#readOn(i);
    const bytes = await this.#reading.get(i)!;
    this.#reading.delete(i);
    return bytes;
  }

  #readOn(from: number): void {
    const end = Math.min(from + JPX.rangesAhead, this.ports.sources.length);
    for (this.#next = Math.max(this.#next, from); this.#next < end && this.#reading.size < JPX.parallelReads; this.#next++) {
      const source = this.ports.sources[this.#next]!;
      if (source instanceof Uint8Array || !isSmall(source)) continue;
      const { key, offset } = source;
      const run = this.#runFrom(source);
      const length = run.reduce((sum, one) => sum + one[1], 0);
      const reading = this.ports.objects.read(key, offset, length).then((whole) => present(whole, key));
      let at = 0;
      for (const [i, bytes] of run) {
        const start = at;
        at += bytes;
        const part = reading.then((whole) => whole.subarray(start, start + bytes));
        // `take` reports a failure. It is not called once the client has disconnected, so the rejection is handled here too.
        part.catch(() => undefined);
        this.#reading.set(i, part);
        this.#next = i;
      }
    }
  }

  /** Numbers and lengths of the next small range, `first`, and of those behind it that continue it in the same object. */
  #runFrom(first: ObjectRange): [number, number][] {
    const run: [number, number][] = [];
    let end = first.offset;
    for (let i = this.#next; i < this.ports.sources.length; i++) {
      const source = this.ports.sources[i]!;
      if (source instanceof Uint8Array) continue;
      const continues = source.key === first.key && source.offset === end && isSmall(source);
      if (!continues || end + source.length - first.offset > JPX.runBytes) break;
      run.push([i, source.length]);
      end += source.length;
    }
    return run;
  }
}

async function writeTo(writable: WritableStream<Uint8Array>, bytes: Uint8Array): Promise<void> {
  const writer = writable.getWriter();
  await writer.write(bytes);
  writer.releaseLock();
}

async function pump(objects: SourceObjects, sources: readonly ByteSource[], writable: WritableStream<Uint8Array>): Promise<void> {
  const ahead = new ReadAhead({ objects, sources });
  for (const [i, source] of sources.entries()) {
    if (source instanceof Uint8Array) await writeTo(writable, source);
    else if (isSmall(source)) await writeTo(writable, await ahead.take(i));
    else {
      const { body } = present(await objects.stream(source.key, source), source.key);
      await body.pipeTo(writable, { preventClose: true });
    }
  }
  await writable.close();
}

/** The concatenated sources as a stream, which fails when one cannot be read. */
export function sourceStream(objects: SourceObjects, sources: readonly ByteSource[]): ReadableStream<Uint8Array> {
  const { readable, writable } = fixedLengthPipe(totalLength(sources));
  void pump(objects, sources, writable).catch((error: unknown) => writable.abort(error).catch(() => undefined));
  return readable;
}
