// Reference images: the older images that differences subtract.
import { findSource } from '../../domain/catalogue/sources.ts';
import { Failure } from '../../domain/errors.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import { type Difference, referenceTime } from '../../domain/recipe/difference.ts';
import { formatDateTime } from '../../domain/time.ts';
import type { ImageIndex } from '../../ports/images.ts';

interface Neighbours {
  readonly before: ArchivedImage | null;
  readonly after: ArchivedImage | null;
}

/** The latest image at or before a time, given the neighbours of that time. */
function latest({ before, after }: Neighbours, atMs: number): ArchivedImage | null {
  return after?.takenAtMs === atMs ? after : before;
}

/** The failure of an image without a reference image. */
export function noReference({ sourceId, takenAtMs }: ArchivedImage, difference: Difference): Failure {
  const atMs = referenceTime(difference, takenAtMs) ?? takenAtMs;
  const nickname = findSource(sourceId)?.nickname ?? '';
  return new Failure('no-earlier-image', `No image on or before ${formatDateTime(atMs)} exists to compare with (${nickname}).`);
}

/**
 * The latest image of the same source at or before the reference time; null without a difference.
 * @throws Failure `no-earlier-image` when the source has none
 */
export async function referenceImage(
  index: Pick<ImageIndex, 'neighbours'>,
  image: ArchivedImage,
  difference: Difference,
): Promise<ArchivedImage | null> {
  const atMs = referenceTime(difference, image.takenAtMs);
  if (atMs === null) return null;
  const found = latest(await index.neighbours(image.sourceId, atMs), atMs);
  if (!found) throw noReference(image, difference);
  return found;
}

/** `referenceImage` of each image with one query per source; null for an image without one. Null without a difference. */
export async function referenceImages(
  index: Pick<ImageIndex, 'neighboursOfTimes'>,
  images: readonly ArchivedImage[],
  difference: Difference,
): Promise<(ArchivedImage | null)[] | null> {
  if (difference.kind === 'none') return null;
  const found: (ArchivedImage | null)[] = [];
  for (const sourceId of new Set(images.map((image) => image.sourceId))) {
    const positions = images.flatMap((image, i) => (image.sourceId === sourceId ? i : []));
    const times = positions.map((i) => referenceTime(difference, images[i]!.takenAtMs)!);
    const neighbours = await index.neighboursOfTimes(sourceId, times);
    for (const [n, i] of positions.entries()) found[i] = latest(neighbours[n]!, times[n]!);
  }
  return found;
}
