// The embedded picture: it plays and steps, and leads to the explorer.
import { effect } from '@preact/signals';
import { SERVICE_NAME } from '../platform/util/identity.ts';
import { IconButton } from './page/controls.tsx';
import { mount, Stage } from './page/stage.tsx';
import { step } from './store/actions.ts';
import { permanentAddress } from './store/address.ts';
import { pause } from './store/open.ts';
import { adjacent, baseImage, busy, isPlaying, panel } from './store/state.ts';
import { texts, titleOf } from './texts.ts';
import { play } from './time/play.ts';

function Controls() {
  const { previousMs, nextMs } = adjacent.value;
  const words = texts.time;
  const toggled = isPlaying.value ? 'pause' : 'play';
  return (
    <div class="embed-controls">
      <IconButton icon="previous" label={words.previous} disabled={previousMs === null} act={() => void step(-1, 'image')} />
      <IconButton icon={toggled} label={words[toggled]} act={() => (isPlaying.value ? pause() : void play())} />
      <IconButton icon="next" label={words.next} disabled={nextMs === null} act={() => void step(1, 'image')} />
    </div>
  );
}

function Embed({ first }: { readonly first: HTMLElement | null }) {
  const image = baseImage.value;
  return (
    <div class="page">
      <main aria-busy={busy.value !== null}>
        <h1 class="unseen">{image ? titleOf(image) : SERVICE_NAME}</h1>
        <Stage first={first} />
        {image && <Controls />}
        {image && (
          <a class="open-explorer" href={permanentAddress()} target="_blank" rel="noopener">
            {texts.openExplorer}
          </a>
        )}
      </main>
    </div>
  );
}

export const start = (): void => {
  // Pins open the panel of events, which the explorer has.
  effect(() => {
    if (panel.value) open(permanentAddress(), '_blank', 'noopener');
    panel.value = null;
  });
  mount(Embed);
};
