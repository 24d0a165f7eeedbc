import { eq, getTableColumns, getTableName } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { D1ImageIndex } from '../../../src/archive/image-index/d1-image-index.ts';
import { images as imageTable, rowFromImage, withdrawnImages } from '../../../src/archive/image-index/image-tables.ts';
import type { Databases } from '../../../src/platform/storage/databases.ts';
import type { ArchivedImage } from '../../../src/sun/image.ts';
import { archivedImage } from './archived-images.ts';
import { execute, migrated } from './sqlite-d1.ts';

/** Time of withdrawals in tests. */
const WITHDRAWN_AT_MS = Date.UTC(2024, 0, 31);

const COLUMNS = Object.entries(getTableColumns(imageTable));
const INSERTION = `INSERT INTO ${getTableName(imageTable)} (${COLUMNS.map(([, { name }]) => name)}) VALUES (${COLUMNS.map(() => '?')})`;

/** Inserts a row by one statement for all, because drizzle takes ten times as long for a statement as SQLite for the row. */
function insert(database: D1Database, image: ArchivedImage): void {
  const row: Readonly<Record<string, unknown>> = { ...rowFromImage(image), id: image.id };
  const params = COLUMNS.map(([key, column]) => (row[key] === null ? null : column.mapToDriverValue(row[key])));
  execute(database, { toSQL: () => ({ sql: INSERTION, params }) });
}

/** One image database in memory with all shards, whose rows are those of a list. */
class ListedRows {
  readonly images: ArchivedImage[];
  readonly database = migrated('images');
  searches = 0;
  failure: Error | null = null;
  #stored: readonly ArchivedImage[] = [];

  constructor(images: readonly ArchivedImage[]) {
    this.images = [...images];
  }

  /** The database, which takes over changes of the list before each statement. */
  get databases(): Databases {
    const prepare = (query: string) => {
      if (this.failure) throw this.failure;
      this.#update();
      this.searches += 1;
      return this.database.prepare(query);
    };
    const database: D1Database = new Proxy(this.database, {
      get: (target, name) => {
        if (name === 'withSession') return () => database;
        return name === 'prepare' ? prepare : Reflect.get(target, name).bind(target);
      },
    });
    return { main: database, operations: database, images: [database], ofShard: () => database };
  }

  #update(): void {
    const isStored = this.images.length === this.#stored.length && this.images.every((image, i) => image === this.#stored[i]);
    if (isStored) return;
    const [before, now] = [new Set(this.#stored), new Set(this.images)];
    this.#stored = [...this.images];
    const db = drizzle(this.database);
    for (const { id } of [...before].filter((image) => !now.has(image)))
      execute(this.database, db.delete(imageTable).where(eq(imageTable.id, id)));
    for (const image of [...now].filter((one) => !before.has(one))) insert(this.database, image);
  }
}

/** Image index in a database in memory. */
export class MemoryImageIndex extends D1ImageIndex {
  readonly #rows: ListedRows;
  readonly databases: Databases;

  constructor(images: readonly ArchivedImage[]) {
    const rows = new ListedRows(images);
    super(rows.databases);
    this.#rows = rows;
    this.databases = rows.databases;
  }

  /** The rows; changes of the list are changes of the database. */
  get images(): ArchivedImage[] {
    return this.#rows.images;
  }

  /** Statements so far. */
  get searches(): number {
    return this.#rows.searches;
  }

  set searches(count: number) {
    this.#rows.searches = count;
  }

  /** Lets every statement fail. */
  fail(error: Error): void {
    this.#rows.failure = error;
  }

  /** Withdraws an image, and adds another in its place. */
  withdraw(id: number, replacement: ArchivedImage | null = null): void {
    const { images, database } = this.#rows;
    const at = images.findIndex((image) => image.id === id);
    const { sourceId, takenAtMs, fileName, folder, sha256 } = rowFromImage(images[at]!);
    const row = { id, sourceId, takenAtMs, fileName, folder, withdrawnAtMs: WITHDRAWN_AT_MS, sha256 };
    execute(database, drizzle(database).insert(withdrawnImages).values(row));
    images.splice(at, 1, ...(replacement ? [replacement] : []));
  }
}

/** An index of images of AIA 171 in equal steps of time from the begin of 2024. */
export const indexOfEach = (stepMs: number, count: number) =>
  new MemoryImageIndex(
    Array.from({ length: count }, (_, i) =>
      archivedImage(26 + 16 * i, 10, new Date(Date.UTC(2024, 0, 1) + i * stepMs).toISOString()),
    ),
  );
