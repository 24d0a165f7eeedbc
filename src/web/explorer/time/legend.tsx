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

function Content({ sourceIds, pins, hasFlux }: LegendProps) {
  const words = texts.timeline.signs;
  return (
    <ul>
      {hasFlux && (
        <li class="with-flux">
          <span class="sign sign-flux" />
          {words.flux}
        </li>
      )}
      {pins.map((pin) => (
        <li key={pin}>
          <span class="sign sign-marker" data-pin={pin} />
          {typeName(pin)}
        </li>
      ))}
      {sourceIds.map((id, row) => (
        <li key={id} class={`row-${row}`}>
          <span class="sign sign-images" />
          {fill(words.imagesOf, { name: sourceName(id) })}
        </li>
      ))}
      <li>
        <span class="sign sign-gap" />
        {words.gap}
      </li>
      <li>
        <span class="sign sign-needle" />
        {words.needle}
      </li>
      {loop.value && (
        <li>
          <span class="sign sign-loop" />
          {words.loaded}
        </li>
      )}
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
