// The explorer: the first view from the page itself, then the controls around it.
import '../core.ts';
import { mount } from '../mount.tsx';
import { baseImage, busy, isMoving, panel, shown, tourStep } from '../store/state.ts';
import { hasChannels } from '../store/tools.ts';
import { imageTime } from '../texts/times.ts';
import { fill, texts } from '../texts.ts';
import { TimeBar } from '../time/time-bar.tsx';
import { Dialogs } from './dialogs.tsx';
import { Header } from './header.tsx';
import { Lazy } from './loading.tsx';
import { PanelArea } from './panel-area.tsx';
import { Stage } from './stage.tsx';

function LiveRegion() {
  const image = baseImage.value;
  const text = busy.value ?? (image && !isMoving.value ? fill(texts.shows, { ...image, time: imageTime(image) }) : '');
  return (
    <p class="unseen" role="status">
      {text}
    </p>
  );
}

function App({ first }: { readonly first: HTMLElement | null }) {
  return (
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
      <Dialogs />
      {tourStep.value !== null && <Lazy name="tour" isSilent load={async () => (await import('./tour.tsx')).Tour} />}
      <LiveRegion />
    </div>
  );
}

export const start = (): void => {
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', async (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file) await (await import('../saving/dropped.ts')).openFile(file);
  });
  mount(App);
};
