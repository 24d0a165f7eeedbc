// The grey levels between which a layer has its colours, and their contrast. They change on the screen without a request.

import type { Layer } from '../../../../picture/layers.ts';
import { type ColourRange, FULL_RANGE, GAMMA, withinRange, withoutFull } from '../../../../picture/operations/range.ts';
import { Button, Field } from '../../page/controls.tsx';
import { styleLayer } from '../../store/actions.ts';
import { decimal, fill, texts } from '../../texts.ts';

const SLIDERS = [
  ['low', 0, 254, 1],
  ['high', 1, 255, 1],
  ['gamma', GAMMA.least, 3, 0.05],
] as const;

export function ColourFields({ layer, index }: { readonly layer: Layer; readonly index: number }) {
  const words = texts.layers.colours;
  const { range = FULL_RANGE } = layer;
  const set = (part: Partial<ColourRange>) => styleLayer(index, { range: withoutFull(withinRange(range, part)) });
  return (
    <details class="colours">
      <summary>{layer.range ? fill(words.range, { ...layer.range, gamma: decimal(layer.range.gamma) }) : words.full}</summary>
      {SLIDERS.map(([name, min, max, step]) => (
        <Field
          key={name}
          label={fill(words[name], { level: range[name], gamma: decimal(range.gamma) })}
          type="range"
          {...{ min, max, step }}
          value={range[name]}
          onInput={(event) => set({ [name]: Number(event.currentTarget.valueAsNumber.toFixed(2)) })}
        />
      ))}
      <Button label={words.reset} act={() => styleLayer(index, { range: undefined })} disabled={!layer.range} />
    </details>
  );
}
