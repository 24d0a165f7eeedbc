import type { SourceHeader } from './datasource.ts';

/** The nearest integer of a numeric text; other texts as they are. */
export function integerText(text: string | undefined, round = Math.round): string | undefined {
  const value = Number(text);
  return text && Number.isFinite(value) ? String(round(value)) : text;
}

export const measurement = ({ fits, helioviewer }: SourceHeader): string | undefined =>
  fits.get('WAVELNTH') ?? helioviewer.get('HV_MEASUREMENT');

/** Wavelength in whole angstroms: WAVELNTH, else the number of WAVE_STR, as `171_THIN`, else HV_MEASUREMENT. */
export function wavelength(header: SourceHeader): string | undefined {
  const filter = header.fits.has('WAVELNTH') ? undefined : /^\d+/.exec(header.fits.get('WAVE_STR') ?? '')?.[0];
  return integerText(filter ?? measurement(header));
}

const OBSERVABLES = [
  ['magnetogram', /magnetogram/i],
  ['continuum', /continuum|intensity/i],
  ['other', /doppler|velocity|line.?(width|depth)/i],
] as const;

/** The observable by the first keyword that names one, codes before prose; else by a unit of fields; else the first value present. */
export function observable({ fits, helioviewer }: SourceHeader): string | undefined {
  const own = helioviewer.get('HV_MEASUREMENT');
  const texts = [fits.get('DPC_OBSR'), own, fits.get('CONTENT'), fits.get('OBS_MODE')].filter((text) => text !== undefined);
  const named = texts.flatMap((text) => OBSERVABLES.find(([, pattern]) => pattern.test(text))?.[0] ?? []);
  return named[0] ?? (/^gauss$/i.test(fits.get('BUNIT') ?? '') ? 'magnetogram' : texts[0]);
}
