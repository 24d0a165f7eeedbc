// The Durable Object of a JPIP channel: cache model and planned messages, no image bytes. Calls run one after another.
import { DurableObject } from 'cloudflare:workers';
import { createHash } from 'node:crypto';
import { CacheModel } from '../../jp2/jpip/cache-model.ts';
import type { Answer, ChannelPlan, ChannelRequest, ChannelState } from '../../jp2/jpip/channel.ts';
import { ANSWERED_WINDOWS, Channel } from '../../jp2/jpip/channel.ts';
import { JPIP } from '../../platform/limits/jpx.ts';
import { readsFor } from '../../platform/limits/prices.ts';
import { fromBase64, toBase64 } from '../../platform/util/bytes.ts';
import { MINUTE_MS } from '../../platform/util/durations.ts';

/** The logical target of a JPIP channel, by which a channel is bound to it; `tid` (JPIP-tid) changes with its content. */
export interface ChannelTarget {
  readonly name: string;
  readonly tid: string;
}

/** Tables of a channel, and the members of the JSON texts in them. */
export const SCHEMA = `
  CREATE TABLE channel (name TEXT NOT NULL, tid TEXT NOT NULL, expires_ms INTEGER NOT NULL DEFAULT 0);
  -- a row for each ${JPIP.groupsPerRow} groups, whose members are by group; complete: the bits of complete bins in base64, partial: [bin, bytes] of each partial bin; whole: the whole groups
  CREATE TABLE sent (row INTEGER PRIMARY KEY, complete TEXT NOT NULL, partial TEXT NOT NULL, whole TEXT NOT NULL);
  -- place: number of the answer modulo ${ANSWERED_WINDOWS}; request: SHA-256 of the window; answer: requestId, isDone, start, rest; start and rest: groupIndex, binIndex, from
  CREATE TABLE answered (place INTEGER PRIMARY KEY, number INTEGER NOT NULL, request TEXT NOT NULL, answer TEXT NOT NULL);
`;

/** Stored with the channel, which starts anew in the tables of another version of the service. */
const FORM = createHash('sha256').update(SCHEMA).digest('hex').slice(0, 8);

/** Rows of cache models in memory. The models of a movie of thousands of frames, sent in part, take more than an object has. */
const ROWS_IN_MEMORY = 8;

/** Characters of the partial bins of a row, of the 2 MB that one may have. Longer ones are not stored, and the bins sent again. */
const PARTIAL_CHARACTERS = 1 << 20;

type SentRow = { readonly models: Map<number, CacheModel>; stored: string; isChanged: boolean };

/** A row of the table of the channel; `expires_ms`: the time of the alarm that ends it. */
type StoredTarget = { readonly name: string; readonly tid: string; readonly expires_ms: number };

type StoredAnswer = { readonly window: string; readonly answer: string; isStored: boolean };

/** Cache models and answered windows in the object's database, which outlives the object's memory. */
class StoredState implements ChannelState {
  readonly #sql: SqlStorage;
  readonly #rows = new Map<number, SentRow>();
  /** Groups that are whole, once they have been counted. */
  #whole: Set<number> | undefined;
  /** The last answers by number, the oldest first, once they have been read. */
  #answers: Map<number, StoredAnswer> | undefined;
  /** Numbers of changes, and of those that are written. */
  changes = 0;
  #written = 0;
  /** Cost of the statements since it was taken, in reads of R2. */
  cost = 0;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Runs a statement, and adds what its rows cost. */
  run<Row extends Record<string, SqlStorageValue>>(statement: string, ...values: SqlStorageValue[]): Row[] {
    const cursor = this.#sql.exec<Row>(statement, ...values);
    const rows = cursor.toArray();
    this.cost += cursor.rowsRead * readsFor('rowRead') + cursor.rowsWritten * readsFor('rowWritten');
    return rows;
  }

