// Families of datasources that differ in the last level only; `{}` in a text stands for that level's name.
import type { DataSource, Level } from './datasource.ts';

export type LevelRow = Omit<Level, 'order'>;

export interface Family {
  readonly firstId: number;
  readonly above: readonly LevelRow[];
  /** Names of the last level, for consecutive ids. */
  readonly leaves: readonly string[];
  /** `Measurement` unless given. */
  readonly leafLabel?: string;
  /** Description of the last level. Unset: its meaning in MEANINGS, or its name. */
  readonly meaning?: string;
  readonly nickname: string;
  readonly description: string | null;
  readonly units: string | null;
  readonly layeringOrder?: number;
  readonly colourTable: string | null;
  readonly archiveDirectory: string;
}

const MEANINGS: Readonly<Record<string, string>> = {
  'white-light': 'White Light',
  continuum: 'Intensitygram',
  magnetogram: 'Magnetogram',
};

/** Ranks in the default catalogue other than 0; those of XRT are in xrt.ts. */
const DISPLAY_ORDER: Readonly<Record<number, number>> = {
  0: 2,
  5: 1,
  6: 1,
  19: 1,
  20: 3,
  24: 4,
  32: 5,
  33: 6,
  75: 8,
  83: 1,
};

export function level(label: string, name: string, description: string, fitsName = name): LevelRow {
  return { label, name, fitsName, description };
}

/** Rows of one source, one row per level, numbered from 1. */
export function numbered(rows: readonly LevelRow[]): Level[] {
  return rows.map((row, i) => ({ order: i + 1, ...row }));
}

export function membersOf(family: Family): DataSource[] {
  return family.leaves.map((name, i) => {
    const fill = (text: string) => text.replace('{}', name);
    const leaf = level(family.leafLabel ?? 'Measurement', name, fill(family.meaning ?? MEANINGS[name] ?? name));
    const id = family.firstId + i;
    return {
      id,
      nickname: fill(family.nickname),
      description: family.description && fill(family.description),
      units: family.units,
      layeringOrder: family.layeringOrder ?? 1,
      displayOrder: DISPLAY_ORDER[id] ?? 0,
      levels: numbered([...family.above, leaf]),
      colourTable: family.colourTable && fill(family.colourTable),
      archiveDirectory: family.archiveDirectory,
    };
  });
}
