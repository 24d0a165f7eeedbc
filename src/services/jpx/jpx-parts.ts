// What a JPX file needs of each of its images, from the sidecars alone.
import { JPX } from '../../config/limits/jpx.ts';
import { Failure } from '../../domain/errors.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import { Jp2Error } from '../../imaging/jp2/errors.ts';
import { indexJp2 } from '../../imaging/jp2/index-jp2.ts';
import { decodeSidecarParts, encodeSidecar, SIDECAR_VERSION } from '../../imaging/jp2/sidecar.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import { sidecarKey } from '../../storage/keys.ts';
import { asDamaged } from '../images/file-errors.ts';

export type PartsObjects = Pick<ObjectStore, 'readAll' | 'put'>;

type SidecarParts = ReturnType<typeof decodeSidecarParts>;

/** An image with its parts. */
export interface ImageParts {
  readonly image: ArchivedImage;
  readonly parts: SidecarParts & { readonly header: Uint8Array };
}

function parsed(sidecar: Uint8Array): SidecarParts | null {
  try {
    return decodeSidecarParts(sidecar);
  } catch (error) {
    if (error instanceof Jp2Error) return null;
    throw error;
  }
}

/** The sidecar of an image that has none of this version. */
async function rebuilt(objects: PartsObjects, { key }: ArchivedImage): Promise<SidecarParts> {
  const jp2 = await objects.readAll(key);
  if (!jp2) throw new Failure('missing-file', 'The file of an image of this movie is missing from the archive.');
  const sidecar = encodeSidecar(indexJp2(jp2));
  await objects.put(sidecarKey(key, SIDECAR_VERSION), sidecar, 'application/octet-stream');
  return decodeSidecarParts(sidecar);
}

async function partsOf(objects: PartsObjects, image: ArchivedImage): Promise<ImageParts> {
  const sidecar = await objects.readAll(sidecarKey(image.key, SIDECAR_VERSION));
  const { header, ...parts } = (sidecar && parsed(sidecar)) ?? (await rebuilt(objects, image).catch(asDamaged));
  if (!header) throw new Failure('damaged-image', 'Expected JP2 files with a header box for a movie, got one without.');
  return { image, parts: { ...parts, header } };
}

/**
 * The parts of every image, in order; some at once.
 * @throws Failure `missing-file` or `damaged-image` when one of them cannot be had
 */
export async function partsOfImages(objects: PartsObjects, images: readonly ArchivedImage[]): Promise<ImageParts[]> {
  const found = new Array<ImageParts>(images.length);
  let next = 0;
  const readOn = async () => {
    while (next < images.length) {
      const i = next++;
      found[i] = await partsOf(objects, images[i]!);
    }
  };
  await Promise.all(Array.from({ length: JPX.parallelReads }, readOn));
  return found;
}
