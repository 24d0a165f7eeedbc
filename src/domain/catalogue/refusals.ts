// Images that an instrument took but nobody wants to see: darks, gaps, wrong filters, thumbnails.
import type { DataSource } from './datasource.ts';

const LEAST_AIA_PERCENT = 50;

/** HCOMP_SF of images too coarsely compressed, by source. */
const LASCO_TOO_COARSE: Readonly<Record<number, number>> = { 4: 32, 5: 64 };

function aiaRefusal(fits: ReadonlyMap<string, string>): string | null {
  if (fits.get('IMG_TYPE')?.toUpperCase() === 'DARK') return 'Expected a picture of the Sun for IMG_TYPE, got DARK.';
  const percent = fits.get('PERCENTD');
  if (percent !== undefined && Number(percent) < LEAST_AIA_PERCENT) {
    return `Expected at least ${LEAST_AIA_PERCENT} per cent of the pixels for PERCENTD, got ${percent}.`;
  }
  const filter = fits.get('WAVE_STR');
  return filter?.endsWith('_OPEN') ? `Expected a filter in the beam for WAVE_STR, got ${filter}.` : null;
}

/** Why an image of this source is not to be shown, as a sentence; null when it is. */
export function refusalOf(source: DataSource, fits: ReadonlyMap<string, string>): string | null {
  if (source.archiveDirectory === 'AIA') return aiaRefusal(fits);
  const tooCoarse = LASCO_TOO_COARSE[source.id];
  if (tooCoarse === undefined || Number(fits.get('HCOMP_SF')) !== tooCoarse) return null;
  return `Expected a compression factor other than ${tooCoarse} for HCOMP_SF, got ${fits.get('HCOMP_SF')}.`;
}
