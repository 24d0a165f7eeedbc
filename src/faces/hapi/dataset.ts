// What the datasets of HAPI 3.2 have in common: their times, parameters and statuses (https://github.com/hapi-server/data-specification).

import type { ImageIndex } from '../../archive/image-index/d1-image-index.ts';
import { listedTimes } from '../../archive/image-list.ts';
import { DAY_MS, SECOND_MS } from '../../platform/util/durations.ts';
import { Failure } from '../../platform/util/errors.ts';
import { clockMs, dayMs, dayStart, formatExact } from '../../sun/time.ts';

/** Year with the day of the year, or with month and day; of a day the time. */
const TIME =
  /^(\d{4})(?:-(?:(\d{3})|(\d\d)(?:-(\d\d))?))?(?:(?<=-\d{3}|-\d\d-\d\d)T(\d\d)(?::(\d\d)(?::(\d\d)(?:\.(\d+))?)?)?)?Z?$/;

/** Milliseconds since 1970 of `2024-05-10T12:00:03.25Z`, `2024-131T12Z`, `2024-05` or `2024`; null for other text, and for what does not exist. */
export function parseHapiTime(text: string): number | null {
  const [, year, ofYear, month = 1, day = 1, hour = 0, minute = 0, second = 0, fraction] = TIME.exec(text) ?? [];
  if (year === undefined) return null;
  const [firstMs, nextMs] = [dayMs(Number(year), 1, 1)!, dayMs(Number(year) + 1, 1, 1)!];
  const startMs =
    ofYear === undefined ? dayMs(Number(year), Number(month), Number(day)) : firstMs + (Number(ofYear) - 1) * DAY_MS;
  const afterMs = clockMs(Number(hour), Number(minute), Number(second), fraction);
  return startMs === null || afterMs === null || startMs < firstMs || startMs >= nextMs ? null : startMs + afterMs;
}

const HAPI_TIME_LENGTH = 27;

/** `2024-05-10T12:00:03.250000Z`: always with microseconds, because the times of a dataset have one length. */
export const formatHapiTime = (ms: number): string =>
  `${formatExact(ms)
    .slice(0, -1)
    .padEnd(HAPI_TIME_LENGTH - 1, '0')}Z`;

const MESSAGES = {
  1200: 'OK',
  1201: 'OK - no data for time range',
  1400: 'HAPI error 1400: user input error',
  1401: 'HAPI error 1401: unknown API parameter name',
  1402: 'HAPI error 1402: syntax error in start time',
  1403: 'HAPI error 1403: syntax error in stop time',
  1404: 'HAPI error 1404: start equal to or after stop',
  1405: 'HAPI error 1405: start < startDate and/or stop > stopDate',
  1406: 'HAPI error 1406: unknown dataset id',
  1407: 'HAPI error 1407: unknown dataset parameter',
  1408: 'HAPI error 1408: too much time or data requested',
  1409: 'HAPI error 1409: unsupported output format',
  1410: 'HAPI error 1410: unsupported include value',
  1411: 'HAPI error 1411: out-of-order or duplicate parameters',
  1412: 'HAPI error 1412: unsupported resolve_references value',
  1413: 'HAPI error 1413: unsupported depth value',
} as const;

export type HapiCode = keyof typeof MESSAGES;

export const hapiStatus = (code: HapiCode, detail = '') => ({
  code,
  message: detail === '' ? MESSAGES[code] : `${MESSAGES[code]}. ${detail}`,
});

/** A failure with a status of HAPI. `detail`: what to do, without values of the request. */
export class HapiFailure extends Failure {
  readonly status;

  constructor(...given: Parameters<typeof hapiStatus>) {
    const status = hapiStatus(...given);
    super('bad-parameter', status.message);
    this.status = status;
  }
}

/**
 * Drawing of a parameter in JHelioviewer: the scale of its axis and the range that it begins with. As of 5.10 also `plotType`, by default a
 * line, `barWidth` in seconds, colours of values, and `predefined`, the groups of parameters that its user adds at once.
 */
