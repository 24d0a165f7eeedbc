// Caption of the picture: a line for each layer with its time, its distance from the time asked for, the image that is subtracted from it,
// the angle between its observer and that of the lowest layer, and whether its roll is verified. For screen readers, what the page shows or does.
import type { Layer } from '../../picture/layers.ts';
import { comparedWith } from '../../picture/operations/difference.ts';
import { markOf, referenceTime } from '../../picture/operations/operations.ts';
import { MINUTE_MS } from '../../platform/util/durations.ts';
import { separationDegrees } from '../../sun/coordinates/observer.ts';
import type { ImageRecord } from '../api/images.ts';
import { distanceClass } from '../store/cadence.ts';
import { foundReferences, referenceOf } from '../store/images-of-view.ts';
import { baseImage, busy, clockMs, drawnOperations, isMoving, lateHours, observers, type Shown, screen } from '../store/state.ts';
import { distanceText, durationText, fill, imageTime, texts } from '../texts.ts';

export function Distance({ image }: { readonly image: ImageRecord }) {
  return <span class={`distance ${distanceClass(image)}`}>{distanceText(image.distanceSeconds)}</span>;
}

function Age({ image }: { readonly image: ImageRecord }) {
  if (!screen.value?.isNewest || image.id !== baseImage.value?.id) return null;
  const seconds = Math.max(clockMs.value - Date.parse(image.takenAt), 0) / 1000;
  return (
    <span class={`distance age ${seconds > lateHours.value * 3600 ? 'off' : ''}`}>
      {fill(texts.durations.ago, { duration: durationText(seconds) })}
    </span>
  );
}

/** Distance of the compared image from the time asked for that is worth a warning, and in parts of the interval asked for. */
const FAR = { leastMs: MINUTE_MS, share: 0.1 };

/** Time of the reference image of a comparison, and whether it is far from the requested one; null while unknown. */
function comparedOf(layer: Layer, image: ImageRecord) {
  const [reference, takenAtMs] = [referenceOf(layer, image), Date.parse(image.takenAt)];
  const askedMs = referenceTime(layer, takenAtMs);
  if (!reference || !layer.difference || askedMs === null) return null;
  const referenceMs = Date.parse(reference.takenAt);
  const offMs = Math.abs(askedMs - referenceMs);
  const isFar = offMs > Math.max(FAR.leastMs, FAR.share * Math.abs(takenAtMs - askedMs));
  return { text: comparedWith(layer.difference, takenAtMs, referenceMs), isFar };
}

/** Least angle that is named, degrees: SOHO and the Earth are within it. */
const NAMED_SEPARATION = 1;

/** The angle from the observer of the lowest layer, where it is not small, and whether the roll of the image is not verified. */
function apartOf(lowest: ImageRecord, { id }: ImageRecord): string {
  const [from, to] = [observers.value.get(lowest.id), observers.value.get(id)];
  const degrees = from && to ? separationDegrees(from, to) : 0;
  const angle = degrees < NAMED_SEPARATION ? '' : fill(texts.apart, { angle: Math.round(degrees), name: lowest.name });
  return [angle, to?.isRollUnverified && texts.unverified].filter(Boolean).join(' · ');
}

/** Lines of the visible layers from the top. `key`: the same for a layer in successive frames. */
export function captioned({ view, images, keys }: Shown) {
  const lowest = images.find((image, i) => image && view.layers[i]!.isVisible);
  const lines = view.layers.flatMap((layer, i) => {
    const image = images[i];
    if (!image || !layer.isVisible) return [];
    const name = image.name + markOf(drawnOperations(layer));
    return [{ key: keys[i]!, image, name, compared: comparedOf(layer, image), apart: apartOf(lowest!, image) }];
  });
  return lines.reverse();
}

export function Caption() {
  // Found after the picture.
  foundReferences.value;
  return (
    <div id="caption" class="caption">
      {screen.value &&
        captioned(screen.value).map(({ key, image, name, compared, apart }) => (
          <p key={key}>
            <strong>{name}</strong> <time dateTime={image.takenAt}>{imageTime(image)}</time> <Distance image={image} />{' '}
            <Age image={image} />
            {compared && <span class={compared.isFar ? 'compared off' : 'compared'}> {compared.text}</span>}
            {apart && <span class="apart"> {apart}</span>}
          </p>
        ))}
    </div>
  );
}

export function LiveRegion() {
  const image = baseImage.value;
  const text = busy.value ?? (image && !isMoving.value ? fill(texts.shows, { ...image, time: imageTime(image) }) : '');
  return (
    <p class="unseen" role="status">
      {text}
    </p>
  );
}
