// Space Weather Follow On at the first Lagrange point. CCOR-2 has no mask, as in the public service: neither its occulter nor the centre of its
// images has been measured.
import { CREDITS } from '../credits.ts';
import type { DataSource } from '../datasource.ts';
import { dataSource, level } from '../mission-records.ts';

export const SWFO_SOURCES: readonly DataSource[] = [
  dataSource({
    id: 133,
    credit: CREDITS.ccor,
    nickname: 'SWFO-L1',
    description: 'CCOR-2',
    // Instrument and detector share one level.
    levels: [
      { order: 1, ...level('Observatory', 'SWFO-L1', 'SWFO-L1 Observatory') },
      { order: 2, ...level('Instrument', 'CCOR-2', 'CCOR-2', 'CCOR2') },
      { order: 2, ...level('Detector', 'CCOR-2', 'CCOR-2', '1') },
      { order: 3, ...level('Measurement', 'white-light', 'White Light') },
    ],
    headerLevels: (_, __, instrument) => (/^CCOR-?2$/.test(instrument) ? ['SWFO-L1', 'CCOR2', '1', 'white-light'] : null),
    colourTable: 'Blue_White_Linear',
    archiveDirectory: 'CCOR-2',
  }),
];
