// Renders an image of the sample Sun as 8-bit grey.
import type { GreyImage } from '../jp2/encode.ts';
import { renderCorona } from './corona.ts';
import { renderCoronagraph } from './coronagraph.ts';
import { LOOKS, type Look, type LookName } from './looks.ts';
import { observerAt, type Viewpoint } from './observer.ts';
import { renderMagnetogram, renderPhotosphere } from './photosphere.ts';
import { type Surface, surfaceAt } from './surface.ts';
import { type Framing, type View, viewOf } from './view.ts';

/** A picture, and its grey levels before they are rounded and clipped. */
interface SunImage extends GreyImage {
  readonly greys: Float32Array;
}

/** The view from `viewpoint` at an instant, north up; a pure function of its arguments. `tone` is a power law on the grey levels. */
export function renderSun(lookName: LookName, viewpoint: Viewpoint, timeMs: number, framing: Framing, tone = 1): SunImage {
  const look: Look = LOOKS[lookName];
  const view = viewOf(observerAt(viewpoint, timeMs), framing);
  const greys = greysOf(look, view, surfaceAt(timeMs));
  const samples = new Uint8ClampedArray(greys);
  if (tone !== 1) for (let i = 0; i < samples.length; i++) samples[i] = 255 * (samples[i]! / 255) ** tone;
  return { width: view.width, height: view.height, samples: new Uint8Array(samples.buffer), greys };
}

function greysOf(look: Look, view: View, surface: Surface): Float32Array {
  switch (look.kind) {
    case 'corona': {
      const image = renderCorona(view, surface, look);
      for (let i = 0; i < image.length; i++) {
        const value = Math.max(0, image[i] as number);
        image[i] = look.quietGrey * (look.gamma === 0.5 ? Math.sqrt(value) : value ** look.gamma);
      }
      return image;
    }
    case 'photosphere':
      return renderPhotosphere(view, surface, look);
    case 'magnetogram':
      return renderMagnetogram(view, surface, look);
    case 'coronagraph':
      return renderCoronagraph(view, surface, look);
  }
}
