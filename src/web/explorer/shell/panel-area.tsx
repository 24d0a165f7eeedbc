// The tools: a rail of buttons, and the panel of the chosen one, whose code loads when it is first opened.
import { useSignal } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { PANELS, type PanelName, panel } from '../store/state.ts';
import { texts } from '../texts.ts';
import { Icon } from './icons.tsx';

const LOADERS: Readonly<Record<PanelName, () => Promise<FunctionComponent>>> = {
  looks: async () => (await import('../panels/looks.tsx')).Looks,
  layers: async () => (await import('../panels/layers.tsx')).Layers,
  events: async () => (await import('../panels/events.tsx')).Events,
  measure: async () => (await import('../panels/measure.tsx')).Measure,
  make: async () => (await import('../panels/make.tsx')).Make,
  data: async () => (await import('../panels/data.tsx')).Data,
};

const loaded = new Map<PanelName, FunctionComponent>();

function PanelContent({ name }: { readonly name: PanelName }) {
  const state = useSignal<'loading' | 'failed' | 'there'>(loaded.has(name) ? 'there' : 'loading');
  const load = () => {
    state.value = 'loading';
    LOADERS[name]().then(
      (component) => {
        loaded.set(name, component);
        state.value = 'there';
      },
      () => {
        state.value = 'failed';
      },
    );
  };
  useEffect(() => {
    if (!loaded.has(name)) load();
  }, [name]);
  const Content = loaded.get(name);
  if (Content) return <Content />;
  if (state.value === 'loading') return <p class="quiet">{texts.loading}</p>;
  return (
    <p role="alert">
      {texts.failures.offline}{' '}
      <button type="button" onClick={load}>
        {texts.retry}
      </button>
    </p>
  );
}

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
        <button type="button" class="round" aria-label={texts.close} onClick={closePanel}>
          <Icon name="close" />
        </button>
      </div>
      <div class="panel-body">
        <PanelContent key={name} name={name} />
      </div>
    </aside>
  );
}

/** Closes the panel; the focus returns to its button. */
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
          <button
            key={name}
            id={`tool-${name}`}
            type="button"
            class="plain"
            aria-expanded={panel.value === name}
            onClick={() => {
              panel.value = panel.value === name ? null : name;
            }}
          >
            <Icon name={name} />
            <span class="label">{texts.panels[name]}</span>
          </button>
        ))}
      </nav>
      {panel.value && <Panel name={panel.value} />}
    </>
  );
}
