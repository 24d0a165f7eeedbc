// Renders and encodes one file of the sample archive.
import { archiveDirectory } from '../src/domain/catalogue/datasource.ts';
import { findSource } from '../src/domain/catalogue/sources.ts';
import { xmlHeader } from './instruments/header.ts';
import { expose, type Shot } from './instruments/instrument.ts';
import { findInstrument } from './instruments/instruments.ts';
import { statedLaw } from './instruments/stated-law.ts';
import { encodeGrey, type Palette, wrapJp2 } from './jp2/encode.ts';
import { renderSun } from './sun/render.ts';

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
