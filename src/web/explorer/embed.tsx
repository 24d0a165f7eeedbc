// The embedded picture: the view without tools, with a link to the explorer.
import './core.ts';
import { SERVICE_NAME } from '../../config/identity.ts';
import { mount } from './mount.tsx';
import { Stage } from './page/stage.tsx';
import { permanentAddress } from './store/address.ts';
import { baseImage, busy } from './store/state.ts';
import { titleOf } from './texts/times.ts';
import { texts } from './texts.ts';

function Embed({ first }: { readonly first: HTMLElement | null }) {
  const image = baseImage.value;
  return (
    <div class="page">
      <main aria-busy={busy.value !== null}>
        <h1 class="unseen">{image ? titleOf(image) : SERVICE_NAME}</h1>
        <Stage first={first} />
        {image && (
          <a class="open-explorer" href={permanentAddress()} target="_blank" rel="noopener">
            {texts.openExplorer}
          </a>
        )}
      </main>
    </div>
  );
}

export const start = (): void => mount(Embed);
