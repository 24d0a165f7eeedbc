// Hinode XRT: 37 filter pairs, and groups of pairs with any filter in one wheel or both.
import type { DataSource } from './datasource.ts';
import { level, numbered } from './family.ts';

const WHEEL_1 = ['Al_med', 'Al_poly', 'Be_med', 'Be_thin', 'C_poly', 'Open'];
const WHEEL_2 = ['Al_mesh', 'Al_thick', 'Be_thick', 'Gband', 'Open', 'Ti_poly'];
const ANY = 'Any';

const FIRST_PAIR = 38;
const XRT_MISPOSITIONED = 68;

const ANY_PAIR = 10001;
const FIRST_ANY_WHEEL_1 = 10002;
const FIRST_ANY_WHEEL_2 = 10008;
const PAIR_DISPLAY_ORDER = 13;
/** Ranks of the groups with any filter in wheel 1, in the order of wheel 2. */
const ANY_WHEEL_1_DISPLAY_ORDER = [2, 2, 3, 4, 5, 6];
const FIRST_ANY_WHEEL_2_DISPLAY_ORDER = 7;

function pair(id: number, wheel1: string, wheel2: string, displayOrder: number): DataSource {
  return {
    id,
    nickname: `XRT ${wheel1}/${wheel2}`,
    description: null,
    units: null,
    layeringOrder: 1,
    displayOrder,
    levels: numbered([
      level('Observatory', 'Hinode', ''),
      level('Instrument', 'XRT', ''),
      level('Filter Wheel 1', wheel1, ''),
      level('Filter Wheel 2', wheel2, ''),
    ]),
    colourTable: 'Hinode_XRT',
    archiveDirectory: 'XRT',
  };
}

/** Id of the k-th pair in the order of the wheels, skipping 68, which is not a pair. */
function pairId(k: number): number {
  return FIRST_PAIR + k + (FIRST_PAIR + k >= XRT_MISPOSITIONED ? 1 : 0);
}

export const XRT_PAIRS: readonly DataSource[] = [
  ...WHEEL_1.flatMap((wheel1, i) =>
    WHEEL_2.map((wheel2, j) => pair(pairId(i * WHEEL_2.length + j), wheel1, wheel2, PAIR_DISPLAY_ORDER)),
  ),
  pair(XRT_MISPOSITIONED, 'Mispositioned', 'Mispositioned', PAIR_DISPLAY_ORDER),
];

export const XRT_GROUPS: readonly DataSource[] = [
  pair(ANY_PAIR, ANY, ANY, 1),
  ...WHEEL_2.map((wheel2, j) => pair(FIRST_ANY_WHEEL_1 + j, ANY, wheel2, ANY_WHEEL_1_DISPLAY_ORDER[j]!)),
  ...WHEEL_1.map((wheel1, i) => pair(FIRST_ANY_WHEEL_2 + i, wheel1, ANY, FIRST_ANY_WHEEL_2_DISPLAY_ORDER + i)),
];

/** Groups that contain a source's images; empty for sources other than XRT pairs. */
export function groupsOf(sourceId: number): readonly number[] {
  if (sourceId === XRT_MISPOSITIONED) return [ANY_PAIR];
  const k = sourceId - FIRST_PAIR - (sourceId > XRT_MISPOSITIONED ? 1 : 0);
  if (k < 0 || k >= WHEEL_1.length * WHEEL_2.length) return [];
  return [ANY_PAIR, FIRST_ANY_WHEEL_1 + (k % WHEEL_2.length), FIRST_ANY_WHEEL_2 + Math.floor(k / WHEEL_2.length)];
}

/** The sources of a group (10001-10013), ascending; empty for any other id. */
export function memberSources(groupId: number): readonly number[] {
  return XRT_PAIRS.map((source) => source.id)
    .filter((id) => groupsOf(id).includes(groupId))
    .sort((a, b) => a - b);
}
