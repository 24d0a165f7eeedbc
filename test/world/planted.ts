// Faults that a world can be made with, to show what its histories find. None is in the product: each changes what passes between the
// service and its platform, as an error in our code would.
import { HOUR_MS } from '../../src/platform/util/durations.ts';
import type { Rewrite } from './platform/d1.ts';
import type { Queues } from './platform/queues.ts';
import type { BucketFaults } from './platform/r2.ts';

export interface Planted {
  readonly sql?: Rewrite;
  /** Whether statements of a batch take effect one by one. */
  readonly splitsBatches?: boolean;
  readonly bucket?: Partial<BucketFaults>;
  readonly queues?: Partial<Pick<Queues, 'acknowledgesFirst' | 'forgetsRetries'>>;
  /** Whose purges do nothing: all, or those of the jobs, which repeat the others. */
  readonly forgetsPurges?: 'all' | 'repeated';
  /** The key under which the edge cache keeps a response. */
  readonly cacheKey?: (key: string) => string;
  /** Whether sequences of ids go back with the database of images, and what R2 states of ids is lost. */
  readonly restoresSequences?: boolean;
  /** Whether a purge reaches one data centre alone. */
  readonly purgesHere?: boolean;
  /** Whether a shard moves while uploads to it are under way, and without its withdrawn images. */
  readonly movesAtOnce?: boolean;
  /** Jobs that the clock forgets. */
  readonly forgetsJob?: string;
}

export const NONE: Planted = {};

/** A rewriting of statements in which a text occurs. */
const where =
  (text: string, change: (query: Parameters<Rewrite>[0]) => ReturnType<Rewrite>): Rewrite =>
  (query) =>
    query.sql.includes(text) ? change(query) : query;

const leftOut = (text: string) => where(text, () => null);

/** The statements with another value for the parameter after a text. */
const shifted = (text: string, by: number): Rewrite =>
  where(text, ({ sql, values }) => {
    const place = sql.slice(0, sql.indexOf(text) + text.length).split('?').length - 1;
    return { sql, values: values.map((value, i) => (i === place && typeof value === 'number' ? value + by : value)) };
  });

/** By names in words. */
export const PLANTED: Readonly<Record<string, Planted>> = {
  'a claim without its condition': {
    sql: (query) => ({
      ...query,
      sql: query.sql.replaceAll('WHERE status = ? AND worker IS NOT ?', 'WHERE status <= ? + 3 AND worker IS NOT ?'),
    }),
  },
  'a lease by the clock of the worker': { sql: shifted('"lease_until_ms" = ', 10 * HOUR_MS) },
  'a lease without an end': { sql: leftOut('"expiries" = "movie_builds"."expiries" + 1') },
  'an acknowledgement before the write': { queues: { acknowledgesFirst: true } },
  'a retry that is forgotten': { queues: { forgetsRetries: true } },
  'a purge that is forgotten': { forgetsPurges: 'all' },
  'a purge that is not repeated': { forgetsPurges: 'repeated' },
  'a purge of one data centre': { purgesHere: true },
  'a start of a video that is not noted': {
    sql: where('update "video_shares" set "sent_bytes" = ?, "file_key" = ?', ({ values }) => ({
      sql: 'UPDATE video_shares SET lease = lease WHERE movie_id = ? AND lease = ?',
      values: values.slice(-2),
    })),
  },
  'a key without a member': { cacheKey: (key) => key.replace(/\bdate=[^&]*/, '') },
  'a key without the image': { cacheKey: (key) => key.replace(/\bid=\d+/, '') },
  'an id from a restored sequence': { restoresSequences: true },
  'a condition of a put that is ignored': { bucket: { ignoresConditions: true } },
  'a file that stays after its withdrawal': { bucket: { keeps: 'jp2/' } },
  'a record that stays after its withdrawal': { bucket: { keeps: 'facts/' } },
  'an index that stays after its withdrawal': { bucket: { keeps: 'idx/' } },
  'a heartbeat that is not written': { sql: leftOut('insert into "heartbeats"') },
  'a screenshot whose row goes at once': {
    sql: where('delete from "screenshots"', ({ sql }) => ({ sql: sql.replace(/ where .*/s, ''), values: [] })),
  },
  'a withdrawal that is not noted': { sql: leftOut('insert into "withdrawn_images"') },
  'a batch in parts': { splitsBatches: true },
  'a sweep of uploads under way': { sql: shifted('SELECT key FROM uploads WHERE touched_at_ms < ', 2 * HOUR_MS) },
  'a sweep that the clock forgets': { forgetsJob: 'sweepUploads' },
  'a cursor that moves before the delivery': {
    sql: where('update "webhooks" set "busy_until_ms" = ?', ({ sql, values }) => ({
      sql: sql.replace(
        'set "busy_until_ms" = ?',
        `set "busy_until_ms" = ?, "cursors" = json_set("cursors", '$.shards."10".announced', json_extract("cursors", '$.shards."10".seen'))`,
      ),
      values,
    })),
  },
  'a delivery that is forgotten': { forgetsJob: 'sendWebhooks' },
  'a move of a shard with uploads under way': { movesAtOnce: true },
  'a plan of the mirror that is not written': { sql: leftOut('INSERT INTO "mirror_files"') },
  'a limit that is no condition of the write': {
    sql: where('insert into "movies"', ({ sql, values }) => {
      const place = sql.indexOf('?, NULL)');
      const number = sql.slice(0, place).split('?').length;
      return { sql: sql.replace('?, NULL)', `?, ?${number})`), values };
    }),
  },
  'an upload that ends the record of a removal begun since': {
    sql: where('delete from "uploads" where ("uploads"."key" = ? and "uploads"."touched_at_ms" = ?)', ({ sql, values }) => ({
      sql: sql.replace(' and "uploads"."touched_at_ms" = ?', ''),
      values: values.slice(0, -1),
    })),
  },
  'a journal that is closed too early': {
    sql: where(
      'insert into "uploads" ("key", "file_name", "touched_at_ms", "sweeping", "purged") values (?, ?, ?, ?, ?) on conflict ("uploads"."key") do update',
      ({ values }) => ({
        sql: 'SELECT ? AS "key" FROM (SELECT 1)',
        values: values.slice(0, 1),
      }),
    ),
  },
};
