// Ports of ingest over databases and objects in memory, which can simulate a crash before or after each call.
import { createHash } from 'node:crypto';
import { getTableColumns, getTableName } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { recordOf } from '../../../src/domain/archive/keys.ts';
import type { ArchivedImage, WithdrawnImage } from '../../../src/domain/image.ts';
import type { IngestPorts } from '../../../src/services/images/ingest.ts';
import { CachedImageIndex } from '../../../src/storage/images/cached-image-index.ts';
import { D1ImageIndex } from '../../../src/storage/images/d1-image-index.ts';
import { D1ImageRegister } from '../../../src/storage/images/d1-image-register.ts';
import { D1UploadJournal } from '../../../src/storage/images/d1-upload-journal.ts';
import { D1Withdrawals } from '../../../src/storage/images/d1-withdrawals.ts';
import { imageFromRow, withdrawnFromRow } from '../../../src/storage/images/image-row.ts';
import { images, withdrawnImages } from '../../../src/storage/images/image-tables.ts';
import { uploads } from '../../../src/storage/operations-tables.ts';
import { HOUR_MS } from '../../../src/util/durations.ts';
import { anyMemory } from './any-memory.ts';
import { MemoryIdSequences } from './id-sequences.ts';
import { MemoryObjectStore } from './object-store.ts';
import { databasesIn, execute, migrated } from './sqlite-d1.ts';

/** Simulated crash of the isolate. */
export class Crash extends Error {}

export type Step =
  | 'inspect'
  | 'begin'
  | 'create jp2'
  | 'create sidecar'
  | 'add'
  | 'withdraw'
  | 'purge'
  | 'delete'
  | 'end'
  | 'leave'
  | 'write record'
  | 'forget record';

type Table = typeof images | typeof withdrawnImages | typeof uploads;

export class MemoryIngest {
  readonly databases = databasesIn(migrated());
  /** Files and sidecars. */
  readonly #files = new MemoryObjectStore();
  readonly #records = new MemoryObjectStore();
  readonly purged = new Set<string>();
  /** Before images of the tests count as those of an earlier day. */
  nowMs = Date.UTC(2021, 5, 2);
  /** Crash before the step, or after it took effect. */
  crash: { readonly step: Step; readonly when: 'before' | 'after' } | null = null;
  readonly journal = new D1UploadJournal(this.databases, () => this.nowMs);
  readonly ports: IngestPorts;

  constructor() {
    const clock = () => this.nowMs;
    const { journal, databases } = this;
    const memory = anyMemory();
    const records = new CachedImageIndex({ databases, objects: this.#records, clock, memory });
    const register = new D1ImageRegister(databases, new MemoryIdSequences());
    this.ports = {
      index: new D1ImageIndex(databases),
      register: {
        ...this.#crashing(register, { add: 'add', withdraw: 'withdraw' }),
        reserve: (image) => register.reserve(image),
      },
      withdrawals: new D1Withdrawals(databases),
      journal: {
        ...this.#crashing(journal, { begin: 'begin', end: 'end', leave: 'leave' }),
        recorded: (keys) => journal.recorded(keys),
        hasMoreThan: (count) => journal.hasMoreThan(count),
        endOfEarlierDay: (key) => journal.endOfEarlierDay(key),
        unpurged: (limit) => this.unpurged(limit),
        markPurged: (lastKey) => journal.markPurged(lastKey),
        takeAbandoned: () => this.takeAbandoned(),
      },
      objects: {
        create: (key, ...rest) =>
          this.#step(key.startsWith('jp2/') ? 'create jp2' : 'create sidecar', () => this.#files.create(key, ...rest)),
        put: (key, body) => this.#files.put(key, body),
        readAll: (key) => this.#files.readAll(key),
        delete: (keys) => this.#step('delete', () => this.#files.delete(keys)),
        list: (prefix, options) => this.#files.list(prefix, options),
      },
      records: {
        ...this.#crashing(records, { write: 'write record', forget: 'forget record' }),
        idsOf: (content) => records.idsOf(content),
      },
      caches: { purge: (tags) => this.#step('purge', async () => [tags].flat().forEach((tag) => void this.purged.add(tag))) },
      inspect: (jp2) => this.inspect(jp2),
      coefficients: { makeFirst: async () => undefined },
      surveys: { makeFirst: async () => undefined },
      clock,
      sidecarVersion: 1,
    };
  }

  async #step<T>(step: Step, work: () => Promise<T>): Promise<T> {
    await Promise.resolve();
    if (this.crash?.step === step && this.crash.when === 'before') throw new Crash();
    const result = await work();
    if (this.crash?.step === step) throw new Crash();
    return result;
  }

  /** The methods of an adapter as steps. */
  #crashing<T extends object, Name extends keyof T>(adapter: T, steps: Readonly<Record<Name, Step>>): Pick<T, Name> {
    const methods = Object.entries<Step>(steps).map(([name, step]) => {
      const method = Reflect.get(adapter, name) as (...values: unknown[]) => Promise<unknown>;
      return [name, (...values: unknown[]) => this.#step(step, () => method.apply(adapter, values))];
    });
    return Object.fromEntries(methods) as Pick<T, Name>;
  }

  /** Files in these tests are `<width>x<height>` followed by the XML box. */
  inspect(jp2: Uint8Array) {
    return this.#step('inspect', async () => {
      const [, width, height, xml] = /^(\d+)x(\d+)([\s\S]*)$/.exec(new TextDecoder().decode(jp2))!;
      const sidecar = new Uint8Array(createHash('sha1').update(jp2).digest());
      return { xml: xml!, sidecar, width: Number(width), height: Number(height), warning: null as string | null };
    });
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
