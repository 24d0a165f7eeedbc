// The older image of a difference.
import { findSource } from '../domain/catalogue/sources.ts';
import { Failure } from '../domain/errors.ts';
import type { ArchivedImage } from '../domain/image.ts';
import { type Difference, referenceTime } from '../domain/recipe/difference.ts';
import { formatDateTime } from '../domain/time.ts';
import type { ImageIndex } from '../ports.ts';

/**
 * The latest image of the same source at or before the reference time; null without a difference.
 * @throws Failure `no-earlier-image` when the source has none so old
 */
export async function referenceImage(
  index: Pick<ImageIndex, 'neighbours'>,
  image: ArchivedImage,
  difference: Difference,
): Promise<ArchivedImage | null> {
  const atMs = referenceTime(difference, image.takenAtMs);
  if (atMs === null) return null;
  const { before, after } = await index.neighbours(image.sourceId, atMs);
  const found = after?.takenAtMs === atMs ? after : before;
  if (found) return found;
  const nickname = findSource(image.sourceId)?.nickname ?? '';
  throw new Failure(
    'no-earlier-image',
    `Expected an image on or before ${formatDateTime(atMs)} to compare with, got none (${nickname}).`,
  );
}
