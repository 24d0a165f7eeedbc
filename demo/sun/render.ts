// Renders an image of the sample Sun as 8-bit grey.

import type { GreyImage } from '../jp2/encode.ts';
import { renderCorona } from './corona.ts';
import { renderCoronagraph } from './coronagraph.ts';
import { LOOKS, type Look, type LookName } from './looks.ts';
import { renderMagnetogram } from './magnetogram.ts';
import { observerAt, type Viewpoint } from './observer.ts';
import { renderPhotosphere } from './photosphere.ts';
import { surfaceAt } from './surface.ts';
import { type Framing, viewOf } from './view.ts';

/** The view from `viewpoint` at an instant, north up; a pure function of its arguments. `tone` is a power law on the grey levels. */
export function renderSun(lookName: LookName, viewpoint: Viewpoint, timeMs: number, framing: Framing, tone = 1): GreyImage {
  const look: Look = LOOKS[lookName];
  const view = viewOf(observerAt(viewpoint, timeMs), framing);
  const surface = surfaceAt(timeMs);
  const samples = new Uint8ClampedArray(view.width * view.height);
  switch (look.kind) {
    case 'corona': {
      const image = renderCorona(view, surface, look);
      for (let i = 0; i < samples.length; i++) {
        const value = image[i] as number;
        if (value > 0) samples[i] = look.quietGrey * (look.gamma === 0.5 ? Math.sqrt(value) : value ** look.gamma);
      }
      break;
    }
    case 'photosphere':
      samples.set(renderPhotosphere(view, surface, look));
      break;
    case 'magnetogram':
      samples.set(renderMagnetogram(view, surface, look));
      break;
    case 'coronagraph':
      samples.set(renderCoronagraph(view, surface, look));
      break;
  }
  if (tone !== 1) for (let i = 0; i < samples.length; i++) samples[i] = 255 * ((samples[i] as number) / 255) ** tone;
  return { width: view.width, height: view.height, samples: new Uint8Array(samples.buffer) };
}