interface DrawnAs extends Readonly<Record<string, unknown>> {
  readonly scale: 'linear' | 'logarithmic';
  readonly range: readonly [least: number, greatest: number];
}

/** Numbers of a UTC day. */
export const drawnCounts = (most: number): DrawnAs => ({
  ...{ scale: 'linear', range: [0, most], plotType: 'bar', barWidth: DAY_MS / SECOND_MS },
});

/** A parameter as `info` shows it (section 3.6.6). */
export interface HapiParameter {
  readonly name: string;
  readonly type: 'isotime' | 'double' | 'integer' | 'string';
  /** Bytes of a string or time. */
  readonly length?: number | undefined;
  readonly units: string | null;
  readonly fill: string | null;
  readonly description: string;
  readonly stringType?: { readonly uri: { readonly mediaType: string } };
  readonly jhvparams?: DrawnAs | undefined;
}

export const DRAWN_SHARE: DrawnAs = { scale: 'linear', range: [0, 1] };
/** X-ray flux in W/m2: below A1 to above X10. */
export const DRAWN_FLUX: DrawnAs = {
  scale: 'logarithmic',
  range: [1e-9, 1e-2],
  levels: [
    { range: [0, 1e-6], color: 'green' },
    { range: [1e-6, 1e-5], color: 'yellow' },
    { range: [1e-5, 1e-4], color: 'orange' },
    { range: [1e-4, 'infinity'], color: 'red' },
  ],
  warningLevels: [
    { label: 'B', value: 1e-7, color: 'gray' },
    { label: 'C', value: 1e-6, color: 'yellow' },
    { label: 'M', value: 1e-5, color: 'orange' },
    { label: 'X', value: 1e-4, color: 'red' },
  ],
  predefined: [{ name: 'Space weather', order: 1 }],
};

/** Stands for a text that is not known: the verifier of HAPI takes no empty ones. */
const FILL_TEXT = '-';
const FILL_NUMBER = String(-1e31);

/** A parameter, and its value of an item, if it is known. */
export type Column<Item> = readonly [HapiParameter, (item: Item) => string | number | null | undefined];

/** A column without unknown values, unless `more` has a `fill` for them. */
export const column = <Item>(
  name: string,
  type: HapiParameter['type'],
  units: string | null,
  description: string,
  read: Column<Item>[1],
  { length, fill = null, ...more }: Partial<HapiParameter> = {},
): Column<Item> => [{ name, type, length, units, fill, description, ...more }, read];

/** A column of numbers that may be unknown. */
export const number = <Item>(
  name: string,
  units: string | null,
  description: string,
  read: Column<Item>[1],
  jhvparams?: DrawnAs,
): Column<Item> => column(name, 'double', units, description, read, { fill: FILL_NUMBER, jhvparams });

/** A column of texts in one line, at most so many bytes of UTF-8. */
export const text = <Item>(name: string, length: number, description: string, read: Column<Item>[1]): Column<Item> =>
  column(name, 'string', null, description, (item) => fitted(String(read(item) ?? ''), length), { length, fill: FILL_TEXT });

export const time = <Item>(
  name: string,
  description: string,
  read: (item: Item) => number | null,
  fill: string | null = null,
): Column<Item> => {
  const printed = (item: Item) => {
    const ms = read(item);
    return ms === null ? null : formatHapiTime(ms);
  };
  return column(name, 'isotime', 'UTC', description, printed, { length: HAPI_TIME_LENGTH, fill });
};

export const timeOfRecord = <Item>(read: (item: Item) => number): Column<Item> => time('time', 'Time of the record.', read);

export const fileAddress = <Item>(name: string, length: number, description: string, read: Column<Item>[1]): Column<Item> =>
  column(name, 'string', null, description, read, { length, stringType: { uri: { mediaType: 'image/jp2' } } });

