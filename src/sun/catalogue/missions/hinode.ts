// Hinode XRT: 37 filter pairs, and groups of pairs with any filter in one wheel or both.
import { CREDITS } from '../credits.ts';
import type { DataSource, HeaderRule } from '../datasource.ts';
import { dataSource, level, numbered } from '../mission-records.ts';

const WHEEL_1 = ['Al_med', 'Al_poly', 'Be_med', 'Be_thin', 'C_poly', 'Open'];
const WHEEL_2 = ['Al_mesh', 'Al_thick', 'Be_thick', 'Gband', 'Open', 'Ti_poly'];
/** Filters by the numbers of their positions in EC_FW1 and EC_FW2. */
const POSITIONS = [
  ['Open', 'Al_poly', 'C_poly', 'Be_thin', 'Be_med', 'Al_med'],
  ['Open', 'Al_mesh', 'Ti_poly', 'Gband', 'Al_thick', 'Be_thick'],
] as const;
const ANY = 'Any';
const MISPOSITIONED = 'Mispositioned';

const FIRST_PAIR = 38;
const MISPOSITIONED_ID = 68;
const ANY_PAIR_ID = 10001;
const FIRST_ANY_WHEEL_1 = 10002;
const FIRST_ANY_WHEEL_2 = 10008;

const PAIR_DISPLAY_ORDER = 13;
/** Ranks of the groups with any filter in wheel 1, in the order of wheel 2. */
const ANY_WHEEL_1_DISPLAY_ORDER = [2, 2, 3, 4, 5, 6];
const FIRST_ANY_WHEEL_2_DISPLAY_ORDER = 7;

/** The pair of filters; `Mispositioned` when a wheel stood between two positions. */
const headerLevels: HeaderRule = ({ fits }, _, instrument) => {
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
    headerLevels,
    colourTable: 'Hinode_XRT',
    archiveDirectory: 'XRT',
    leafDirectory: `${wheel1}/${wheel2}`,
    search: { source: 'Hinode', instrument: 'XRT', note: 'The search cannot select a filter: keep the files that have it.' },
    knownGaps: [{ reason: 'not-launched', to: '2006-09-22', sentence: 'Hinode was launched on 22 September 2006.' }],
  });

/** Id of a pair, in the order of the wheels, skipping 68, which is not a pair. */
function pairId(i: number, j: number): number {
  const id = FIRST_PAIR + i * WHEEL_2.length + j;
  return id >= MISPOSITIONED_ID ? id + 1 : id;
}

const pairIds = WHEEL_1.flatMap((_, i) => WHEEL_2.map((__, j) => pairId(i, j)));

export const HINODE_SOURCES: readonly DataSource[] = [
  ...WHEEL_1.flatMap((wheel1, i) => WHEEL_2.map((wheel2, j) => pair(pairId(i, j), wheel1, wheel2, PAIR_DISPLAY_ORDER))),
  pair(MISPOSITIONED_ID, MISPOSITIONED, MISPOSITIONED, PAIR_DISPLAY_ORDER),
  pair(
    ANY_PAIR_ID,
    ANY,
    ANY,
    1,
    [...pairIds, MISPOSITIONED_ID].sort((a, b) => a - b),
  ),
  ...WHEEL_2.map((wheel2, j) => {
    const members = WHEEL_1.map((_, i) => pairId(i, j));
    return pair(FIRST_ANY_WHEEL_1 + j, ANY, wheel2, ANY_WHEEL_1_DISPLAY_ORDER[j]!, members);
  }),
  ...WHEEL_1.map((wheel1, i) => {
    const members = WHEEL_2.map((_, j) => pairId(i, j));
    return pair(FIRST_ANY_WHEEL_2 + i, wheel1, ANY, FIRST_ANY_WHEEL_2_DISPLAY_ORDER + i, members);
  }),
];
