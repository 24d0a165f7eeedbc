// Streams a file that is composed of byte sources, holding only a few small ones in memory.

import { sidecarKey } from '../../archive/keys.ts';
import { rebuiltSidecar } from '../../archive/reading/image-reader.ts';
import { type ByteSource, type ObjectRange, totalLength } from '../../jp2/byte-source.ts';
import { orNull } from '../../jp2/bytes.ts';
import { hasEnd, NO_END } from '../../jp2/codestream.ts';
import { asDamaged } from '../../jp2/errors.ts';
import { decodeFileLayout, SIDECAR_VERSION } from '../../jp2/sidecar.ts';
import { JPX } from '../../platform/limits/jpx.ts';
import { fixedLengthPipe } from '../../platform/storage/fixed-length.ts';
import type { ObjectStore } from '../../platform/storage/r2-object-store.ts';
import { mapConcurrently } from '../../platform/util/concurrency.ts';
import { Failure, present, when } from '../../platform/util/errors.ts';
import { Service } from '../../platform/util/service.ts';
import type { ArchivedImage } from '../../sun/image.ts';

type SourceObjects = Pick<ObjectStore, 'read' | 'stream'>;

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

type Keyed = Pick<ArchivedImage, 'key'>;
type LayoutObjects = Pick<ObjectStore, 'readAll' | 'put'>;

export type ImageLayout = ReturnType<typeof decodeFileLayout> & { readonly header: Uint8Array };

async function layoutOf(objects: LayoutObjects, { key }: Keyed): Promise<ImageLayout> {
  const sidecar = await objects.readAll(sidecarKey(key, SIDECAR_VERSION));
  const rebuilt = async () => decodeFileLayout((await rebuiltSidecar(key, objects).catch(asDamaged)).bytes);
  const { header, ...layout } = (sidecar && orNull(() => decodeFileLayout(sidecar))) ?? (await rebuilt());
  if (!header) throw new Failure('damaged-image', 'An image of this movie has no JP2 header box.');
  return { ...layout, header };
}

/** Sentence on the parts that the file of an image lacks; null for a whole or a damaged file. */
export async function fileWarning(objects: LayoutObjects & Pick<ObjectStore, 'read'>, image: ArchivedImage) {
  // A damaged file may be replaced by a copy, while the header is cached for a year.
  const layout = await layoutOf(objects, image).catch(when(Failure, () => null));
  const end = layout && (await objects.read(image.key, layout.codestreamOffset + layout.codestreamLength - 2, 2));
  return !layout || (end && hasEnd(end, 0)) ? null : NO_END;
}

/** The layouts of all images, in order, read concurrently, each after `step`. @throws Failure (missing-file, damaged-image) */
export const imageLayouts = (objects: LayoutObjects, images: readonly Keyed[], step?: () => Promise<void>) =>
  mapConcurrently(images, JPX.parallelReads, async (image) => {
    await step?.();
    return layoutOf(objects, image);
  });
