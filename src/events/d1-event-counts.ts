// Counts of events in the visitors' database: one batch to write a window of days with their months, one to add up bins.
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { OnMain } from '../platform/storage/databases.ts';
import { binStart, type CountedBin, nextBin } from '../sun/bins.ts';
import { EVENT_PINS } from '../sun/events/event-types.ts';
import type { CountedDay, CountedKind, CountedSpan } from './counts/event-counts.ts';

/** Start of a day or a month of a feed. */
const span = {
  feed: text('feed').notNull(),
  width: text('width').$type<CountedSpan>().notNull(),
  startMs: integer('start_ms').notNull(),
};

/** The days that have been counted, also those without events, and the months that have such days. */
export const eventSpans = sqliteTable(
  'event_spans',
  {
    ...span,
    days: integer('days').notNull(),
    /** Time of the count; of a month: the earliest of its days. */
    countedAtMs: integer('counted_at_ms').notNull(),
    /** Time of the next count; of a month: the earliest of its days. */
    dueAtMs: integer('due_at_ms').notNull(),
  },
  (table) => [primaryKey({ columns: [table.feed, table.width, table.startMs] })],
);

/** Events of a span, as `EventCount`. Those of a month begin with its first counted day. */
export const eventCounts = sqliteTable(
  'event_counts',
  {
    ...span,
    pin: text('pin').notNull(),
    type: text('type').notNull(),
    method: text('method').notNull(),
    continuing: integer('continuing').notNull(),
    begun: integer('begun').notNull(),
  },
  (table) => [primaryKey({ columns: [table.feed, table.width, table.pin, table.startMs, table.type, table.method] })],
);

type KnownSpan = Omit<typeof eventSpans.$inferSelect, 'width'>;

type KnownBin = Pick<KnownSpan, 'feed' | 'startMs' | 'days'>;

type BinEvents = { readonly startMs: number; readonly pin: string; readonly type: string; readonly events: number };

/** The key of the counts begins with the pin, so that a timeline of flares reads no other rows; other statements name all of them. */
const PINS = JSON.stringify(EVENT_PINS);

const IN_MONTH = 'start_ms >= month.value ->> 0 AND start_ms < month.value ->> 1';
const IS_DAY = "feed = ?1 AND width = 'D'";

const DELETE_DAYS = `
  DELETE FROM event_counts WHERE ${IS_DAY} AND pin IN (SELECT value FROM json_each(?3))
    AND start_ms BETWEEN ?2 ->> 0 AND ?2 ->> 1`;
/** ?2: days as [start, due, [[pin, type, method, continuing, begun]]]. */
const INSERT_DAYS = `
  INSERT INTO event_counts (feed, width, start_ms, pin, type, method, continuing, begun)
  SELECT ?1, 'D', day.value ->> 0, kind.value ->> 0, kind.value ->> 1, kind.value ->> 2, kind.value ->> 3, kind.value ->> 4
  FROM json_each(?2) AS day, json_each(day.value, '$[2]') AS kind`;
/** ?2: as for INSERT_DAYS, ?3: when they were counted. */
const KEEP_DAYS = `
  INSERT OR REPLACE INTO event_spans (feed, width, start_ms, days, counted_at_ms, due_at_ms)
  SELECT ?1, 'D', value ->> 0, 1, ?3, value ->> 1 FROM json_each(?2)`;
/** ?2: months as [start, end]. */
const KEEP_MONTHS = `
  INSERT OR REPLACE INTO event_spans (feed, width, start_ms, days, counted_at_ms, due_at_ms)
  SELECT ?1, 'M', month.value ->> 0, count(*), min(counted_at_ms), min(due_at_ms)
  FROM json_each(?2) AS month CROSS JOIN event_spans WHERE ${IS_DAY} AND ${IN_MONTH} GROUP BY month.value ->> 0`;
const DELETE_MONTHS = `
  DELETE FROM event_counts WHERE feed = ?1 AND width = 'M' AND pin IN (SELECT value FROM json_each(?3))
    AND start_ms IN (SELECT value ->> 0 FROM json_each(?2))`;
