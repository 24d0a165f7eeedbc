// The grey levels between which a layer has its colours, and their contrast. They change on the screen without a request.

import type { Layer } from '../../../../picture/layers.ts';
import { type ColourRange, FULL_RANGE, GAMMA, withinRange, withoutFull } from '../../../../picture/operations/range.ts';
import { Button, Field } from '../../page/controls.tsx';
import { styleLayer } from '../../store/actions.ts';
import { decimal, fill, texts } from '../../texts.ts';

interface LevelProps {
  readonly label: string;
  readonly value: number;
  readonly least: number;
  readonly most: number;
  readonly step: number;
  readonly set: (value: number) => void;
}

function Slider({ label, value, least, most, step, set }: LevelProps) {
  return (
    <Field
      label={label}
      type="range"
      min={least}
      max={most}
      step={step}
      value={value}
      onInput={(event) => set(Number(event.currentTarget.value))}
    />
  );
}

export function ColourFields({ layer, index }: { readonly layer: Layer; readonly index: number }) {
  const words = texts.layers.colours;
  const { range = FULL_RANGE } = layer;
  const set = (part: Partial<ColourRange>) => styleLayer(index, { range: withoutFull(withinRange(range, part)) });
  return (
    <details class="colours">
      <summary>{layer.range ? fill(words.range, { ...layer.range, gamma: decimal(layer.range.gamma) }) : words.full}</summary>
      <Slider
        label={fill(words.low, { level: range.low })}
        value={range.low}
        least={0}
        most={254}
        step={1}
        set={(low) => set({ low })}
      />
      <Slider
        label={fill(words.high, { level: range.high })}
        value={range.high}
        least={1}
        most={255}
        step={1}
        set={(high) => set({ high })}
      />
      <Slider
        label={fill(words.gamma, { gamma: decimal(range.gamma) })}
        value={range.gamma}
        least={GAMMA.least}
        most={3}
        step={0.05}
        set={(gamma) => set({ gamma: Number(gamma.toFixed(2)) })}
      />
      <Button label={words.reset} act={() => styleLayer(index, { range: undefined })} disabled={!layer.range} />
    </details>
  );
}
