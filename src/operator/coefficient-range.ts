// Makes the coefficient sidecars of a period of one source and surveys it, a few images in each call.
import type { ImageIndex } from '../archive/image-index/d1-image-index.ts';
import { GRID_KINDS } from '../archive/keys.ts';
import type { Coefficients } from '../archive/reading/coefficients.ts';
import type { ImageReader } from '../archive/reading/image-reader.ts';
import type { Part } from '../jp2/coefficients/format.ts';
import { Jp2Error } from '../jp2/errors.ts';
import type { GridsByKind } from '../measure/grids/image-grids.ts';
import type { ImageSurveys } from '../measure/image-laws.ts';
import { DAY_MS } from '../platform/util/durations.ts';
import type { Failure } from '../platform/util/errors.ts';
import type { ArchivedImage } from '../sun/image.ts';
import { dayStart } from '../sun/time.ts';

/** Images of one call: all parts of a 4096 x 4096 image take up to 1 s, and counting its bytes another. */
const IMAGES_PER_CALL = 4;

/** Most images of a millisecond, far more than the members of a group of sources. */
const IMAGES_OF_AN_INSTANT = 100;
/** The end of a millisecond: times of images have microseconds, those of periods have not. */
const WITHIN_MS = 0.9995;

interface Ports {
  readonly index: Pick<ImageIndex, 'inRange'>;
  readonly reader: Pick<ImageReader, 'openIndex' | 'open' | 'strips'>;
  readonly coefficients: Pick<Coefficients, 'make'>;
  readonly surveys: Pick<ImageSurveys, 'make'>;
  readonly grids: GridsByKind<'days' | 'fold'>;
}

export interface CoefficientRange {
  readonly sourceId: number;
  /** Both included. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly parts: ReadonlySet<Part>;
  readonly renew: boolean;
}

export type RangeProgress = Awaited<ReturnType<typeof makeCoefficientsOfRange>>;

/** The first images of a range, all of the last millisecond included, because the next call begins after it. */
async function firstImages(index: Ports['index'], { sourceId, fromMs, toMs }: CoefficientRange) {
  const images = await index.inRange(sourceId, fromMs, toMs + WITHIN_MS, IMAGES_PER_CALL);
  const last = images.at(IMAGES_PER_CALL - 1);
  if (!last) return { images, nextMs: null };
  const lastMs = Math.floor(last.takenAtMs);
  const ofLastInstant = await index.inRange(sourceId, lastMs, lastMs + WITHIN_MS, IMAGES_OF_AN_INSTANT);
  return { images: [...images.filter(({ takenAtMs }) => takenAtMs < lastMs), ...ofLastInstant], nextMs: lastMs + 1 };
}

/** Makes the objects of the days of images that end before the next call, where they have none. */
async function foldedDays(grids: Ports['grids'], images: readonly ArchivedImage[], nextMs: number | null): Promise<number> {
  const days = new Map(images.map(({ sourceId, takenAtMs }) => [`${sourceId} ${dayStart(takenAtMs)}`, { sourceId, takenAtMs }]));
  let made = 0;
  for (const { sourceId, takenAtMs } of days.values()) {
    const dayMs = dayStart(takenAtMs);
    if (nextMs !== null && dayMs + DAY_MS > nextMs) continue;
    for (const kind of GRID_KINDS) {
      const isMade = (await grids[kind].days(sourceId, dayMs, dayMs)).length > 0;
      if (!isMade && (await grids[kind].fold(sourceId, dayMs))) made += 1;
    }
  }
  return made;
}

/**
 * Images whose parts were made, were there (`kept`), and cannot be made (`none`), and those whose bytes were counted for their laws and grids
 * (`surveyed`); days whose grids were put together; start of the rest of the period, null at its end.
 */
export async function makeCoefficientsOfRange({ index, reader, coefficients, surveys, grids }: Ports, range: CoefficientRange) {
  const { parts, renew } = range;
  const { images, nextMs } = await firstImages(index, range);
  const counts = { made: 0, kept: 0, none: 0, surveyed: 0, days: 0 };
  for (const image of images) {
    const parsed = await reader.openIndex(image.key).catch((error: unknown) => {
      // A damaged or missing file has no sidecar and does not stop the others.
      if (error instanceof Jp2Error || (error as Partial<Failure>).kind === 'missing-file') return null;
      throw error;
    });
    counts[parsed ? await coefficients.make(image, parsed, parts, renew) : 'none'] += 1;
    if (parsed && (await surveys.make(image, reader, renew)) === 'made') counts.surveyed += 1;
  }
  counts.days = await foldedDays(grids, images, nextMs);
  return { ...counts, nextMs };
}
