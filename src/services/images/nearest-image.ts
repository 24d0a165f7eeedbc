// The image of a source that is nearest to a time.
import { SETTLED_AFTER_MS } from '../../config/limits/images.ts';
import { findSource } from '../../domain/catalogue/sources.ts';
import { Failure } from '../../domain/errors.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import type { ImageIndex } from '../../ports/images.ts';
import type { Stopwatch } from '../../ports/timing.ts';

export interface NearestImage {
  readonly image: ArchivedImage;
  /** Image minus request: negative when the image is older. */
  readonly distanceSeconds: number;
  /** True when the image after this one is known and so old that no new image will come between. */
  readonly isSettled: boolean;
}

/** The smaller distance wins, on equal ones the earlier image. Fractions of a second count. */
export function nearer(before: ArchivedImage | null, after: ArchivedImage | null, atMs: number): ArchivedImage | null {
  if (!before || !after) return before ?? after;
  return after.takenAtMs - atMs < atMs - before.takenAtMs ? after : before;
}

function noImage(sourceId: number): Failure {
  const nickname = findSource(sourceId)?.nickname;
  if (nickname === undefined) {
    const sentence = `Expected a datasource of the catalogue for sourceId, got ${sourceId}.`;
    return new Failure('no-image', sentence, { parameter: 'sourceId' });
  }
  // The web client shows what is between the parentheses.
  return new Failure('no-image', `Expected a source that has images, got one without any (${nickname}).`, {
    parameter: 'sourceId',
  });
}

/**
 * The image of `sourceId` nearest to `atMs`.
 * @throws Failure `no-image` when the source has none at all.
 */
export async function nearestImage(
  ports: { index: ImageIndex; stopwatch: Stopwatch },
  request: { sourceId: number; atMs: number },
  nowMs: number,
): Promise<NearestImage> {
  const { sourceId, atMs } = request;
  return ports.stopwatch.measure('index', async () => {
    const { before, after } = await ports.index.neighbours(sourceId, atMs);
    const image = nearer(before, after, atMs);
    if (!image) throw noImage(sourceId);
    const isOld = (ms: number | null | undefined) => typeof ms === 'number' && ms < nowMs - SETTLED_AFTER_MS;
    const distanceSeconds = Math.round(image.takenAtMs - atMs) / 1000;
    if (image === before) return { image, distanceSeconds, isSettled: isOld(after?.takenAtMs) };
    if (!isOld(image.takenAtMs)) return { image, distanceSeconds, isSettled: false };
    const { afterMs } = await ports.index.adjacentTimes(sourceId, image.takenAtMs);
    return { image, distanceSeconds, isSettled: isOld(afterMs) };
  });
}
