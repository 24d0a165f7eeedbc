// Finds an image by its id, path or time.
import { SETTLED_AFTER_MS } from '../../config/limits/images.ts';
import { findSource } from '../../domain/catalogue/sources.ts';
import { Failure } from '../../domain/errors.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import type { ImageIndex } from '../../ports/images.ts';
import type { Stopwatch } from '../../ports/timing.ts';
import { archivePath } from '../../storage/keys.ts';

interface Ports {
  readonly index: ImageIndex;
  readonly stopwatch: Stopwatch;
}

/** @throws Failure `unknown-image` */
export async function imageById({ index, stopwatch }: Ports, id: number): Promise<ArchivedImage> {
  const image = await stopwatch.measure('index', () => index.byId(id));
  if (image) return image;
  throw new Failure('unknown-image', `No image has the id ${id}.`, { parameter: 'id' });
}

/** Path of an image in the archive layout, as it appears in addresses. */
export function imagePath({ key }: ArchivedImage): string {
  return archivePath(key);
}

/** The image at a path of the archive. The path is compared with a key but never used as one, because it comes from a request. */
export async function imageByPath(index: Pick<ImageIndex, 'byFileName'>, path: string): Promise<ArchivedImage | null> {
  const image = await index.byFileName(path.slice(path.lastIndexOf('/') + 1));
  return image && imagePath(image) === path ? image : null;
}

export interface NearestImage {
  readonly image: ArchivedImage;
  /** Image time minus requested time: negative when the image is older. */
  readonly distanceSeconds: number;
  /** True when the image after this one is known and so old that no image is expected to be added between them. */
  readonly isSettled: boolean;
}

/** The image at the smaller distance, the earlier one of two at the same distance. Fractions of a second count. */
export function nearer(before: ArchivedImage | null, after: ArchivedImage | null, atMs: number): ArchivedImage | null {
  if (!before || !after) return before ?? after;
  return after.takenAtMs - atMs < atMs - before.takenAtMs ? after : before;
}

/**
 * Failure of a source without images. The web client shows the sentence, and takes the name of the layer from its parentheses:
 * the nickname of the source, or the id of an unknown one.
 * @param parameter the parameter that names the source
 */
export function noImages(sourceId: number, parameter: 'sourceId' | 'layers' = 'sourceId'): Failure {
  const source = findSource(sourceId)?.nickname ?? `sourceId ${sourceId}`;
  const sentence = `No data of the requested type (${source}) are currently available.`;
  return new Failure('no-image', sentence, { parameter });
}

/**
 * The image of `sourceId` nearest to `atMs`.
 * @throws Failure `no-image` when the source has no images
 */
export async function nearestImage(
  { index, stopwatch }: Ports,
  { sourceId, atMs }: { sourceId: number; atMs: number },
  nowMs: number,
): Promise<NearestImage> {
  return stopwatch.measure('index', async () => {
    const { before, after } = await index.neighbours(sourceId, atMs);
    const image = nearer(before, after, atMs);
    if (!image) throw noImages(sourceId);
    const isOld = (ms: number | null | undefined) => typeof ms === 'number' && ms < nowMs - SETTLED_AFTER_MS;
    const distanceSeconds = Math.round(image.takenAtMs - atMs) / 1000;
    if (image === before) return { image, distanceSeconds, isSettled: isOld(after?.takenAtMs) };
    if (!isOld(image.takenAtMs)) return { image, distanceSeconds, isSettled: false };
    const { afterMs } = await index.adjacentTimes(sourceId, image.takenAtMs);
    return { image, distanceSeconds, isSettled: isOld(afterMs) };
  });
}
