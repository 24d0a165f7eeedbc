// Renders and encodes one file of the sample archive.
import { archiveDirectory } from '../src/sun/catalogue/datasource.ts';
import { findSource } from '../src/sun/catalogue/sources.ts';
import { xmlHeader } from './instruments/header.ts';
import { expose, type Shot } from './instruments/instrument.ts';
import { findInstrument } from './instruments/instruments.ts';
import { statedLaw } from './instruments/stated-law.ts';
import { encodeGrey, type GreyImage, type Palette, wrapJp2 } from './jp2/encode.ts';
import { renderCorona } from './sun/corona.ts';
import { renderCoronagraph } from './sun/coronagraph.ts';
import { LOOKS, type Look, type LookName } from './sun/looks.ts';
import { observerAt, type Viewpoint } from './sun/observer.ts';
import { renderMagnetogram, renderPhotosphere } from './sun/photosphere.ts';
import { type Surface, surfaceAt } from './sun/surface.ts';
import { type Framing, type View, viewOf } from './sun/view.ts';

/** Path of a shot in the archive: `AIA/2024/05/10/171/<file name>`. @throws Error for a source that cannot be drawn */
export function archivePath(shot: Shot): string {
  const [source, instrument] = [findSource(shot.sourceId), instrumentFor(shot)];
  const fileName = instrument.fileName(shot.timeMs);
  if (!source) throw new Error(`The catalogue has no source ${shot.sourceId}.`);
  return `${archiveDirectory(source, shot.timeMs, fileName)}/${fileName}`;
}

export async function imageFile(shot: Shot): Promise<Uint8Array> {
  const instrument = instrumentFor(shot);
  const exposure = expose(instrument, shot);
  const image = renderSun(instrument.look, instrument.viewpoint, shot.timeMs, exposure.framing, instrument.tone);
  const codestream = encodeGrey(image, instrument.style);
  const palette = instrument.hasPalette?.(shot.timeMs) ? { palette: goldPalette() } : {};
  const stated = instrument.law && statedLaw(instrument.law, exposure, image.greys);
  const xml = xmlHeader(instrument, exposure, stated);
  return wrapJp2({ width: image.width, height: image.height, codestream, xml, ...palette });
}

function instrumentFor(shot: Shot) {
  const instrument = findInstrument(shot.sourceId);
  if (!instrument) throw new Error(`The sample cannot draw source ${shot.sourceId}.`);
  return instrument;
}

/** From black through gold to white, as in SWAP files. */
function goldPalette(): Palette {
  const clamp = (value: number) => Math.max(0, Math.min(255, Math.floor(value)));
  return Array.from({ length: 256 }, (_, i) => [clamp((i * 255) / 176), i, clamp(((i - 190) * 255) / 65)] as const);
}

/** A picture, and its grey levels before they are rounded and clipped. */
type SunImage = GreyImage & { readonly greys: Float32Array };

/** Grey levels of each kind of look, not yet rounded. */
const RENDERERS = {
  corona: renderCorona,
  photosphere: renderPhotosphere,
  magnetogram: renderMagnetogram,
  coronagraph: renderCoronagraph,
} as const;
type Renderer = (view: View, surface: Surface, look: Look) => Float32Array;

/** The view from `viewpoint` at an instant, north up; a pure function of its arguments. `tone` is a power law on the grey levels. */
export function renderSun(lookName: LookName, viewpoint: Viewpoint, timeMs: number, framing: Framing, tone = 1): SunImage {
  const look: Look = LOOKS[lookName];
  const view = viewOf(observerAt(viewpoint, timeMs), framing);
  const greys = (RENDERERS[look.kind] as Renderer)(view, surfaceAt(timeMs), look);
  const samples = new Uint8ClampedArray(greys);
  if (tone !== 1) for (let i = 0; i < samples.length; i++) samples[i] = 255 * (samples[i]! / 255) ** tone;
  return { width: view.width, height: view.height, samples: new Uint8Array(samples.buffer), greys };
}
