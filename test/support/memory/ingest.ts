// Ports of ingest over databases and objects in memory.
import { createHash } from 'node:crypto';
import { getTableColumns, getTableName } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { CachedImageIndex } from '../../../src/archive/image-index/cached-image-index.ts';
import { D1ImageIndex } from '../../../src/archive/image-index/d1-image-index.ts';
import { D1ImageRegister } from '../../../src/archive/image-index/d1-image-register.ts';
import { D1UploadJournal, uploads } from '../../../src/archive/image-index/d1-upload-journal.ts';
import { D1Withdrawals } from '../../../src/archive/image-index/d1-withdrawals.ts';
import { imageFromRow, images, withdrawnFromRow, withdrawnImages } from '../../../src/archive/image-index/image-tables.ts';
import type { IngestPorts } from '../../../src/archive/ingest/ingest.ts';
import { recordOf } from '../../../src/archive/keys.ts';
import { HOUR_MS } from '../../../src/platform/util/durations.ts';
import type { ArchivedImage, WithdrawnImage } from '../../../src/sun/image.ts';
import { anyMemory } from './any-memory.ts';
import { MemoryIdSequences } from './id-sequences.ts';
import { MemoryObjectStore } from './object-store.ts';
import { databasesIn, execute, migrated } from './sqlite-d1.ts';

type Table = typeof images | typeof withdrawnImages | typeof uploads;

export class MemoryIngest {
  readonly databases = databasesIn(migrated());
  /** Files and sidecars. */
  readonly #files = new MemoryObjectStore();
  readonly #records = new MemoryObjectStore();
  readonly purged = new Set<string>();
  /** Before images of the tests count as those of an earlier day. */
  nowMs = Date.UTC(2021, 5, 2);
  readonly journal = new D1UploadJournal(this.databases, () => this.nowMs);
  readonly ports: IngestPorts;

  constructor() {
    const clock = () => this.nowMs;
    const { databases } = this;
    const memory = anyMemory();
    const records = new CachedImageIndex({ databases, objects: this.#records, clock, memory });
    const register = new D1ImageRegister({ databases, ids: new MemoryIdSequences() });
    this.ports = {
      index: new D1ImageIndex(databases),
      register,
      withdrawals: new D1Withdrawals(databases),
      journal: Object.assign(new D1UploadJournal(databases, clock), {
        unpurged: (limit: number) => this.unpurged(limit),
        takeAbandoned: () => this.takeAbandoned(),
      }),
      objects: this.#files,
      records,
      caches: { purge: async (tags) => [tags].flat().forEach((tag) => void this.purged.add(tag)) },
      inspect: (jp2) => this.inspect(jp2),
      coefficients: { makeFirst: async () => null },
      surveys: { makeFirst: async () => undefined },
      clock,
      sidecarVersion: 1,
    };
  }

  /** Files in these tests are `<width>x<height>` followed by the XML box. */
  async inspect(jp2: Uint8Array) {
    const [, width, height, xml] = /^(\d+)x(\d+)([\s\S]*)$/.exec(new TextDecoder().decode(jp2))!;
    const sidecar = new Uint8Array(createHash('sha1').update(jp2).digest());
    return { xml: xml!, sidecar, width: Number(width), height: Number(height), warning: null as string | null };
  }

  /** The abandoned uploads some hours later. */
  takeAbandoned() {
    this.nowMs += 2 * HOUR_MS;
    return this.journal.takeAbandoned(100);
  }

  /** The keys of abandoned uploads two hours later. */
  unpurged(limit: number) {
    this.nowMs += 2 * HOUR_MS;
    return this.journal.unpurged(limit);
  }

  #rowsOf<T extends Table>(table: T): T['$inferSelect'][] {
    const databases = getTableName(table) === 'uploads' ? [this.databases.operations] : this.databases.images;
    const rows = databases.flatMap((database) => execute(database, drizzle(database).select().from(table)));
    const columns = Object.entries(getTableColumns(table));
    return rows.map((row) =>
      Object.fromEntries(
        columns.map(([name, column]) => {
          const value = row[column.name];
          return [name, value === null ? null : column.mapFromDriverValue(value)];
        }),
      ),
    ) as T['$inferSelect'][];
  }

  get rows(): ArchivedImage[] {
    return this.#rowsOf(images)
      .map(imageFromRow)
      .sort((a, b) => a.id - b.id);
  }

  get withdrawn(): WithdrawnImage[] {
    return this.#rowsOf(withdrawnImages).map((row) => withdrawnFromRow({ ...row, replacedBy: null }));
  }

  /** Entries of the journal. */
  get uploads() {
    return this.#rowsOf(uploads);
  }

  get objects(): Map<string, Uint8Array> {
    return this.#files.objects;
  }

  /** Ids of the images that have a record. */
  get recorded(): number[] {
    return [...this.#records.objects.keys()].flatMap((key) => (key.endsWith('.json') ? recordOf(key)!.id : []));
  }
}
