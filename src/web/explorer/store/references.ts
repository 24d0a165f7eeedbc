// The older images that differences subtract. What the archive has answered about one time holds for all times back to its image.
import { signal } from '@preact/signals';
import type { Layer } from '../../../picture/layers.ts';
import { referenceTime } from '../../../picture/operations/operations.ts';
import type { ImageRecord } from '../api/image-record.ts';
import { imagesAtTimes } from '../api/images.ts';

/** The latest image of a source at or before all times from its own to `toMs`. */
interface Answer {
  readonly image: ImageRecord;
  toMs: number;
}

/** Images of a source that are kept: those of some ranges of play. */
const MOST_ANSWERS = 1000;

const answers = new Map<number, Map<number, Answer>>();

export const foundReferences = signal(0);

const takenAtMs = ({ takenAt }: ImageRecord) => Date.parse(takenAt);

function note(sourceId: number, image: ImageRecord, toMs: number): void {
  const known = answers.get(sourceId) ?? new Map<number, Answer>();
  answers.set(sourceId, known);
  const answer = known.get(image.id);
  if (answer) answer.toMs = Math.max(answer.toMs, toMs);
  else known.set(image.id, { image, toMs });
  if (known.size > MOST_ANSWERS) known.delete(known.keys().next().value!);
}

/** The image with which one of a layer is compared; null for a layer without one, and where none is known. */
export function referenceOf(layer: Layer, image: ImageRecord): ImageRecord | null {
  const atMs = referenceTime(layer, takenAtMs(image));
  if (atMs === null) return null;
  for (const { image: older, toMs } of answers.get(layer.sourceId)?.values() ?? [])
    if (takenAtMs(older) <= atMs && atMs <= toMs) return older;
  return null;
}

/**
 * Finds the references of images of a layer that are not known yet, in one request.
 * @throws as `imagesAtTimes`
 */
export async function findReferences(layer: Layer, images: readonly (ImageRecord | null)[], signal: AbortSignal): Promise<void> {
  const unknown = images.flatMap((image) => {
    const atMs = image && referenceTime(layer, takenAtMs(image));
    return atMs === null || referenceOf(layer, image!) ? [] : [atMs];
  });
  const times = [...new Set(unknown)];
  if (times.length === 0) return;
  const found = await imagesAtTimes(layer.sourceId, times, { isEarlier: true, signal });
  found.forEach((image, i) => {
    if (image) note(layer.sourceId, image, times[i]!);
  });
  foundReferences.value += 1;
}
