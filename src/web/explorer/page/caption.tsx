// Caption of the picture: a line for each layer with its time and its distance from the time asked for.
import { markOf } from '../../../picture/operations/operations.ts';
import type { ImageRecord } from '../api/image-record.ts';
import { distanceClass } from '../store/cadence.ts';
import type { Shown } from '../store/shown.ts';
import { baseImage, clockMs, drawnOperations, lateHours, screen } from '../store/state.ts';
import { imageTime } from '../texts/times.ts';
import { texts } from '../texts.ts';
import { distanceText, durationText } from './numbers.ts';

export function Distance({ image }: { readonly image: ImageRecord }) {
  return <span class={`distance ${distanceClass(image)}`}>{distanceText(image.distanceSeconds)}</span>;
}

/** How old the newest image is, while it is shown. */
function Age({ image }: { readonly image: ImageRecord }) {
  if (!screen.value?.isNewest || image.id !== baseImage.value?.id) return null;
  const seconds = Math.max(clockMs.value - Date.parse(image.takenAt), 0) / 1000;
  return (
    <span class={`distance age ${seconds > lateHours.value * 3600 ? 'off' : ''}`}>
      {texts.durations.ago(durationText(seconds))}
    </span>
  );
}

interface CaptionLine {
  /** The same for a layer in successive frames. */
  readonly key: number;
  readonly image: ImageRecord;
  readonly name: string;
}

/** The visible layers from the top to the bottom, with the names that the caption gives them. */
export function captioned({ view, images, keys }: Shown): CaptionLine[] {
  const lines = view.layers.flatMap((layer, i) => {
    const image = images[i];
    return image && layer.isVisible ? [{ key: keys[i]!, image, name: image.name + markOf(drawnOperations(layer)) }] : [];
  });
  return lines.reverse();
}

export function Caption() {
  return (
    <div id="caption" class="caption">
      {screen.value &&
        captioned(screen.value).map(({ key, image, name }) => (
          <p key={key}>
            <strong>{name}</strong> <time dateTime={image.takenAt}>{imageTime(image)}</time> <Distance image={image} />{' '}
            <Age image={image} />
          </p>
        ))}
    </div>
  );
}
