// Dates in text: parsed by the rules of each kind, printed, suggested. Instants are UTC milliseconds since 1970, with fractions.
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../platform/util/durations.ts';
import { badParameter, type Suggestion } from '../platform/util/errors.ts';

/** Patterns of a kind of text; the first that matches counts. Groups other than year, month and day may be absent. */
type DatePatterns = readonly RegExp[];

const DAY = '(?<year>\\d{4})[-/](?<month>\\d\\d)[-/](?<day>\\d\\d)';
const SECOND = ':(?<second>\\d\\d)(?:\\.(?<fraction>\\d*))?';
// A zone sign arrives as a blank where a client did not encode its `+`.
const TIME = `[T ]\\s*(?<hour>\\d\\d):(?<minute>\\d\\d)(?:${SECOND})?(?<zone>Z| ?UTC| ?GMT|[+\\- ]\\d\\d:?\\d\\d)?`;
/** `Fri, 10 May 2024 12:00:03 GMT`, as in headers of HTTP and in RSS. */
const HTTP_DATE = new RegExp(
  `^[a-z]{3}, (?<day>\\d\\d) (?<month>[a-z]{3}) (?<year>\\d{4}) (?<hour>\\d\\d):(?<minute>\\d\\d)${SECOND} (?<zone>GMT|[+\\-]\\d{4})$`,
  'i',
);

/** An instant in a request, in a header of a file and in a record of an event. */
const STATED: DatePatterns = [new RegExp(`^${DAY}${TIME}$`, 'i'), HTTP_DATE];
/** An instant, or a day for its start. */
const REQUEST: DatePatterns = [new RegExp(`^${DAY}(?:${TIME})?$`, 'i'), HTTP_DATE];

/** File names of the archive, `YYYYMMDDTHHMMSS`, IRIS, PUNCH. */
const FILE_NAME: DatePatterns = [
  /(?<year>\d{4})_(?<month>\d\d)_(?<day>\d\d)__(?<hour>\d\d)_(?<minute>\d\d)_(?<second>\d\d)(?:_(?<fraction>\d{2,3})(?=__|\.|$))?/,
  /(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)T(?<hour>\d\d)(?<minute>\d\d)(?<second>\d\d)(?<fraction>\d{0,3})/,
  /(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)_(?<hour>\d\d)(?<minute>\d\d)(?<second>\d\d)/,
  /(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)(?<hour>\d\d)(?<minute>\d\d)(?<second>\d\d)/,
];

const WRITTEN_YEAR = '(?<year>[1-9]\\d{3})';
const WRITTEN_TIME =
  '(?:[T ,_]+(?<hour>\\d{1,2}):?(?<minute>\\d{2})?(?::?(?<second>\\d{2})(?:\\.(?<fraction>\\d+))?)?)?' +
  '\\s*(?<zone>Z|UTC?|GMT|UT|[+-]\\d{2}:?\\d{2}|[+-]\\d{2})?$';

const WRITTEN: DatePatterns = [
  // `2024-05-10`, `2024/5/10 12:15`, `2024.05.10T12:15:03+02:00`
  `${WRITTEN_YEAR}(?<separator>[-/.])(?<month>\\d{1,2})\\k<separator>(?<day>\\d{1,2})`,
  // `20240510`, `20240510_121503`
  `${WRITTEN_YEAR}(?<month>\\d{2})(?<day>\\d{2})`,
  // `10 May 2024 12:15`, `10-May-2024`
  `(?<day>\\d{1,2})\\.?[ -](?<month>[a-z]{3,9})\\.?,?[ -]${WRITTEN_YEAR}`,
  // `May 10, 2024 12:15`
  `(?<month>[a-z]{3,9})\\.? (?<day>\\d{1,2}),? ${WRITTEN_YEAR}`,
].map((date) => new RegExp(`^${date}${WRITTEN_TIME}`, 'i'));

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** Largest offset from UTC in use, in minutes. */
const MAX_OFFSET_MINUTES = 14 * 60;

/** Start of a UTC day, or null for one that does not exist. */
export function dayMs(year: number, month: number, day: number): number | null {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : null;
}

export const dayStart = (ms: number): number => Math.floor(ms / DAY_MS) * DAY_MS;

/** From a number or an English name; 0 for other words. */
const monthNumber = (text: string): number => Number(text) || MONTHS.indexOf(text.slice(0, 3).toLowerCase()) + 1;

