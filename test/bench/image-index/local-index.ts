// An image database in local D1 (Miniflare), and the same file in plain SQLite, for benches of the image index.
import { DatabaseSync } from 'node:sqlite';
import { D1ImageIndex } from '../../../src/archive/image-index/d1-image-index.ts';
import { applyMigrations, localDatabases } from '../../../src/cli/local/migrations.ts';
import { databaseFile } from '../../../src/cli/local/state-lock.ts';
import { DAY_MS } from '../../../src/platform/util/durations.ts';
import { sqliteD1 } from '../../support/memory/sqlite-d1.ts';
import { inFolder } from '../../support/system/in-folder.ts';
import { withStateRuntime } from '../../support/system/state-runtime.ts';
import { quantile } from '../measure.ts';
import type { Run } from '../run.ts';

export interface LocalIndex {
  readonly d1: D1ImageIndex;
  readonly sqlite: D1ImageIndex;
  /** Path of the database. */
  readonly file: string;
}

/** Numbers of rows: those of `BENCH_ROWS`, separated by commas, else `unset`. */
export const benchRows = (unset: readonly number[]): readonly number[] => process.env.BENCH_ROWS?.split(',').map(Number) ?? unset;

/** Time of the first step of `fillRows`. */
export const START = Date.UTC(2011, 0, 1);

/**
 * Writes an image of each source at each of `count` steps, in the order in which images arrive, with a gap of two days at the start of each
 * 365 days. Values differ as those of real headers do.
 */
export function fillRows(
  file: string,
  { count, cadenceMs, sources }: Readonly<{ count: number; cadenceMs: number; sources: readonly number[] }>,
) {
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA synchronous = OFF;
    WITH RECURSIVE
      sources(position, id) AS (SELECT key, value FROM json_each('${JSON.stringify(sources)}')),
      steps(step) AS (SELECT 0 UNION ALL SELECT step + 1 FROM steps WHERE step + 1 < ${count})
    INSERT INTO images
    SELECT step * 16 + id % 16, id, CAST(${START} + step * ${cadenceMs} + position * 37 AS INTEGER), NULL, NULL, 1000000 + step % 90000,
      randomblob(32), 0.6083466737 + step * 1e-9, 0.9862797742 - step * 1e-9, 4096, 4096, 2048.5 + step * 1e-5, 2047.25 - step * 1e-5, 0, 0,
      0.057 + step * 1e-8, 1577.5 + step * 1e-5, 151700000000.125 + step * 10, 1, NULL
    FROM steps CROSS JOIN sources WHERE (step * ${cadenceMs}) % ${365 * DAY_MS} > ${2 * DAY_MS};
    PRAGMA wal_checkpoint(TRUNCATE)`);
  database.close();
}

/** Runs `work` on a new image database, after `fill` has written to its file. */
export async function withLocalIndex<T>(fill: (file: string) => void, work: (index: LocalIndex) => Promise<T>): Promise<T> {
  return inFolder(async (stateDir) => {
    await applyMigrations(stateDir, () => undefined);
    const { id } = (await localDatabases()).find(({ binding }) => binding === 'IMAGES')!;
    const file = databaseFile(stateDir, id);
    fill(file);
    return await withStateRuntime(stateDir, { d1Databases: { IMAGES: id } }, async (runtime) =>
      work({ d1: indexOn(await runtime.getD1Database('IMAGES')), sqlite: indexOn(sqliteD1(file)), file }),
    );
  });
}

const indexOn = (database: D1Database) => new D1ImageIndex({ images: [database], ofShard: () => database });

/** Adds median and 95th percentile of times in milliseconds, D1 against SQLite. */
export function addQuantiles({ add }: Run, name: string, d1: readonly number[], sqlite: readonly number[]): void {
  for (const part of [0.5, 0.95]) add(name, `p${part * 100}`, 'ms', quantile(d1, part), quantile(sqlite, part));
}
