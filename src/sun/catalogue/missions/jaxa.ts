// Missions of Japan: XRT of Hinode, with 37 filter pairs and groups of pairs with any filter in one wheel or both, and SXT of Yohkoh.
import { CREDITS } from '../credits.ts';
import type { DataSource, HeaderRule } from '../datasource.ts';
import { dataSource, family, level, measurement, numbered } from '../mission-records.ts';

const WHEEL_1 = ['Al_med', 'Al_poly', 'Be_med', 'Be_thin', 'C_poly', 'Open'];
const WHEEL_2 = ['Al_mesh', 'Al_thick', 'Be_thick', 'Gband', 'Open', 'Ti_poly'];
/** Filters by the numbers of their positions in EC_FW1 and EC_FW2. */
const POSITIONS = [
  ['Open', 'Al_poly', 'C_poly', 'Be_thin', 'Be_med', 'Al_med'],
  ['Open', 'Al_mesh', 'Ti_poly', 'Gband', 'Al_thick', 'Be_thick'],
] as const;
const ANY = 'Any';
const MISPOSITIONED = 'Mispositioned';

/** Filters of the pairs, whose ids ascend from that of the first; among them wheels between two positions. */
const PAIRS = WHEEL_1.flatMap((wheel1) => WHEEL_2.map((wheel2) => [wheel1, wheel2] as const)).toSpliced(30, 0, [
  MISPOSITIONED,
  MISPOSITIONED,
]);
const FIRST_PAIR = 38;
const ANY_PAIR_ID = 10001;
const FIRST_ANY_WHEEL_1 = 10002;
const FIRST_ANY_WHEEL_2 = 10008;

const PAIR_DISPLAY_ORDER = 13;
/** Ranks of the groups with any filter in wheel 1, in the order of wheel 2. */
const ANY_WHEEL_1_DISPLAY_ORDER = [2, 2, 3, 4, 5, 6];
const FIRST_ANY_WHEEL_2_DISPLAY_ORDER = 7;

/** The pair of filters; `Mispositioned` when a wheel stood between two positions. */
const xrtLevels: HeaderRule = ({ fits }, _, instrument) => {
  if (instrument !== 'XRT') return null;
  const wheels = POSITIONS.map((filters, i) => fits.get(`EC_FW${i + 1}_`) ?? filters[Number(fits.get(`EC_FW${i + 1}`) ?? -1)]);
  const isBetween = wheels.some((wheel) => /^mispositioned/i.test(wheel ?? ''));
  return ['Hinode', 'XRT', ...(isBetween ? [MISPOSITIONED, MISPOSITIONED] : wheels)];
};

const pair = (id: number, wheel1: string, wheel2: string, displayOrder: number, members?: readonly number[]): DataSource =>
  dataSource({
    id,
    credit: CREDITS.hinode,
    nickname: `XRT ${wheel1}/${wheel2}`,
    displayOrder,
    levels: numbered([
      level('Observatory', 'Hinode', ''),
      level('Instrument', 'XRT', ''),
      level('Filter Wheel 1', wheel1, ''),
      level('Filter Wheel 2', wheel2, ''),
    ]),
    ...(members ? { members } : {}),
    headerLevels: xrtLevels,
    colourTable: 'Hinode_XRT',
    archiveDirectory: 'XRT',
    leafDirectory: `${wheel1}/${wheel2}`,
    search: { source: 'Hinode', instrument: 'XRT', note: 'The search cannot select a filter: keep the files that have it.' },
    knownGaps: [{ reason: 'not-launched', to: '2006-09-22', sentence: 'Hinode was launched on 22 September 2006.' }],
  });

/** The group of the pairs with these filters, of which one or both are any. */
const group = (id: number, wheel1: string, wheel2: string, displayOrder: number): DataSource => {
  const isMember = ([own1, own2]: readonly string[]) => [ANY, own1].includes(wheel1) && [ANY, own2].includes(wheel2);
  const members = PAIRS.flatMap((filters, i) => (isMember(filters) ? FIRST_PAIR + i : []));
  return pair(id, wheel1, wheel2, displayOrder, members);
};

export const HINODE_SOURCES: readonly DataSource[] = [
  ...PAIRS.map(([wheel1, wheel2], i) => pair(FIRST_PAIR + i, wheel1, wheel2, PAIR_DISPLAY_ORDER)),
  group(ANY_PAIR_ID, ANY, ANY, 1),
  ...WHEEL_2.map((wheel2, j) => group(FIRST_ANY_WHEEL_1 + j, ANY, wheel2, ANY_WHEEL_1_DISPLAY_ORDER[j]!)),
  ...WHEEL_1.map((wheel1, i) => group(FIRST_ANY_WHEEL_2 + i, wheel1, ANY, FIRST_ANY_WHEEL_2_DISPLAY_ORDER + i)),
];

const FILTERS: Readonly<Record<string, string>> = {
  almg: 'AlMgMn',
  almgmn: 'AlMgMn',
  'al.1': 'thin-Al',
  al01: 'thin-Al',
  'thin-al': 'thin-Al',
  open: 'white-light',
  'white-light': 'white-light',
};

const sxtLevels: HeaderRule = (header, telescope, instrument) => {
  if (!telescope.includes('YOHKOH') && instrument !== 'SXT') return null;
  const filter = measurement(header);
  return ['Yohkoh', 'SXT', filter && (FILTERS[filter.toLowerCase()] ?? filter)];
};

const sxt = {
  above: [level('Observatory', 'Yohkoh', 'Yohkoh (Solar-A)'), level('Instrument', 'SXT', 'Soft X-ray Telescope')],
  credit: CREDITS.yohkoh,
  nickname: 'SXT {}',
  description: 'Yohkoh SXT {}',
  headerLevels: sxtLevels,
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
