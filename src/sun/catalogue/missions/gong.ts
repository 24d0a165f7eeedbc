// Global Oscillation Network Group.
import { CREDITS } from '../credits.ts';
import type { DataSource, SourceHeader } from '../datasource.ts';
import { family, integerText, level } from '../mission-records.ts';

/** `6562` from the wavelength (6562.8 Å or 656.28 nm) or from the name of the line. */
function lineOf({ fits }: SourceHeader): string | undefined {
  const stated = fits.get('WAVELNTH');
  if (stated) return integerText(/^656\.\d/.test(stated) ? String(Number(stated) * 10) : stated, Math.trunc);
  const line = [fits.get('DETECTOR'), fits.get('IMTYPE'), fits.get('OBS_TYPE')].find((text) => text !== undefined);
  return line && /h-?alpha/i.test(line) ? '6562' : line;
}

export const GONG_SOURCES: readonly DataSource[] = family({
  firstId: 94,
  above: [
    level('Observatory', 'GONG', 'GONG', 'NSO-GONG'),
    level('Instrument', 'GONG', 'GONG'),
    level('Detector', 'H-alpha', 'H-alpha'),
  ],
  leaves: ['6562'],
  meaning: 'H-alpha {} angstrom',
  credit: CREDITS.gong,
  nickname: 'GONG H-alpha',
  description: 'GONG H-Alpha',
  headerLevels: (header, telescope, instrument) =>
    [telescope, instrument].some((name) => /\bGONG\b/.test(name)) ? ['NSO-GONG', 'GONG', 'H-alpha', lineOf(header)] : null,
  archiveDirectory: 'NSO-GONG',
});
