// Values of FITS headers that several missions write in the same way.
import type { SourceHeader } from './datasource.ts';

/** The nearest integer of a numeric text; other texts as they are. */
export function integerText(text: string | undefined, round = Math.round): string | undefined {
  const value = Number(text);
  return text && Number.isFinite(value) ? String(round(value)) : text;
}

/** WAVELNTH, or else HV_MEASUREMENT. */
export function measurement({ fits, helioviewer }: SourceHeader): string | undefined {
  return fits.get('WAVELNTH') ?? helioviewer.get('HV_MEASUREMENT');
}

/** Wavelength in whole angstroms. */
export function wavelength(header: SourceHeader): string | undefined {
  return integerText(measurement(header));
}

/** `magnetogram` or `continuum` if any of the keywords names it; otherwise the first value present. */
export function observable({ fits, helioviewer }: SourceHeader): string | undefined {
  const values = [fits.get('CONTENT'), fits.get('DPC_OBSR'), fits.get('OBS_MODE'), helioviewer.get('HV_MEASUREMENT')];
  const contents = values.filter((text) => text !== undefined);
  if (contents.some((text) => /magnetogram/i.test(text))) return 'magnetogram';
  if (contents.some((text) => /continuum|intensity/i.test(text))) return 'continuum';
  return contents[0];
}
