// One layer in the list: its image, visibility, opacity, order and difference.
import type { Layer } from '../../../../picture/layers.ts';
import type { Difference, TimeUnit } from '../../../../picture/operations/difference.ts';
import { Distance } from '../../page/caption.tsx';
import { Choice, Field, IconButton } from '../../page/controls.tsx';
import { changeLayer, moveLayer, removeLayer, styleLayer } from '../../store/actions.ts';
import { shown, sourceName } from '../../store/state.ts';
import { imageTime, utc } from '../../texts/times.ts';
import { fill, texts } from '../../texts.ts';
import { ColourFields } from './colour-fields.tsx';
import { Enhance } from './enhance.tsx';

interface ItemProps {
  readonly layer: Layer;
  readonly index: number;
  readonly count: number;
}

const RUNNING: readonly (readonly [number, TimeUnit])[] = [
  [1, 'minute'],
  [5, 'minute'],
  [30, 'minute'],
  [1, 'hour'],
  [1, 'day'],
];

const keyOf = (difference: Difference | undefined) =>
  difference?.kind === 'running' ? `${difference.count} ${difference.unit}` : (difference?.kind ?? 'none');

function DifferenceChoice({ layer: { difference }, index }: ItemProps) {
  const baseMs = difference && 'atMs' in difference ? difference.atMs : shown.value!.view.atMs;
  const known = RUNNING.some(([count, unit]) => keyOf(difference) === `${count} ${unit}`);
  const offered = difference?.kind === 'running' && !known ? [...RUNNING, [difference.count, difference.unit] as const] : RUNNING;
  const pick = (key: string) => {
    const running = offered.find(([count, unit]) => key === `${count} ${unit}`);
    const next: Difference | undefined = running
      ? { kind: 'running', count: running[0], unit: running[1] }
      : key === 'base' || key === 'ratio'
        ? { kind: key, atMs: baseMs }
        : undefined;
    void changeLayer(index, { difference: next });
  };
  return (
    <Choice
      label={texts.layers.difference}
      value={keyOf(difference)}
      options={[
        ['none', texts.layers.noDifference],
        ...offered.map(([count, unit]) => [`${count} ${unit}`, fill(texts.layers.running[unit], { count })] as const),
        ['base', fill(texts.layers.base, { time: utc(baseMs) })],
        ['ratio', fill(texts.layers.ratio, { time: utc(baseMs) })],
      ]}
      pick={pick}
    />
  );
}

export function LayerItem(props: ItemProps) {
  const { layer, index, count } = props;
  const image = shown.value!.images[index];
  const name = image?.name ?? sourceName(layer.sourceId);
  const words = texts.layers;
  return (
    <li class="layer-item">
      <div class="layer-head">
        <strong>{name}</strong>
        <IconButton
          icon={layer.isVisible ? 'seen' : 'hidden'}
          label={layer.isVisible ? fill(words.hide, { name }) : fill(words.show, { name })}
          act={() => void changeLayer(index, { isVisible: !layer.isVisible })}
        />
        <IconButton icon="up" label={fill(words.up, { name })} disabled={index === count - 1} act={() => moveLayer(index, 1)} />
        <IconButton icon="down" label={fill(words.down, { name })} disabled={index === 0} act={() => moveLayer(index, -1)} />
        <IconButton
          icon="remove"
          label={fill(words.remove, { name })}
          disabled={count === 1}
          act={() => void removeLayer(index)}
        />
      </div>
      <p class="quiet">
        {image ? (
          <>
            <time dateTime={image.takenAt}>{imageTime(image)}</time> <Distance image={image} />
          </>
        ) : layer.isVisible ? (
          fill(texts.noImage, { name })
        ) : (
          words.hidden
        )}
      </p>
      <Field
        label={fill(words.opacity, { percent: layer.opacity })}
        type="range"
        min="5"
        max="100"
        step="5"
        value={layer.opacity}
        onInput={(event) => styleLayer(index, { opacity: Number(event.currentTarget.value) })}
      />
      <Enhance layer={layer} index={index} image={image ?? null} name={name} />
      <ColourFields layer={layer} index={index} />
      <DifferenceChoice {...props} />
    </li>
  );
}
