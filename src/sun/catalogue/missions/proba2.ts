import { CREDITS } from '../credits.ts';
import type { DataSource } from '../datasource.ts';
import { ANGSTROM_EUV, family, level, wavelength } from '../mission-records.ts';

export const PROBA2_SOURCES: readonly DataSource[] = family({
  firstId: 32,
  above: [
    level('Observatory', 'PROBA2', 'Project for OnBoard Autonomy 2'),
    level('Instrument', 'SWAP', 'Sun watcher using APS detectors and image processing'),
  ],
  leaves: ['174'],
  meaning: ANGSTROM_EUV,
  credit: CREDITS.proba2,
  nickname: 'SWAP {}',
  description: 'PROBA-2 SWAP {}',
  units: 'Å',
  displayOrder: 5,
  headerLevels: (header, _, instrument) => (instrument === 'SWAP' ? ['PROBA2', 'SWAP', wavelength(header) ?? '174'] : null),
  colourTable: 'PROBA2_SWAP_174',
  // Files have a palette until 27 June 2013; on that day only some do.
  ownPaletteUntilMs: Date.UTC(2013, 5, 28),
  archiveDirectory: 'SWAP',
  search: (leaf) => ({ source: 'PROBA2', instrument: 'SWAP', wavelengthAngstrom: Number(leaf) }),
  knownGaps: [{ reason: 'not-launched', to: '2009-11-02', sentence: 'PROBA2 was launched on 2 November 2009.' }],
  statusHours: [4, 8, 12],
});