/** The values of a record in the order of the parameters; times as text. */
export type HapiRow = readonly (string | number)[];

/** The row of an item, with the fill value for what is not known. */
export const rowOf = <Item>(columns: readonly Column<Item>[], item: Item): HapiRow =>
  columns.map(([{ length, fill }, read]) => read(item) ?? (length === undefined ? Number(fill) : fill!));

/** Text in one line and at most so many bytes of UTF-8; the fill value for an empty one. */
function fitted(value: string, bytes: number): string {
  if (value.trim() === '') return FILL_TEXT;
  const buffer = new Uint8Array(bytes);
  const { written } = new TextEncoder().encodeInto(value.replace(/\s+/g, ' ').trim(), buffer);
  return new TextDecoder().decode(buffer.subarray(0, written));
}

/** A range of time, `stopMs` excluded. */
export interface HapiRange {
  readonly startMs: number;
  readonly stopMs: number;
}

export interface HapiDataset {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly parameters: readonly HapiParameter[];
  /** ISO 8601 duration between records, where there is one. */
  readonly cadence?: string;
  /** ISO 8601 duration of the longest request, where one is known. */
  readonly maxRequestDuration?: string;
  /** Prints times in whole seconds. Unset: they have microseconds. */
  readonly print?: (ms: number) => string;
  /** The time of the records; null for a dataset without any. */
  extent(): Promise<HapiRange | null>;
  /** A range with records, where the last day of the extent may have none; null where none is known. */
  sample?(): Promise<HapiRange | null>;
  /** Records of a range, or more, or its days; at most one more than `most`. */
  count(range: HapiRange): Promise<number>;
  /** The most records of a response, or its days. */
  readonly most: number;
  /** Name of the counted things. Unset: records. */
  readonly counted?: 'days';
  /** Pages with records. */
  pages(range: HapiRange): AsyncGenerator<readonly HapiRow[], undefined>;
}

/** A dataset whose records are items in columns. */
export const datasetOf = <Item>({
  columns,
  pages,
  ...facts
}: Omit<HapiDataset, 'parameters' | 'pages'> & {
  readonly columns: readonly Column<Item>[];
  pages(range: HapiRange): AsyncGenerator<readonly Item[], unknown>;
}): HapiDataset => ({
  ...facts,
  parameters: columns.map(([parameter]) => parameter),
  async *pages(range): ReturnType<HapiDataset['pages']> {
    for await (const items of pages(range)) if (items.length > 0) yield items.map((item) => rowOf(columns, item));
  },
});

/** The smallest difference of two times of images. */
export const MICROSECOND_MS = 0.001;
/** Half of it: times are compared as they are shown. */
export const ROUNDING_MS = MICROSECOND_MS / 2;
export const contains = ({ startMs, stopMs }: HapiRange, atMs: number): boolean =>
  atMs >= startMs - ROUNDING_MS && atMs < stopMs - ROUNDING_MS;

/** The number of days of which a range has a part. */
export const daysOf = ({ startMs, stopMs }: HapiRange): number =>
  (dayStart(stopMs - MICROSECOND_MS) - dayStart(startMs)) / DAY_MS + 1;

/** The days that begin in a range. */
export const daysIn = ({ startMs, stopMs }: HapiRange) => ({
  firstMs: dayStart(startMs + DAY_MS - MICROSECOND_MS),
  lastMs: dayStart(stopMs - MICROSECOND_MS),
});

/** The time of the images of a datasource; null without any. */
export async function imageExtent(index: ImageIndex, sourceId: number): Promise<HapiRange | null> {
  const { afterMs, toMs } = listedTimes({});
  const { first, last } = await index.ends(sourceId, afterMs, toMs);
  // To the next whole second, because clients compare times by seconds or milliseconds, and `stopMs` is after the last image.
  return first && last ? { startMs: first.takenAtMs, stopMs: (Math.floor(last.takenAtMs / SECOND_MS) + 1) * SECOND_MS } : null;
}