const INSERT_MONTHS = `
  WITH month AS MATERIALIZED (
    SELECT value ->> 0 AS from_ms, value ->> 1 AS to_ms,
      (SELECT min(start_ms) FROM event_spans WHERE ${IS_DAY} AND start_ms >= value ->> 0) AS first_ms
    FROM json_each(?2)
  )
  INSERT INTO event_counts (feed, width, start_ms, pin, type, method, continuing, begun)
  SELECT ?1, 'M', from_ms, pin, event_counts.type, method, sum(continuing * (start_ms = first_ms)), sum(begun)
  FROM month CROSS JOIN json_each(?3) AS known CROSS JOIN event_counts
  WHERE ${IS_DAY} AND pin = known.value AND start_ms >= from_ms AND start_ms < to_ms GROUP BY from_ms, pin, event_counts.type, method`;

const SPAN_COLUMNS = 'feed, start_ms AS startMs, days, counted_at_ms AS countedAtMs, due_at_ms AS dueAtMs';
const MONTHS = `
  SELECT ${SPAN_COLUMNS} FROM event_spans WHERE feed = ?1 AND width = 'M' AND start_ms >= ?2 AND start_ms < ?3`;
/** ?2: months as [start, end]. */
const DAYS = `SELECT ${SPAN_COLUMNS} FROM json_each(?2) AS month CROSS JOIN event_spans WHERE ${IS_DAY} AND ${IN_MONTH}`;

/**
 * ?1: feeds, ?2: bins as [start, end], ?3: the width, ?4: pins, ?5: kinds as [feed, pin, method], without a method for all; the first of
 * two names stands for all methods below it.
 */
const ADD = `
  WITH known AS MATERIALIZED (
    SELECT feed.value AS of_feed, bin.value ->> 0 AS from_ms, bin.value ->> 1 AS to_ms, min(start_ms) AS first_ms, sum(days) AS days
    FROM json_each(?1) AS feed CROSS JOIN json_each(?2) AS bin CROSS JOIN event_spans
    WHERE event_spans.feed = feed.value AND width = ?3 AND start_ms >= bin.value ->> 0 AND start_ms < bin.value ->> 1
    GROUP BY feed.value, bin.value ->> 0
  ), kind AS MATERIALIZED (
    SELECT value ->> 0 AS kind_feed, value ->> 1 AS kind_pin, value ->> 2 AS kind_method FROM json_each(?5)
  ), counted AS (
    SELECT from_ms, pin, event_counts.type, sum(begun + continuing * (start_ms = first_ms)) AS events
    FROM known CROSS JOIN json_each(?4) AS chosen CROSS JOIN event_counts
    WHERE feed = of_feed AND width = ?3 AND pin = chosen.value AND start_ms >= from_ms AND start_ms < to_ms
      AND ((feed, pin) IN (SELECT kind_feed, kind_pin FROM kind WHERE kind_method IS NULL)
        OR (feed, pin, method) IN kind
        OR (feed, pin, substr(method, 1, instr(method, '>>') - 1)) IN kind)
    GROUP BY from_ms, pin, event_counts.type HAVING events > 0
  )
  SELECT of_feed AS feed, from_ms AS startMs, days, NULL AS pin, NULL AS type, NULL AS events FROM known
  UNION ALL SELECT NULL, from_ms, NULL, pin, type, events FROM counted`;

/** ?1: feeds with pin, type (null for all) and number of the result; ?2: the time before which the day begins. */
const LAST_BEGUN = `
  SELECT list.value ->> 3 AS number, max((SELECT start_ms FROM event_counts
    WHERE feed = list.value ->> 0 AND width = 'D' AND pin = list.value ->> 1 AND start_ms < ?2 AND begun > 0
      AND (list.value ->> 2 IS NULL OR event_counts.type = list.value ->> 2) ORDER BY start_ms DESC LIMIT 1)) AS startMs
  FROM json_each(?1) AS list GROUP BY 1`;

/** The row of a feed that counts how often its counts were forgotten, as the time of a count. */
const EPOCH = "feed = ?1 AND width = 'F'";
const NEXT_EPOCH = `
  INSERT OR REPLACE INTO event_spans (feed, width, start_ms, days, counted_at_ms, due_at_ms)
  SELECT ?1, 'F', 0, 0, 1 + coalesce(max(counted_at_ms), 0), 0 FROM event_spans WHERE ${EPOCH}`;
/** Fails where the epoch is another one, which undoes the batch. */
const EXPECT_EPOCH = `
  INSERT INTO event_spans (feed, width, start_ms, days, counted_at_ms, due_at_ms)
  SELECT ?1, 'F', 0, NULL, 0, 0 WHERE (SELECT counted_at_ms FROM event_spans WHERE ${EPOCH}) IS NOT ?2`;

