// Access to records of sources, which may contain any JSON.
import { parseHeaderDate } from '../time.ts';
import { bounded } from './memory.ts';

export type RawRecord = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** An object, cut to the limits of a record; null for anything else. */
export function recordOf(value: unknown): RawRecord | null {
  return isObject(value) && !Array.isArray(value) ? (bounded(value) as RawRecord) : null;
}

/** A text or a number as trimmed, well-formed text; empty for other values. */
export function textOf(record: RawRecord, key: string): string {
  const value = record[key];
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : '';
  return typeof value === 'string' ? value.trim().toWellFormed() : '';
}

/** A number or numeric text; null for other values. */
export function numberOf(record: RawRecord, key: string): number | null {
  const text = textOf(record, key);
  const value = text === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : null;
}

/** Parses `2024-05-10T12:00[:00[.0]][Z]`, UTC, to milliseconds; null for anything else. */
export function parseEventDate(text: string): number | null {
  const whole = text.trim().replace(/([T ]\d\d:\d\d)(Z?)$/i, '$1:00$2');
  return parseHeaderDate(whole);
}

export function dateOf(record: RawRecord, key: string): number | null {
  return parseEventDate(textOf(record, key));
}

/** A date between two instants; null for a missing or implausible one. */
export function dateWithin(record: RawRecord, key: string, fromMs: number, toMs: number): number | null {
  const atMs = dateOf(record, key);
  return atMs !== null && fromMs <= atMs && atMs <= toMs ? atMs : null;
}

/** The objects of a list; empty for other values. */
export function recordsOf(record: RawRecord, key: string): readonly RawRecord[] {
  const value = record[key];
  return Array.isArray(value) ? value.filter((item): item is RawRecord => isObject(item) && !Array.isArray(item)) : [];
}

/** An http address for a link; null for anything else, scripts in particular. */
export function addressOf(text: string): string | null {
  return /^https?:\/\/[^\s"'<>]+$/i.test(text) ? text : null;
}
