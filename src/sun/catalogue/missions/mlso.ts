// Mauna Loa Solar Observatory.
import { CREDITS } from '../credits.ts';
import type { DataSource } from '../datasource.ts';
import { family, level } from '../mission-records.ts';

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