/** Minutes east of UTC of `+02:00`, `-0230` or `+02`, 0 for a name of UTC, null for an offset that no zone has. */
function offsetMinutes(zone: string | undefined): number | null {
  const match = /^([+\- ])(\d\d):?(\d\d)?$/.exec(zone ?? '');
  if (!match) return 0;
  const [hours, minutes] = [Number(match[2]), Number(match[3] ?? 0)];
  const offset = hours * 60 + minutes;
  if (minutes >= 60 || offset > MAX_OFFSET_MINUTES) return null;
  return match[1] === '-' ? -offset : offset;
}

/**
 * Milliseconds after midnight of a time of day; null for none. Second 60 is the start of the next minute, 24:00:00 the end of the day.
 * @param fraction Digits, of which those beyond microseconds are dropped
 */
export function clockMs(hour: number, minute: number, second: number, fraction = ''): number | null {
  const fractionMs = Number(fraction.slice(0, 6).padEnd(6, '0')) / 1000;
  const ms = hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS + fractionMs;
  return hour > 24 || minute > 59 || second > 60 || (hour === 24 && ms > DAY_MS) ? null : ms;
}

/** Null for text without a date of the kind, and for a day, time or zone that does not exist or is no date (`isDate`). */
function parseDate(text: string, patterns: DatePatterns): number | null {
  const groups = patterns.map((pattern) => pattern.exec(text)?.groups).find((found) => found !== undefined);
  if (!groups) return null;
  const [hour, minute, second] = [groups.hour, groups.minute, groups.second].map((digits = '0') => Number(digits));
  const midnightMs = dayMs(Number(groups.year), monthNumber(groups.month!), Number(groups.day));
  const [clock, offset] = [clockMs(hour!, minute!, second!, groups.fraction), offsetMinutes(groups.zone)];
  if (midnightMs === null || clock === null || offset === null) return null;
  const atMs = midnightMs + clock - offset * MINUTE_MS;
  return isDate(atMs) ? atMs : null;
}

/** Unix times of dates, in seconds: from 1980 until the first ten digits that may also be `YYYYMMDDHH`, which is in 2032. */
const UNIX_SECONDS = { from: Date.UTC(1980) / 1000, to: 1_980_010_100 };

/** A Unix time in seconds or milliseconds, as milliseconds; null for other text. */
function unixTime(text: string): number | null {
  if (!/^\d{9,13}(\.\d+)?$/.test(text)) return null;
  const value = Number(text);
  const seconds = value >= UNIX_SECONDS.from * 1000 ? value / 1000 : value;
  return seconds >= UNIX_SECONDS.from && seconds < UNIX_SECONDS.to ? seconds * 1000 : null;
}

/**
 * Parses a date parameter: `YYYY-MM-DDTHH:MM:SS[.ffffff]Z`, and every form in which a response states a time: `/` for `-`, a blank
 * for `T`, no seconds, no zone, an offset such as `+02:00` for `Z`, a day alone, which is its start, the form of HTTP, and Unix
 * times. A time without a zone is UTC, as in responses. Letters in any case. Null for other text. Headers state instants by the same rules.
 */
export const parseRequestDate = (text: string): number | null => parseDate(text, REQUEST) ?? unixTime(text);

/** Parses a time as people write it, UTC unless it states an offset, in whole milliseconds. */
export function parseWrittenDate(text: string): number | null {
  const atMs = parseDate(text.trim().replace(/\s+/g, ' '), WRITTEN);
  return atMs === null ? null : Math.floor(atMs);
}

/** Parses a FITS date, completed by `clock` (`HH:MM:SS.f`) when it has no time of day. Null without a complete instant. */
export function parseHeaderDate(text: string, clock?: string): number | null {
  const date = text.trim();
  return parseDate(clock === undefined || /[T ]/i.test(date) ? date : `${date}T${clock.trim()}`, STATED);
}

/** Parses an instant of an event source, UTC unless it states an offset. */
export const parseEventDate = (text: string): number | null => parseDate(text.trim(), STATED);

/** The instant in the name of an archive file, or null. A fraction of two digits is in hundredths. */
export const fileNameTime = (fileName: string): number | null => parseDate(fileName, FILE_NAME);