export class D1EventCounts extends OnMain {
  /** Number of times that the counts of a feed were forgotten; null for never. */
  epoch(feed: string): Promise<number | null> {
    return this.main.prepare(`SELECT counted_at_ms FROM event_spans WHERE ${EPOCH}`).bind(feed).first('counted_at_ms');
  }

  /**
   * Replaces the counts of days that follow each other, and adds up their months again.
   * @param epoch That before the days were loaded @throws Error when the counts have been forgotten since
   */
  async keep(feed: string, days: readonly CountedDay[], countedAtMs: number, epoch: number | null = null): Promise<void> {
    const ends = JSON.stringify([days[0]!.dayMs, days.at(-1)!.dayMs]);
    const months = [...new Set(days.map(({ dayMs }) => binStart('M', dayMs)))];
    const bounds = JSON.stringify(months.map((ms) => [ms, nextBin('M', ms)]));
    const rows = days.map(({ dayMs, dueAtMs, counts }) => [
      dayMs,
      dueAtMs,
      counts.map(({ pin, type, method, continuing, begun }) => [pin, type, method, continuing, begun]),
    ]);
    const counted = JSON.stringify(rows);
    const statement = (query: string, ...values: unknown[]) => this.main.prepare(query).bind(feed, ...values);
    await this.main.batch([
      statement(EXPECT_EPOCH, epoch),
      statement(DELETE_DAYS, ends, PINS),
      statement(INSERT_DAYS, counted),
      statement(KEEP_DAYS, counted, countedAtMs),
      statement(KEEP_MONTHS, bounds),
      statement(DELETE_MONTHS, bounds, PINS),
      statement(INSERT_MONTHS, bounds, PINS),
    ]);
  }

  async forget(feed: string): Promise<void> {
    const statement = (query: string) => this.main.prepare(query).bind(feed);
    const deletion = "DELETE FROM event_spans WHERE feed = ?1 AND width <> 'F'";
    await this.main.batch([NEXT_EPOCH, 'DELETE FROM event_counts WHERE feed = ?1', deletion].map(statement));
  }

  /** For each pin or type, the last counted day before `beforeMs` on which an event began; null without one. */
  async lastBegun(
    of: readonly { readonly feeds: readonly string[]; readonly pin: string; readonly type: string | null }[],
    beforeMs: number,
  ): Promise<readonly (number | null)[]> {
    const rows = of.flatMap(({ feeds, pin, type }, i) => feeds.map((feed) => [feed, pin, type, i]));
    const statement = this.main.prepare(LAST_BEGUN).bind(JSON.stringify(rows), beforeMs);
    const { results } = await statement.all<{ readonly number: number; readonly startMs: number | null }>();
    const found = new Map(results.map(({ number, startMs }) => [number, startMs]));
    return of.map((_, i) => found.get(i) ?? null);
  }

  /** The months of a feed with counted days, from the month of `fromMs` to before `toMs`. */
  async months(feed: string, fromMs: number, toMs: number): Promise<readonly KnownSpan[]> {
    const found = await this.main.prepare(MONTHS).bind(feed, binStart('M', fromMs), toMs).all<KnownSpan>();
    return found.results;
  }

  async daysOf(feed: string, months: readonly number[]): Promise<readonly KnownSpan[]> {
    const bounds = JSON.stringify(months.map((ms) => [ms, nextBin('M', ms)]));
    return (await this.main.prepare(DAYS).bind(feed, bounds).all<KnownSpan>()).results;
  }

  /** Adds up bins of spans. Bins that are not all counted lack events that began before, so that a number is never too high. */
  async add(
    kinds: readonly (Pick<CountedKind, 'pin' | 'method'> & { readonly feed: string })[],
    bins: readonly CountedBin[],
    width: CountedSpan,
  ): Promise<{ readonly known: readonly KnownBin[]; readonly counts: readonly BinEvents[] }> {
    const each = (name: 'feed' | 'pin') => JSON.stringify([...new Set(kinds.map((kind) => kind[name]))]);
    const rows = JSON.stringify(kinds.map(({ feed, pin, method }) => [feed, pin, method]));
    const { results } = await this.main
      .prepare(ADD)
      .bind(each('feed'), JSON.stringify(bins), width, each('pin'), rows)
      .all<KnownBin | (BinEvents & { readonly feed: null })>();
    return {
      known: results.filter((row): row is KnownBin => row.feed !== null),
      counts: results.filter((row): row is BinEvents & { readonly feed: null } => row.feed === null),
    };
  }
}
