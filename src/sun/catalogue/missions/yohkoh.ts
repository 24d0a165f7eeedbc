import { CREDITS } from '../credits.ts';
import type { DataSource, HeaderRule } from '../datasource.ts';
import { family, level, measurement } from '../mission-records.ts';

const FILTERS: Readonly<Record<string, string>> = {
  almg: 'AlMgMn',
  almgmn: 'AlMgMn',
  'al.1': 'thin-Al',
  al01: 'thin-Al',
  'thin-al': 'thin-Al',
  open: 'white-light',
  'white-light': 'white-light',
};

const headerLevels: HeaderRule = (header, telescope, instrument) => {
  if (!telescope.includes('YOHKOH') && instrument !== 'SXT') return null;
  const filter = measurement(header);
  return ['Yohkoh', 'SXT', filter && (FILTERS[filter.toLowerCase()] ?? filter)];
};

const sxt = {
  above: [level('Observatory', 'Yohkoh', 'Yohkoh (Solar-A)'), level('Instrument', 'SXT', 'Soft X-ray Telescope')],
  credit: CREDITS.yohkoh,
  nickname: 'SXT {}',
  description: 'Yohkoh SXT {}',
  headerLevels,
  colourTable: 'Yohkoh_SXT_{}',
  archiveDirectory: 'SXT',
  search: () => ({
    source: 'Yohkoh',
    instrument: 'SXT',
    note: 'The search cannot select a filter: keep the files that have it.',
  }),
  knownGaps: [
    { reason: 'not-launched', to: '1991-08-30', sentence: 'Yohkoh was launched on 30 August 1991.' },
    {
      reason: 'mission-ended',
      from: '2001-12-14',
      sentence: 'Yohkoh lost the Sun on 14 December 2001 and did not recover.',
    },
  ],
} as const;

export const YOHKOH_SOURCES: readonly DataSource[] = [
  ...family({
    ...sxt,
    firstId: 33,
    leaves: ['AlMgMn'],
    leafLabel: 'Filter',
    meaning: 'Al/Mg/Mn filter (2.4 Å - 32 Å pass band)',
    units: 'Å',
    displayOrder: 6,
  }),
  ...family({ ...sxt, firstId: 34, leaves: ['thin-Al'], meaning: '11.6 μm Al filter (2.4 Å - 13 Å pass band)', units: 'Å' }),
  ...family({ ...sxt, firstId: 35, leaves: ['white-light'], meaning: 'No filter', units: '' }),
];
