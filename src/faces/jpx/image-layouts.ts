// File layouts of the images of a JPX file, read from the sidecars alone.
import { sidecarKey } from '../../archive/keys.ts';
import { orNull } from '../../jp2/bytes.ts';
import { hasEnd, NO_END } from '../../jp2/codestream.ts';
import { asDamaged } from '../../jp2/errors.ts';
import { decodeFileLayout, encodeSidecar, indexJp2, SIDECAR_VERSION } from '../../jp2/sidecar.ts';
import { JPX } from '../../platform/limits/jpx.ts';
import type { ObjectStore } from '../../platform/ports/objects.ts';
import { mapConcurrently } from '../../platform/util/concurrency.ts';
import { Failure } from '../../platform/util/errors.ts';
import type { ArchivedImage } from '../../sun/image.ts';
import { present } from './source-stream.ts';

type Keyed = Pick<ArchivedImage, 'key'>;
type LayoutObjects = Pick<ObjectStore, 'readAll' | 'put'>;

type FileLayout = ReturnType<typeof decodeFileLayout>;

export type ImageLayout = FileLayout & { readonly header: Uint8Array };

async function rebuilt(objects: LayoutObjects, { key }: Keyed): Promise<FileLayout> {
  const jp2 = present(await objects.readAll(key), key);
  const sidecar = encodeSidecar(indexJp2(jp2));
  await objects.put(sidecarKey(key, SIDECAR_VERSION), sidecar, 'application/octet-stream');
  return decodeFileLayout(sidecar);
}

async function layoutOf(objects: LayoutObjects, image: Keyed): Promise<ImageLayout> {
  const sidecar = await objects.readAll(sidecarKey(image.key, SIDECAR_VERSION));
  const { header, ...layout } =
    (sidecar && orNull(() => decodeFileLayout(sidecar))) ?? (await rebuilt(objects, image).catch(asDamaged));
  if (!header) throw new Failure('damaged-image', 'An image of this movie has no JP2 header box.');
  return { ...layout, header };
}

/** Sentence on the parts that the file of an image lacks; null for a whole or a damaged file. */
export async function fileWarning(objects: LayoutObjects & Pick<ObjectStore, 'read'>, image: ArchivedImage) {
  try {
    const { codestreamOffset, codestreamLength } = await layoutOf(objects, image);
    const end = await objects.read(image.key, codestreamOffset + codestreamLength - 2, 2);
    return end && hasEnd(end, 0) ? null : NO_END;
  } catch (error) {
    // A damaged file may be replaced by a copy, while the header is cached for a year.
    if (error instanceof Failure) return null;
    throw error;
  }
}

/** The layouts of all images, in order, read concurrently, each after `step`. @throws Failure (missing-file, damaged-image) */
export async function imageLayouts(objects: LayoutObjects, images: readonly Keyed[], step?: () => Promise<void>) {
  const found = new Array<ImageLayout>(images.length);
  await mapConcurrently(images.entries(), JPX.parallelReads, async ([i, image]) => {
    await step?.();
    found[i] = await layoutOf(objects, image);
  });
  return found;
}