  #row(group: number): SentRow {
    const number = Math.floor(group / JPIP.groupsPerRow);
    const known = this.#rows.get(number);
    if (known) return known;
    if (this.#rows.size >= ROWS_IN_MEMORY) {
      this.write();
      this.#rows.clear();
    }
    const statement = 'SELECT complete, partial, whole FROM sent WHERE row = ?';
    const [stored] = this.run<{ complete: string; partial: string; whole: string }>(statement, number);
    const models = new Map<number, CacheModel>();
    if (stored) {
      const partial = JSON.parse(stored.partial) as Record<string, [number, number][]>;
      for (const [of, bits] of Object.entries(JSON.parse(stored.complete) as Record<string, string>))
        models.set(Number(of), new CacheModel(fromBase64(bits), partial[of] ?? []));
    }
    const row = { models, stored: stored ? [stored.complete, stored.partial, stored.whole].join() : '', isChanged: false };
    this.#rows.set(number, row);
    return row;
  }

  model(group: number): CacheModel {
    const { models } = this.#row(group);
    const model = models.get(group) ?? new CacheModel();
    models.set(group, model);
    return model;
  }

  keepModel(group: number, isWhole: boolean): void {
    this.#row(group).isChanged = true;
    this.changes += 1;
    if (isWhole) this.#wholes().add(group);
    else this.#wholes().delete(group);
  }

  #wholes(): Set<number> {
    this.#whole ??= new Set(
      this.run<{ whole: string }>('SELECT whole FROM sent').flatMap(({ whole }) => JSON.parse(whole) as number[]),
    );
    return this.#whole;
  }

  wholeGroups(except: ReadonlySet<number>): number {
    return this.#wholes().size - [...except].filter((group) => this.#wholes().has(group)).length;
  }

  #answered(): Map<number, StoredAnswer> {
    const statement = 'SELECT number, request, answer FROM answered ORDER BY number';
    this.#answers ??= new Map(
      this.run<{ number: number; request: string; answer: string }>(statement).map(({ number, request, answer }) => [
        number,
        { window: request, answer, isStored: true },
      ]),
    );
    return this.#answers;
  }

  answer(window: string): Answer | null {
    const found = [...this.#answered().values()].findLast((each) => each.window === window);
    return found ? (JSON.parse(found.answer) as Answer) : null;
  }

  keepAnswer(window: string, kept: Answer): void {
    const answers = this.#answered();
    const answer = JSON.stringify(kept);
    const [number, last] = [...answers].at(-1) ?? [0];
    if (last?.window === window && last.answer === answer) return;
    answers.delete(number + 1 - ANSWERED_WINDOWS);
    answers.set(number + 1, { window, answer, isStored: false });
    this.changes += 1;
  }

  write(): void {
    for (const [number, row] of this.#rows) {
      if (!row.isChanged) continue;
      row.isChanged = false;
      const texts = this.#texts(row.models);
      if (texts.join() === row.stored) continue;
      row.stored = texts.join();
      this.run('INSERT OR REPLACE INTO sent (row, complete, partial, whole) VALUES (?, ?, ?, ?)', number, ...texts);
    }
    for (const [number, each] of this.#answers ?? []) {
      if (each.isStored) continue;
      each.isStored = true;
      const statement = 'INSERT OR REPLACE INTO answered (place, number, request, answer) VALUES (?, ?, ?, ?)';
      this.run(statement, number % ANSWERED_WINDOWS, number, each.window, each.answer);
    }
    this.#written = this.changes;
  }

  get isWritten(): boolean {
    return this.#written === this.changes;
  }

  #texts(models: ReadonlyMap<number, CacheModel>): readonly [complete: string, partial: string, whole: string] {
    const byGroup = (value: (model: CacheModel) => unknown) =>
      JSON.stringify(Object.fromEntries([...models].map(([group, model]) => [group, value(model)])));
    const partial = byGroup((model) => [...model.partial]);
    const whole = [...models.keys()].filter((group) => this.#wholes().has(group));
    return [
      byGroup((model) => toBase64(model.complete)),
      partial.length > PARTIAL_CHARACTERS ? '{}' : partial,
      JSON.stringify(whole),
    ];
  }
}

export class JpipChannel extends DurableObject {
  #state = new StoredState(this.ctx.storage.sql);
  /** Responses under way are held in memory only: without it, they count as lost and are sent again. */
  #channel = new Channel(this.#state);
  /** The target, once it has been read: undefined for a channel that does not exist. */
  #stored: { readonly target: StoredTarget | undefined } | null = null;
  /** Time of the alarm; null where it is not known. */
  #alarmMs: number | null = null;
  /** Whether the alarm writes deliveries that wait. Memory that is lost before it, by a deployment, loses those of some seconds, which are sent again. */
  #isWaiting = false;
  /** Deliveries that were written at once since then. */
  #written = { sinceMs: 0, count: 0 };