/** The instants that dates with years of four digits can state. */
export const DATE_RANGE_MS = { min: Date.parse('0000-01-01T00:00:00Z'), max: Date.parse('9999-12-31T23:59:59.999Z') } as const;

/** Whether an instant has a year of four digits. */
export const isDate = (ms: number): boolean => ms >= DATE_RANGE_MS.min && ms <= DATE_RANGE_MS.max;

/** Start of the observation: DATE-OBS or DATE_OBS, with TIME-OBS or TIME_OBS where it is a date alone (old SOHO headers); else null. */
export function observationTime(header: ReadonlyMap<string, string>): number | null {
  const dates = [header.get('DATE-OBS'), header.get('DATE_OBS')].filter((text) => text !== undefined);
  const clocks = [undefined, header.get('TIME-OBS'), header.get('TIME_OBS')];
  const instants = clocks.flatMap((clock) => dates.map((date) => parseHeaderDate(date, clock)));
  return instants.find((instant) => instant !== null) ?? null;
}

/** Offset of the last microsecond of a second. */
const LAST_OF_SECOND_MS = 999.999;

/** Inclusive end of a range that ends at `ms`: a whole second includes its fractions, because times are shown without them. */
export const throughSecond = (ms: number): number => (ms % 1000 === 0 ? ms + LAST_OF_SECOND_MS : ms);

/** `YYYY-MM-DDTHH:MM:SS`, rounded down. */
export const isoSeconds = (ms: number): string => new Date(Math.floor(ms / 1000) * 1000).toISOString().slice(0, 19);

/** `YYYY-MM-DD`: the UTC day. */
export const isoDay = (ms: number): string => isoSeconds(ms).slice(0, 10);

/** `YYYY-MM-DD HH:MM:SS`, rounded down. */
export const formatDateTime = (ms: number): string => isoSeconds(ms).replace('T', ' ');

/** `YYYYMMDD_HHMMSS`, rounded down, for names of files. */
export const fileStamp = (ms: number): string => isoSeconds(ms).replace(/[-:]/g, '').replace('T', '_');

/** `YYYY-MM-DDTHH:MM:SSZ`, rounded down. */
export const formatIso = (ms: number): string => `${isoSeconds(ms)}Z`;

/** `YYYY-MM-DDTHH:MM:SS.mmmZ`, with six decimals for an instant that has microseconds. */
export function formatExact(ms: number): string {
  const microseconds = Math.round(ms * 1000);
  const seconds = Math.floor(microseconds / 1e6);
  const fraction = String(microseconds - seconds * 1e6).padStart(6, '0');
  return `${isoSeconds(seconds * 1000)}.${fraction.endsWith('000') ? fraction.slice(0, 3) : fraction}Z`;
}

/** `['2021', '06', '01']`: the UTC day, as in archive directories. */
export const dayParts = (ms: number) => isoDay(ms).split('-') as [year: string, month: string, day: string];

/** The date that a text probably means, as `YYYY-MM-DDTHH:MM:SSZ`: compact or single digits, an English month, blanks; else undefined. */
export function suggestedDate(text: string): string | undefined {
  const trimmed = text.trim();
  const atMs = parseRequestDate(trimmed) ?? parseWrittenDate(trimmed);
  return atMs === null ? undefined : formatIso(atMs);
}

type Names = readonly [start: string, end: string];

/** The suggestion for a range that ends before it starts: its start is probably its end. `printed`: a time as the client writes it. */
export const swappedTimes = (startMs: number, endMs: number, names: Names, printed = formatIso): Suggestion | undefined =>
  startMs > endMs ? { value: printed(startMs), gloss: `${names.join(' and ')} swapped` } : undefined;

/** @throws Failure (bad-parameter) for a range whose end is in a second before that of its start; an unset time is in order */
export function checkOrder(startMs: number | undefined, endMs: number | undefined, names: Names, printed = formatIso): void {
  if (startMs === undefined || endMs === undefined || Math.floor(startMs / 1000) <= Math.floor(endMs / 1000)) return;
  throw badParameter(names[1], `a time after ${names[0]}`, printed(endMs), swappedTimes(startMs, endMs, names, printed));
}

/** Times of a cadence in a range, its beginning included. */
export const cadenceCount = ({ startMs, endMs }: { startMs: number; endMs: number }, cadenceSeconds: number): number =>
  Math.floor((endMs - startMs) / (cadenceSeconds * 1000)) + 1;
