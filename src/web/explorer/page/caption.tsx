// Caption of the picture: a line for each layer with its time and its distance from the time asked for.
import type { ImageRecord } from '../api/image-record.ts';
import { distanceClass } from '../store/cadence.ts';
import { shown } from '../store/state.ts';
import { imageTime } from '../texts/times.ts';
import { distanceText } from './numbers.ts';

export function Distance({ image }: { readonly image: ImageRecord }) {
  return <span class={`distance ${distanceClass(image)}`}>{distanceText(image.distanceSeconds)}</span>;
}

function differenceMark(kind: 'none' | 'running' | 'base'): string {
  return kind === 'none' ? '' : kind === 'running' ? ' Δ' : ' Δ₀';
}

export function Caption() {
  const { view, images } = shown.value ?? {};
  if (!view || !images) return <div id="caption" class="caption" />;
  const lines = view.layers.flatMap(({ difference, isVisible }, i) => {
    const image = images[i];
    return image && isVisible ? [{ image, mark: differenceMark(difference.kind) }] : [];
  });
  return (
    <div id="caption" class="caption">
      {lines.reverse().map(({ image, mark }) => (
        <p key={image.id}>
          <strong>{image.name + mark}</strong> <time dateTime={image.takenAt}>{imageTime(image)}</time> <Distance image={image} />
        </p>
      ))}
    </div>
  );
}
