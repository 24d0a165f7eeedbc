// A datasource: one leaf of the catalogue.

/** One level of the path from observatory to leaf. A level may have two rows: two spellings in headers, or two labels. */
export interface Level {
  /** 1 at the observatory. Two rows of one level share it. */
  readonly order: number;
  readonly label: string;
  readonly name: string;
  /** The value that headers have. */
  readonly fitsName: string;
  readonly description: string;
}

export interface DataSource {
  readonly id: number;
  readonly nickname: string;
  readonly description: string | null;
  /** Unit of the measurement's name or of its values; null where the catalogue states none. */
  readonly units: string | null;
  /** Order of composition in the catalogue, 1..3; an image has its own, computed from its header. */
  readonly layeringOrder: number;
  /** Rank in the default catalogue. */
  readonly displayOrder: number;
  readonly levels: readonly Level[];
  /** Name in imaging/colour/tables.ts; null means grayscale. */
  readonly colourTable: string | null;
  /** First directory of its files in the archive. */
  readonly archiveDirectory: string;
}

/** The first row of every level, top down: what the catalogue shows. */
export function pathOf(source: DataSource): readonly Level[] {
  return source.levels.filter((level, i) => level.order !== source.levels[i - 1]?.order);
}

/** The name at the level with this label, if the source has one. */
export function levelName(source: DataSource, label: string): string | undefined {
  return source.levels.find((level) => level.label === label)?.name;
}

/**
 * The four levels by which v1 knew a source. A source with fewer repeats its instrument (without one, its observatory),
 * described by its name.
 */
export function fourLevelPath(source: DataSource): readonly Level[] {
  const path = pathOf(source);
  const repeated = Math.max(
    path.findIndex((level) => level.label === 'Instrument'),
    0,
  );
  const level = path[repeated]!;
  const copies = Array.from({ length: 4 - path.length }, () => ({ ...level, description: level.name }));
  return [...path.slice(0, repeated + 1), ...copies, ...path.slice(repeated + 1)];
}
