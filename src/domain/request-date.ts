// Dates of requests. Instants are milliseconds since 1970, UTC, with microseconds as a fraction.
import { MINUTE_MS } from '../util/durations.ts';
import { badParameter, type Suggestion } from './errors.ts';
import { formatIso, instantOf } from './time.ts';
import { parseWrittenDate } from './written-date.ts';

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
  return offset === null || instant === null ? null : instant - offset * MINUTE_MS;
}

/** Range of a number that is taken for a Unix time: from 1980 to 2100. */
const UNIX_SECONDS = { from: Date.UTC(1980) / 1000, to: Date.UTC(2100) / 1000 };

function unixTime(text: string): number | null {
  if (!/^\d{9,13}(\.\d+)?$/.test(text)) return null;
  const value = Number(text);
  const seconds = value >= UNIX_SECONDS.from * 1000 ? value / 1000 : value;
  return seconds >= UNIX_SECONDS.from && seconds <= UNIX_SECONDS.to ? seconds * 1000 : null;
}

/**
 * The date that a text in another form probably means, as `YYYY-MM-DDTHH:MM:SSZ`: a time without a zone, a day alone, compact
 * digits, a month's English name, or a Unix time in seconds or milliseconds. Undefined for anything else.
 */
export function suggestedDate(text: string): string | undefined {
  const trimmed = text.trim();
  const atMs = unixTime(trimmed) ?? parseRequestDate(trimmed) ?? parseWrittenDate(trimmed);
  return atMs === null ? undefined : formatIso(atMs);
}

type Names = readonly [start: string, end: string];

/** The suggestion for a range that ends before it starts: its start is probably its end. `printed`: a time as the client writes it. */
export function swappedTimes(startMs: number, endMs: number, names: Names, printed = formatIso): Suggestion | undefined {
  return startMs > endMs ? { value: printed(startMs), gloss: `${names.join(' and ')} swapped` } : undefined;
}

/** @throws Failure (bad-parameter) for a range whose end is in a second before that of its start; an unset time is in order */
export function checkOrder(startMs: number | undefined, endMs: number | undefined, names: Names, printed = formatIso): void {
  if (startMs === undefined || endMs === undefined || Math.floor(startMs / 1000) <= Math.floor(endMs / 1000)) return;
  throw badParameter(names[1], `a time after ${names[0]}`, printed(endMs), swappedTimes(startMs, endMs, names, printed));
}
