// A Durable Object for each JPIP channel: what was sent, so that nothing is sent twice. It plans and never sees a byte of an
// image; its calls run one after another, so that requests sent without waiting for answers share one account.
import { DurableObject } from 'cloudflare:workers';
import { JPIP } from '../../config/limits/jpx.ts';
import { type ForgottenBin, planPortions, SentBins, type WantedBins } from '../../domain/jpip/ledger.ts';
import type { ChannelPlan, ChannelTarget } from '../../ports/jpip.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS channel (name TEXT NOT NULL, tid TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS sent (bin_group INTEGER PRIMARY KEY, complete BLOB NOT NULL, partial TEXT NOT NULL, whole INTEGER NOT NULL);
`;

interface SentRow extends Record<string, SqlStorageValue> {
  complete: ArrayBuffer;
  partial: string;
}

export class JpipChannel extends DurableObject {
  readonly #groups = new Map<number, SentBins>();

  /** Null for a channel of another target. Unknown or expired channels begin empty, as do those whose target has changed. */
  async plan(target: ChannelTarget, wish: readonly WantedBins[], budget: number): Promise<ChannelPlan | null> {
    if (!this.#belongsTo(target)) return null;
    const { portions, isWhole } = planPortions(wish, (group) => this.#sent(group), budget);
    for (const groupAt of new Set(portions.map((portion) => portion.groupAt))) {
      const { group, binsInAll } = wish[groupAt] as WantedBins;
      this.#keep(group, binsInAll);
    }
    const row = this.ctx.storage.sql.exec<{ whole: number }>('SELECT count(*) AS whole FROM sent WHERE whole = 1').one();
    await this.ctx.storage.setAlarm(Date.now() + JPIP.channelLifetimeMs);
    return { portions, isWhole, wholeGroups: row.whole };
  }

  /** What could not be delivered is sent again when it is wanted again. */
  async forget(bins: readonly ForgottenBin[]): Promise<void> {
    if (!this.#exists()) return;
    for (const { group, bin, from } of bins) this.#sent(group).forget(bin, from);
    for (const group of new Set(bins.map(({ group }) => group))) this.#keep(group, Number.POSITIVE_INFINITY);
  }

  /** False for a channel of another target; closing what is not there is no fault. */
  async close(targetName: string): Promise<boolean> {
    if (this.#exists() && this.#target()?.name !== targetName) return false;
    await this.alarm();
    return true;
  }

  override async alarm(): Promise<void> {
    this.#groups.clear();
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
    this.#groups.clear();
    sql.exec('INSERT INTO channel (name, tid) VALUES (?, ?)', name, tid);
    return true;
  }

  #sent(group: number): SentBins {
    let sent = this.#groups.get(group);
    if (!sent) {
      const [row] = this.ctx.storage.sql.exec<SentRow>('SELECT complete, partial FROM sent WHERE bin_group = ?', group);
      sent = row ? new SentBins(new Uint8Array(row.complete), JSON.parse(row.partial) as [number, number][]) : new SentBins();
      this.#groups.set(group, sent);
    }
    return sent;
  }

  #keep(group: number, binsInAll: number): void {
    const { complete, partial, completeCount } = this.#sent(group);
    this.ctx.storage.sql.exec(
      'INSERT OR REPLACE INTO sent (bin_group, complete, partial, whole) VALUES (?, ?, ?, ?)',
      group,
      complete,
      JSON.stringify([...partial]),
      completeCount >= binsInAll ? 1 : 0,
    );
  }
}
