// Dates of requests. Instants are milliseconds since 1970, UTC, with microseconds as a fraction.
import type { Suggestion } from './errors.ts';
import { formatIso, instantOf } from './time.ts';

/** A zone sign arrives as a blank where a client did not encode its `+`. */
const REQUEST_DATE = /^(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d*))?)?(?:Z|([+\- ])(\d\d):?(\d\d))$/i;

/** Largest offset from UTC in use, in minutes. */
const MAX_OFFSET_MINUTES = 14 * 60;

function offsetMinutes(sign: string | undefined, hours: string | undefined, minutes: string | undefined): number | null {
  if (sign === undefined) return 0;
  const [whole, rest] = [Number(hours), Number(minutes)];
  const offset = whole * 60 + rest;
  if (rest >= 60 || offset > MAX_OFFSET_MINUTES) return null;
  return sign === '-' ? -offset : offset;
}

/**
 * Parses a date parameter: `YYYY-MM-DDTHH:MM:SS[.ffffff]Z`, and the forms that can mean nothing else: `/` for `-`, a blank for
 * `T`, no seconds, or an offset such as `+02:00` for `Z`. Letters in any case; digits of a fraction beyond the sixth are dropped.
 * Null for other text, for days that do not exist, and for times without a zone, which may be local times.
 */
export function parseRequestDate(text: string): number | null {
  const match = REQUEST_DATE.exec(text);
  if (!match) return null;
  const offset = offsetMinutes(match[8], match[9], match[10]);
  const instant = instantOf(match);
  return offset === null || instant === null ? null : instant - offset * 60_000;
}

/** Range of a number that is taken for a Unix time: from 1980 to 2100. */
const UNIX_SECONDS = { from: Date.UTC(1980) / 1000, to: Date.UTC(2100) / 1000 };

function unixTime(text: string): number | null {
  if (!/^\d{9,13}(\.\d+)?$/.test(text)) return null;
  const value = Number(text);
  const seconds = value >= UNIX_SECONDS.from * 1000 ? value / 1000 : value;
  return seconds >= UNIX_SECONDS.from && seconds <= UNIX_SECONDS.to ? seconds * 1000 : null;
}

const DAY = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ]+(\d{1,2})(?::(\d{1,2})(?::(\d{1,2}))?)?)? *Z?$/i;
const COMPACT = /^(\d{4})(\d\d)(\d\d)(?:[T_ ]?(\d\d)(\d\d)(?:(\d\d))?)?Z?$/i;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** `10 May 2024` and `May 10, 2024`, with or without a time of day. */
const NAMED_MONTH =
  /^(?:(\d{1,2})[ -]([a-z]{3,9})|([a-z]{3,9}) (\d{1,2})),?[ -](\d{4})(?:[ ,]+(\d{1,2}):(\d\d)(?::(\d\d))?)?(?: *Z| UTC)?$/i;

/** `YYYY-MM-DDTHH:MM:SSZ` of digits without leading zeros, when they name an instant. */
function isoOf(year: string, month: string, day: string, clock: readonly (string | undefined)[]): string | undefined {
  const two = (digits: string | undefined) => (digits ?? '').padStart(2, '0');
  const iso = `${year}-${two(month)}-${two(day)}T${clock.map(two).join(':')}Z`;
  return parseRequestDate(iso) === null ? undefined : iso;
}

function namedMonth(text: string): string | undefined {
  const match = NAMED_MONTH.exec(text);
  if (!match) return undefined;
  const [, dayFirst, monthAfter, monthFirst, dayAfter, year, ...clock] = match;
  const month = MONTHS.indexOf((monthAfter ?? monthFirst)!.slice(0, 3).toLowerCase()) + 1;
  return month === 0 ? undefined : isoOf(year!, String(month), (dayFirst ?? dayAfter)!, clock);
}

/**
 * The date that a text in another form probably means, as `YYYY-MM-DDTHH:MM:SSZ`: a time without a zone, a day alone, compact
 * digits, a month's English name, or a Unix time in seconds or milliseconds. Undefined for anything else.
 */
export function suggestedDate(text: string): string | undefined {
  const trimmed = text.trim();
  const unix = unixTime(trimmed);
  if (unix !== null) return formatIso(unix);
  const complete = parseRequestDate(trimmed) ?? parseRequestDate(`${trimmed}Z`);
  if (complete !== null) return formatIso(complete);
  const match = DAY.exec(trimmed) ?? COMPACT.exec(trimmed);
  if (match) return isoOf(match[1]!, match[2]!, match[3]!, match.slice(4, 7));
  return namedMonth(trimmed);
}

/** The suggestion for a range that ends before it starts: its start is probably its end. */
export function swappedTimes(startMs: number, endMs: number, names: readonly [string, string]): Suggestion | undefined {
  return startMs > endMs ? { value: formatIso(startMs), gloss: `${names.join(' and ')} swapped` } : undefined;
}
