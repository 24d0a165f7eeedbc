// The Durable Object of a JPIP channel. It holds the cache model and plans messages, without handling image bytes. Its calls run
// one after another, so pipelined requests of a channel share one cache model.
import { DurableObject } from 'cloudflare:workers';
import { JPIP } from '../../config/limits/jpx.ts';
import { CacheModel, planMessages, type UndeliveredBin } from '../../domain/jpip/cache-model.ts';
import { binsOfMessages, RepeatedWindows } from '../../domain/jpip/repeated-windows.ts';
import type { ChannelPlan, ChannelRequest, ChannelTarget } from '../../ports/jpip.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS channel (name TEXT NOT NULL, tid TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS sent (bin_group INTEGER PRIMARY KEY, complete BLOB NOT NULL, partial TEXT NOT NULL, whole INTEGER NOT NULL);
`;

interface SentRow extends Record<string, SqlStorageValue> {
  complete: ArrayBuffer;
  partial: string;
}

export class JpipChannel extends DurableObject {
  readonly #models = new Map<number, CacheModel>();
  /** Held in memory only: a client repeats a lost request within seconds. */
  readonly #windows = new RepeatedWindows();

  /** See `JpipChannels.plan`. A new or expired channel, or one whose target has changed, starts with an empty cache model. */
  async plan(target: ChannelTarget, { window, requested, budget }: ChannelRequest): Promise<ChannelPlan | null> {
    if (!this.#belongsTo(target)) return null;
    for (const { group, bin, from } of this.#windows.undelivered(window)) this.#model(group).subtract(bin, from);
    const { messages, isComplete } = planMessages(requested, (group) => this.#model(group), budget);
    this.#windows.sent(window, binsOfMessages(messages, requested), isComplete);
    for (const { group, binsInGroup } of new Set(messages.map(({ groupIndex }) => requested[groupIndex]!))) {
      this.#keep(group, binsInGroup);
    }
    const row = this.ctx.storage.sql.exec<{ whole: number }>('SELECT count(*) AS whole FROM sent WHERE whole = 1').one();
    await this.ctx.storage.setAlarm(Date.now() + JPIP.channelLifetimeMs);
    return { messages, isComplete, completeGroups: row.whole };
  }

  /** See `JpipChannels.subtract`. */
  async subtract(bins: readonly UndeliveredBin[]): Promise<void> {
    if (!this.#exists()) return;
    for (const { group, bin, from } of bins) this.#model(group).subtract(bin, from);
    for (const group of new Set(bins.map(({ group }) => group))) this.#keep(group, Number.POSITIVE_INFINITY);
  }

  /** False for a channel of another target. Closing a channel that does not exist succeeds. */
  async close(targetName: string): Promise<boolean> {
    if (this.#exists() && this.#target()?.name !== targetName) return false;
    await this.alarm();
    return true;
  }

  override async alarm(): Promise<void> {
    this.#models.clear();
    this.#windows.clear();
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  #exists(): boolean {
    return this.ctx.storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'channel'").toArray().length > 0;
  }

  #target(): ChannelTarget | undefined {
    return this.ctx.storage.sql.exec<{ name: string; tid: string }>('SELECT name, tid FROM channel').toArray()[0];
  }

  #belongsTo({ name, tid }: ChannelTarget): boolean {
    const { sql } = this.ctx.storage;
    sql.exec(SCHEMA);
    const known = this.#target();
    if (known && known.name !== name) return false;
    if (known?.tid === tid) return true;
    sql.exec('DELETE FROM channel');
    sql.exec('DELETE FROM sent');
    this.#models.clear();
    this.#windows.clear();
    sql.exec('INSERT INTO channel (name, tid) VALUES (?, ?)', name, tid);
    return true;
  }

  #model(group: number): CacheModel {
    let model = this.#models.get(group);
    if (!model) {
      const [row] = this.ctx.storage.sql.exec<SentRow>('SELECT complete, partial FROM sent WHERE bin_group = ?', group);
      model = row
        ? new CacheModel(new Uint8Array(row.complete), JSON.parse(row.partial) as [number, number][])
        : new CacheModel();
      this.#models.set(group, model);
    }
    return model;
  }

  #keep(group: number, binsInGroup: number): void {
    const { complete, partial, completeCount } = this.#model(group);
    this.ctx.storage.sql.exec(
      'INSERT OR REPLACE INTO sent (bin_group, complete, partial, whole) VALUES (?, ?, ?, ?)',
      group,
      complete,
      JSON.stringify([...partial]),
      completeCount >= binsInGroup ? 1 : 0,
    );
  }
}
