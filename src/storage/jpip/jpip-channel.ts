// The Durable Object of a JPIP channel. It holds the cache model and plans messages, without handling image bytes. Its calls run
// one after another, so concurrent requests of a channel share one cache model.
import { DurableObject } from 'cloudflare:workers';
import { createHash } from 'node:crypto';
import { JPIP } from '../../config/limits/jpx.ts';
import { CacheModel } from '../../domain/jpip/cache-model.ts';
import {
  ANSWERED_WINDOWS,
  type Answer,
  Channel,
  type ChannelPlan,
  type ChannelRequest,
  type ChannelState,
} from '../../domain/jpip/channel.ts';
import type { ChannelTarget } from '../../ports/jpip.ts';

/** Tables of a channel, and the members of the JSON texts in them. */
export const SCHEMA = `
  CREATE TABLE channel (name TEXT NOT NULL, tid TEXT NOT NULL);
  -- partial: [bin, bytes] of each partial bin
  CREATE TABLE sent (bin_group INTEGER PRIMARY KEY, complete BLOB NOT NULL, partial TEXT NOT NULL, whole INTEGER NOT NULL);
  -- request: SHA-256 of the window; answer: requestId, isDone, start, rest; start and rest: groupIndex, binIndex, from
  CREATE TABLE answered (place INTEGER PRIMARY KEY AUTOINCREMENT, request TEXT NOT NULL UNIQUE, answer TEXT NOT NULL);
`;

/** Stored with the channel, which starts anew in the tables of another version of the service. */
const FORM = createHash('sha256').update(SCHEMA).digest('hex').slice(0, 8);

/** Cache models in memory. Those of a movie of thousands of frames, sent in part, take more than an object has. */
const MODELS_IN_MEMORY = 256;

interface SentRow extends Record<string, SqlStorageValue> {
  complete: ArrayBuffer;
  partial: string;
}

/** Cache models and answered windows in the object's database, which outlives the object's memory. */
class StoredState implements ChannelState {
  readonly #sql: SqlStorage;
  readonly #models = new Map<number, CacheModel>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  model(group: number): CacheModel {
    let model = this.#models.get(group);
    if (!model) {
      if (this.#models.size >= MODELS_IN_MEMORY) this.#models.clear();
      const [row] = this.#sql.exec<SentRow>('SELECT complete, partial FROM sent WHERE bin_group = ?', group);
      model = row
        ? new CacheModel(new Uint8Array(row.complete), JSON.parse(row.partial) as [number, number][])
        : new CacheModel();
      this.#models.set(group, model);
    }
    return model;
  }

  keepModel(group: number, isWhole: boolean): void {
    const { complete, partial } = this.model(group);
    this.#sql.exec(
      'INSERT OR REPLACE INTO sent (bin_group, complete, partial, whole) VALUES (?, ?, ?, ?)',
      group,
      complete,
      JSON.stringify([...partial]),
      isWhole ? 1 : 0,
    );
  }

  wholeGroups(except: ReadonlySet<number>): number {
    const left = JSON.stringify([...except]);
    const statement = 'SELECT count(*) AS n FROM sent WHERE whole = 1 AND bin_group NOT IN (SELECT value FROM json_each(?))';
    return this.#sql.exec<{ n: number }>(statement, left).one().n;
  }

  answer(window: string): Answer | null {
    const [row] = this.#sql.exec<{ answer: string }>('SELECT answer FROM answered WHERE request = ?', window);
    return row ? (JSON.parse(row.answer) as Answer) : null;
  }

  keepAnswer(window: string, answer: Answer): void {
    this.#sql.exec('INSERT OR REPLACE INTO answered (request, answer) VALUES (?, ?)', window, JSON.stringify(answer));
    this.#sql.exec('DELETE FROM answered WHERE place <= (SELECT max(place) FROM answered) - ?', ANSWERED_WINDOWS);
  }
}

export class JpipChannel extends DurableObject {
  /** Responses under way are held in memory only: without it, they count as lost and are sent again. */
  #channel = new Channel(new StoredState(this.ctx.storage.sql));

  /** See `JpipChannels.plan`. A new or expired channel, or one whose target has changed, starts with an empty cache model. */
  async plan(target: ChannelTarget, request: ChannelRequest): Promise<ChannelPlan | null> {
    if (!this.#belongsTo(target)) return null;
    const plan = this.#channel.plan(request);
    await this.ctx.storage.setAlarm(Date.now() + JPIP.channelLifetimeMs);
    return plan;
  }

  /** See `JpipChannels.delivered`. */
  async delivered(response: string): Promise<void> {
    if (this.#exists()) this.#channel.delivered(response);
  }

  /** False for a channel of another target. Closing a channel that does not exist succeeds. */
  async close(targetName: string): Promise<boolean> {
    if (this.#exists() && this.#target()?.name !== targetName) return false;
    await this.alarm();
    return true;
  }

  override async alarm(): Promise<void> {
    this.#forget();
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  #forget(): void {
    this.#channel = new Channel(new StoredState(this.ctx.storage.sql));
  }

  #exists(): boolean {
    return this.ctx.storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'channel'").toArray().length > 0;
  }

  #target(): ChannelTarget | undefined {
    return this.ctx.storage.sql.exec<{ name: string; tid: string }>('SELECT name, tid FROM channel').toArray()[0];
  }

  #belongsTo({ name, tid }: ChannelTarget): boolean {
    const { sql } = this.ctx.storage;
    const stored = `${tid}.${FORM}`;
    const known = this.#exists() ? this.#target() : undefined;
    if (known && known.name !== name) return false;
    if (known?.tid === stored) return true;
    for (const table of ['channel', 'sent', 'answered']) sql.exec(`DROP TABLE IF EXISTS ${table}`);
    sql.exec(SCHEMA);
    this.#forget();
    sql.exec('INSERT INTO channel (name, tid) VALUES (?, ?)', name, stored);
    return true;
  }
}
