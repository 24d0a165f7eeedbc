// The legend of the timeline, which a button shows and hides.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { IconButton, toggle } from '../page/controls.tsx';
import { sourceName } from '../store/state.ts';
import { fill, texts, typeName } from '../texts.ts';
import { loop } from './range.ts';

interface LegendProps {
  readonly sourceIds: readonly number[];
  readonly pins: readonly string[];
  readonly hasFlux: boolean;
}

const sign = (name: string, text: string, attributes = {}, pin?: string) => (
  <li {...attributes}>
    <span class={`sign sign-${name}`} data-pin={pin} />
    {text}
  </li>
);

function Content({ sourceIds, pins, hasFlux }: LegendProps) {
  const words = texts.timeline.signs;
  return (
    <ul>
      {hasFlux && sign('flux', words.flux, { class: 'with-flux' })}
      {pins.map((pin) => sign('marker', typeName(pin), { key: pin }, pin))}
      {sourceIds.map((id, row) =>
        sign('images', fill(words.imagesOf, { name: sourceName(id) }), { key: id, class: `row-${row}` }),
      )}
      {sign('gap', words.gap)}
      {sign('needle', words.needle)}
      {loop.value && sign('loop', words.loaded)}
    </ul>
  );
}

export function Legend(props: LegendProps) {
  const isOpen = useSignal(false);
  useEffect(() => {
    if (!isOpen.value) return;
    const close = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      isOpen.value = false;
    };
    addEventListener('keydown', close, true);
    return () => removeEventListener('keydown', close, true);
  }, [isOpen.value]);
  return (
    <>
      <IconButton
        id="timeline-legend"
        icon="legend"
        label={texts.timeline.legend}
        aria-expanded={isOpen.value}
        act={toggle(isOpen)}
      />
      {isOpen.value && (
        <section class="timeline-legend" aria-label={texts.timeline.legend}>
          <Content {...props} />
        </section>
      )}
    </>
  );
}
