// The usual distance between the images of a source, beyond which a distance from the time asked for is worth a warning.
import { signal } from '@preact/signals';
import { DAY_MS } from '../../../util/durations.ts';
import type { ImageRecord } from '../api/image-record.ts';
import { type Neighbours, neighbours } from '../api/images.ts';
import { shown } from './state.ts';

/** Until the neighbours of an image are known: the cadence of the slowest instruments that image all day. */
const EXPECTED_SECONDS = 45 * 60;

interface Cadence {
  readonly seconds: number;
  /** Time of the image beside which it was found. */
  readonly atMs: number;
}

/** By name of the source. */
const cadences = signal<ReadonlyMap<string, Cadence>>(new Map());

/** The smaller of the distances to both neighbours, because the other one may be a gap; null without neighbours. */
function secondsBetween(atMs: number, { previousMs, nextMs }: Neighbours): number | null {
  const distances = [previousMs, nextMs].flatMap((ms) => (ms === null ? [] : Math.abs(ms - atMs) / 1000));
  return distances.length === 0 ? null : Math.min(...distances);
}

export function noteCadence({ name, takenAt }: ImageRecord, around: Neighbours): void {
  const atMs = Date.parse(takenAt);
  const seconds = secondsBetween(atMs, around);
  if (seconds !== null) cadences.value = new Map(cadences.value).set(name, { seconds, atMs });
}

/** Looks up the cadence of the shown layers of which it is not known within a day of their image. Failures leave it unknown. */
export async function findCadences(signal: AbortSignal): Promise<void> {
  const { view, images } = shown.value!;
  const wanted = images.flatMap((image, i) => {
    const known = image && cadences.value.get(image.name);
    const isKnown = known && Math.abs(known.atMs - Date.parse(image.takenAt)) <= DAY_MS;
    return image && !isKnown ? [{ image, sourceId: view.layers[i]!.sourceId }] : [];
  });
  await Promise.all(
    wanted.map(({ image, sourceId }) =>
      neighbours(sourceId, image.takenAt, signal).then(
        (around) => noteCadence(image, around),
        () => undefined,
      ),
    ),
  );
}

/** `near`, `off` (amber) above the cadence of the source, `far` (red) above a day. */
export function distanceClass({ name, distanceSeconds }: ImageRecord): 'near' | 'off' | 'far' {
  const seconds = Math.abs(distanceSeconds);
  const cadence = cadences.value.get(name)?.seconds ?? EXPECTED_SECONDS;
  return seconds > DAY_MS / 1000 ? 'far' : seconds > cadence ? 'off' : 'near';
}
