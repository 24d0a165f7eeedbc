// The tools: a rail of buttons, and the panel of the chosen one, whose code loads when it is first opened.
import type { FunctionComponent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { PANELS, type PanelName, panel } from '../store/state.ts';
import { texts } from '../texts.ts';
import { Button, IconButton, setTo } from './controls.tsx';
import { Lazy } from './loading.tsx';

const LOADERS: Readonly<Record<PanelName, () => Promise<FunctionComponent>>> = {
  presets: async () => (await import('../panels/presets.tsx')).Presets,
  layers: async () => (await import('../panels/layers.tsx')).Layers,
  events: async () => (await import('../panels/events.tsx')).Events,
  measure: async () => (await import('../panels/measure.tsx')).Measure,
  make: async () => (await import('../panels/make.tsx')).Make,
  data: async () => (await import('../panels/data.tsx')).Data,
};

function Panel({ name }: { readonly name: PanelName }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), [name]);
  return (
    <aside
      class="panel"
      aria-labelledby="panel-name"
      onKeyDown={(event) => {
        if (event.key === 'Escape') closePanel();
      }}
    >
      <div class="panel-head">
        <h2 id="panel-name" ref={heading} tabIndex={-1}>
          {texts.panels[name]}
        </h2>
        <IconButton icon="close" label={texts.close} act={closePanel} />
      </div>
      <div class="panel-body">
        <Lazy key={name} name={`panel ${name}`} load={LOADERS[name]} />
      </div>
    </aside>
  );
}

function closePanel(): void {
  const name = panel.value;
  panel.value = null;
  document.getElementById(`tool-${name}`)?.focus();
}

export function PanelArea() {
  return (
    <>
      <nav class="rail" aria-label={texts.panelsLabel}>
        {PANELS.map((name) => (
          <Button
            key={name}
            id={`tool-${name}`}
            class="plain"
            aria-expanded={panel.value === name}
            icon={name}
            label={texts.panels[name]}
            act={setTo(panel, panel.value === name ? null : name)}
          />
        ))}
      </nav>
      {panel.value && <Panel name={panel.value} />}
    </>
  );
}