  /** A new or expired channel, or one whose target has changed, starts with an empty cache model. */
  async plan(target: ChannelTarget, request: ChannelRequest): Promise<(ChannelPlan & { readonly cost: number }) | null> {
    if (!this.#belongsTo(target)) return null;
    const { changes } = this.#state;
    const plan = this.#channel.plan(request);
    // What its client has stated, or lacks, is written at once: a bin that was taken to be there would never be sent.
    if (this.#state.changes > changes) this.#state.write();
    this.#alarmMs ??= (await this.ctx.storage.getAlarm()) ?? 0;
    if (!this.#isWaiting && this.#alarmMs < Date.now() + JPIP.channelLifetimeMs) await this.#extend();
    return { ...plan, cost: this.#takeCost() };
  }

  async delivered(response: string, sent: number): Promise<number> {
    if (!this.#target()) return this.#takeCost();
    this.#channel.delivered(response, sent);
    const nowMs = Date.now();
    if (nowMs - this.#written.sinceMs > MINUTE_MS) this.#written = { sinceMs: nowMs, count: 0 };
    if (!this.#isWaiting && this.#written.count < JPIP.writesAtOnce) {
      this.#written.count += 1;
      this.#state.write();
    } else if (!this.#isWaiting && !this.#state.isWritten) {
      this.#isWaiting = true;
      await this.#setAlarm(nowMs + JPIP.writeMs);
    }
    return this.#takeCost();
  }

  /** False for a channel of another target. Closing a channel that does not exist succeeds. */
  async close(targetName: string): Promise<boolean> {
    const target = this.#target();
    if (target && target.name !== targetName) return false;
    await this.#end();
    return true;
  }

  /** Writes deliveries that wait, unless the memory that had them is lost; else the channel has expired. */
  override async alarm(): Promise<void> {
    if (!this.#isWaiting && Date.now() >= (this.#target()?.expires_ms ?? 0)) return this.#end();
    this.#state.write();
    await this.#extend();
    this.#isWaiting = false;
    // The call itself, which the next request of the channel pays for.
    this.#state.cost += readsFor('call');
  }

  async #end(): Promise<void> {
    this.#forget();
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  async #extend(): Promise<void> {
    const expiresMs = Date.now() + JPIP.channelLifetimeMs + JPIP.alarmSlackMs;
    this.#state.run('UPDATE channel SET expires_ms = ?', expiresMs);
    await this.#setAlarm(expiresMs);
  }

  async #setAlarm(atMs: number): Promise<void> {
    this.#alarmMs = atMs;
    this.#state.cost += readsFor('rowWritten');
    await this.ctx.storage.setAlarm(atMs);
  }

  #takeCost(): number {
    const { cost } = this.#state;
    this.#state.cost = 0;
    return cost;
  }

  #forget(): void {
    this.#state = new StoredState(this.ctx.storage.sql);
    this.#channel = new Channel(this.#state);
    [this.#stored, this.#alarmMs, this.#isWaiting] = [null, null, false];
  }

  #target(): StoredTarget | undefined {
    if (!this.#stored) {
      const [table] = this.#state.run("SELECT 1 FROM sqlite_master WHERE name = 'channel'");
      // All columns: the table of an earlier version of the service may have fewer.
      const [target] = table ? this.#state.run<StoredTarget>('SELECT * FROM channel') : [];
      this.#stored = { target };
    }
    return this.#stored.target;
  }

  #belongsTo({ name, tid }: ChannelTarget): boolean {
    const stored = `${tid}.${FORM}`;
    const known = this.#target();
    if (known && known.name !== name) return false;
    if (known?.tid === stored) return true;
    this.#forget();
    // The alarm is extended, which states the end of the new channel.
    this.#alarmMs = 0;
    for (const table of ['channel', 'sent', 'answered']) this.#state.run(`DROP TABLE IF EXISTS ${table}`);
    this.#state.run(SCHEMA);
    this.#state.run('INSERT INTO channel (name, tid) VALUES (?, ?)', name, stored);
    this.#stored = { target: { name, tid: stored, expires_ms: 0 } };
    return true;
  }
}
