// The explorer: the first view from the page itself, the controls around it, its panels and its dialogs, whose content loads when it is first opened.
import type { FunctionComponent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { offline } from '../api/request.ts';
import { report } from '../store/open.ts';
import { busy, type DialogName, dialog, hasChannels, PANELS, type PanelName, panel, shown, tourStep } from '../store/state.ts';
import { texts } from '../texts.ts';
import { TimeBar } from '../time/time-bar.tsx';
import { LiveRegion } from './caption.tsx';
import { Button, IconButton, onKeys, setTo } from './controls.tsx';
import { Header } from './header.tsx';
import { Lazy } from './loading.tsx';
import { mount, Stage } from './stage.tsx';

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
    <aside class="panel" aria-labelledby="panel-name" onKeyDown={onKeys({ Escape: true }, closePanel)}>
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

const PanelArea = () => (
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

const TITLES: Readonly<Record<DialogName, string>> = {
  seeing: texts.seeing,
  share: texts.shareTitle,
  help: texts.helpTitle,
  calendar: texts.calendar.title,
  glossary: texts.glossary,
  picture: texts.make.picture,
};

const load = async (name: DialogName) =>
  name === 'picture'
    ? (await import('../saving/picture-dialog.tsx')).PictureDialog
    : (await import('../panels/dialog-contents.tsx'))[name];

function Frame({ name }: { readonly name: DialogName }) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => element.current?.showModal(), []);
  const close = () => element.current?.close();
  return (
    <dialog
      ref={element}
      aria-labelledby="dialog-name"
      onClose={setTo(dialog, null)}
      onClick={(event) => {
        if (event.target === element.current) close();
      }}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <div class="dialog">
        <div class="panel-head">
          <h2 id="dialog-name">{TITLES[name]}</h2>
          <IconButton icon="close" label={texts.close} act={close} />
        </div>
        <Lazy name={`dialog ${name}`} load={() => load(name)} />
      </div>
    </dialog>
  );
}

const App = ({ first }: { readonly first: HTMLElement | null }) => (
  <div class="page" data-panel={panel.value ?? 'none'} data-ready={shown.value !== null}>
    <Header />
    {/* Before the picture, whose pins can be many steps of the Tab key. */}
    <PanelArea />
    <main aria-busy={busy.value !== null}>
      <Stage first={first} />
      {hasChannels.value && (
        <Lazy name="channels" isSilent load={async () => (await import('../panels/channels.tsx')).Channels} />
      )}
    </main>
    <TimeBar />
    {dialog.value && <Frame key={dialog.value} name={dialog.value} />}
    {tourStep.value !== null && <Lazy name="tour" isSilent load={async () => (await import('./tour.tsx')).Tour} />}
    <LiveRegion />
  </div>
);

export const start = (): void => {
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    const opened = file && import('../saving/dropped.ts').catch(offline).then(({ openFile }) => openFile(file));
    opened?.catch(report);
  });
  mount(App);
};
