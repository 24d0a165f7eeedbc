// An image database in local D1 (Miniflare), and the same file in plain SQLite, for benches of the image index.
import { D1ImageIndex } from '../../../src/archive/image-index/d1-image-index.ts';
import { databaseFile } from '../../../src/cli/local/database-files.ts';
import { applyMigrations, localDatabases, withStateRuntime } from '../../../src/cli/local/migrations.ts';
import { sqliteD1 } from '../../support/memory/sqlite-d1.ts';
import { inFolder } from '../../support/system/in-folder.ts';
import { quantile } from '../measure.ts';
import type { BenchResult } from '../run.ts';

export interface LocalIndex {
  readonly d1: D1ImageIndex;
  readonly sqlite: D1ImageIndex;
  /** Path of the database. */
  readonly file: string;
}

/** Numbers of rows: those of `BENCH_ROWS`, separated by commas, else `unset`. */
export const benchRows = (unset: readonly number[]): readonly number[] => process.env.BENCH_ROWS?.split(',').map(Number) ?? unset;

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

const indexOn = (database: D1Database) =>
  new D1ImageIndex({ main: database, operations: database, images: [database], ofShard: () => database });

/** Median and 95th percentile of times in milliseconds, D1 against SQLite. */
export function quantilesOf(name: string, d1: readonly number[], sqlite: readonly number[]): BenchResult[] {
  return [0.5, 0.95].map((part) => {
    const [value, against] = [quantile(d1, part), quantile(sqlite, part)];
    return { case: name, metric: `p${part * 100}`, unit: 'ms', value, against, ratio: against / value };
  });
}
