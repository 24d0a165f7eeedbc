// The usual distance between a time and the images of a source, beyond which a distance from the time asked for is worth a warning.
import { signal } from '@preact/signals';
import { DAY_MS } from '../../platform/util/durations.ts';
import { type ImageRecord, imageCoverage, type Neighbours, neighbours } from '../api/images.ts';
import { usualDistance } from '../model/usual-distance.ts';
import { adjacent, shown } from './state.ts';

/** Half of the range whose coverage is requested; the answer has its length more on each side, nine days in all, by the hour. */
const AROUND_MS = 1.5 * DAY_MS;

interface Learned {
  readonly seconds: number;
  /** Time of the image beside which it was found. */
  readonly atMs: number;
}

type BySource = ReadonlyMap<string, Learned>;

/** Smaller distance of an image to its neighbours, by name of the source. */
const cadences = signal<BySource>(new Map());
/** The usual distances, of sources with an image farther away than their cadence. */
const usual = signal<BySource>(new Map());

const timeOf = ({ takenAt }: ImageRecord) => Date.parse(takenAt);

function learned(from: BySource, image: ImageRecord): number | null {
  const known = from.get(image.name);
  return known && Math.abs(known.atMs - timeOf(image)) <= DAY_MS ? known.seconds : null;
}

/** The smaller of the distances to both neighbours, because the other one may be a gap; null without neighbours. */
export function secondsBetween(atMs: number, { previousMs, nextMs }: Neighbours): number | null {
  const distances = [previousMs, nextMs].flatMap((ms) => (ms === null ? [] : Math.abs(ms - atMs) / 1000));
  return distances.length === 0 ? null : Math.min(...distances);
}

/** Learns the usual distance of a source from the coverage of the days around an image; the cadence where that cannot be had. */
async function learnUsual(image: ImageRecord, sourceId: number, signal: AbortSignal): Promise<void> {
  const cadence = learned(cadences.value, image);
  if (cadence === null || Math.abs(image.distanceSeconds) <= cadence || learned(usual.value, image) !== null) return;
  const atMs = timeOf(image);
  const range = { startMs: atMs - AROUND_MS, endMs: atMs + AROUND_MS };
  const layers = await imageCoverage([sourceId], range, signal).catch(() => []);
  if (signal.aborted) return;
  const counts = layers.flatMap(({ bins }) => bins.map(({ count }) => count));
  usual.value = new Map(usual.value).set(image.name, { seconds: usualDistance(counts, cadence), atMs });
}

/** Looks up what is not known of the sources of the shown layers within a day of their images. Failures leave it unknown. */
export async function findCadences(signal: AbortSignal): Promise<void> {
  const { view, images } = shown.value!;
  const layers = images.flatMap((image, i) => (image ? [{ image, sourceId: view.layers[i]!.sourceId }] : []));
  await Promise.all(
    layers.map(async ({ image, sourceId }) => {
      if (learned(cadences.value, image) === null) {
        const known = adjacent.value.imageId === image.id ? adjacent.value : null;
        const around = known ?? (await neighbours(sourceId, image.takenAt, signal).catch(() => null));
        const [atMs, seconds] = [timeOf(image), around && secondsBetween(timeOf(image), around)];
        if (seconds !== null) cadences.value = new Map(cadences.value).set(image.name, { seconds, atMs });
      }
      await learnUsual(image, sourceId, signal);
    }),
  );
}

/** `off` (amber) above the usual distance of the source once that is known, `far` (red) above a day. */
export function distanceClass(image: ImageRecord): 'near' | 'off' | 'far' {
  if (Math.abs(image.distanceSeconds) > DAY_MS / 1000) return 'far';
  return Math.abs(image.distanceSeconds) > (learned(usual.value, image) ?? Number.POSITIVE_INFINITY) ? 'off' : 'near';
}
