// Records as sources give them: any JSON, of which nothing is taken for granted.
import { parseHeaderDate } from '../time.ts';
import { bounded } from './record-bounds.ts';

export type RawRecord = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** An object of an answer, cut to bounds; null for anything else. */
export function recordOf(value: unknown): RawRecord | null {
  return isObject(value) && !Array.isArray(value) ? (bounded(value) as RawRecord) : null;
}

/** Text or a number as text, without blanks around it and halves of characters; empty when there is none. */
export function textOf(record: RawRecord, key: string): string {
  const value = record[key];
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : '';
  return typeof value === 'string' ? value.trim().toWellFormed() : '';
}

/** A number, or text that is one; null when there is none. */
export function numberOf(record: RawRecord, key: string): number | null {
  const text = textOf(record, key);
  const value = text === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : null;
}

/** `2024-05-10T12:00[:00[.0]][Z]`, UTC, in milliseconds; null for anything else. */
export function parseEventDate(text: string): number | null {
  const whole = text.trim().replace(/([T ]\d\d:\d\d)(Z?)$/i, '$1:00$2');
  return parseHeaderDate(whole);
}

export function dateOf(record: RawRecord, key: string): number | null {
  return parseEventDate(textOf(record, key));
}

/** A date between two instants; null where there is none, and for one that cannot be meant. */
export function dateWithin(record: RawRecord, key: string, fromMs: number, toMs: number): number | null {
  const atMs = dateOf(record, key);
  return atMs !== null && fromMs <= atMs && atMs <= toMs ? atMs : null;
}

/** The objects of a list; empty when it is none. */
export function recordsOf(record: RawRecord, key: string): readonly RawRecord[] {
  const value = record[key];
  return Array.isArray(value) ? value.filter((item): item is RawRecord => isObject(item) && !Array.isArray(item)) : [];
}

/** An address that a link may have; null for anything else, scripts above all. */
export function addressOf(text: string): string | null {
  return /^https?:\/\/[^\s"'<>]+$/i.test(text) ? text : null;
}
