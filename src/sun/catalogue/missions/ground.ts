// Observatories on the ground: the Global Oscillation Network Group, and Mauna Loa.
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

/** The mask of the original service was made at 1024 pixels and is applied stretched to 1040. */
const STRETCH = 1040 / 1024;

export const MLSO_SOURCES: readonly DataSource[] = family({
  firstId: 83,
  above: [level('Observatory', 'MLSO', 'MLSO'), level('Instrument', 'COSMO', 'COSMO'), level('Detector', 'KCor', 'KCor')],
  leaves: ['735'],
  credit: CREDITS.mlso,
  nickname: 'COSMO KCor',
  description: 'COSMO KCor',
  units: 'NM',
  displayOrder: 1,
  headerLevels: (_, telescope, instrument) =>
    [telescope, instrument].some((name) => /\bK-?COR/.test(name)) ? ['MLSO', 'COSMO', 'KCor', '735'] : null,
  colourTable: 'kcor_colortable',
  archiveDirectory: 'KCor',
  // Files are named by product, not by wavelength.
  archiveNamePrefix: 'MLSO_KCOR_KCOR',
  mask: {
    unit: 1024,
    anchor: 'sun',
    inner: [-1 * STRETCH, -1 * STRETCH, 187.4 * STRETCH],
    outer: [-0.5 * STRETCH, 1.5 * STRETCH, 496.5 * STRETCH],
    softness: 2,
    masksDownloads: true,
  },
});
