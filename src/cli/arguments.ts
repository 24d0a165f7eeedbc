// Values of the arguments of commands.
import { readFile } from 'node:fs/promises';
import { MINUTE_MS } from '../platform/util/durations.ts';
import { parseWrittenDate } from '../sun/time.ts';

const DOWNLOAD_TIMEOUT_MS = MINUTE_MS;

/** The greatest `--parallel`: requests to the service at once. */
export const MAX_PARALLEL = 16;

export class ArgumentError extends Error {}

export const expected = (what: string, name: string, got: string | undefined): ArgumentError =>
  new ArgumentError(`Expected ${what} for --${name}, got ${got || 'nothing'}.`);

/** @throws ArgumentError for other text than a whole number from `min` to `max` */
export function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) throw expected(`a whole number from ${min} to ${max}`, name, text);
  return value;
}

/** Milliseconds since 1970. UTC unless the text states an offset. @throws ArgumentError for text that names no existing time */
export function instant(name: string, text: string): number {
  const ms = parseWrittenDate(text);
  if (ms === null) throw expected('a UTC date such as 2024-05-10T12:00:00Z', name, text);
  return ms;
}

/** The date of `instant` in ISO form. @throws ArgumentError */
export const isoInstant = (name: string, text: string): string => new Date(instant(name, text)).toISOString();

/** The source ids of `10,13`. @throws ArgumentError */
export function sourceIds(name: string, text: string): number[] {
  const items = text.split(',').map((item) => item.trim());
  if (!items.every((item) => /^\d+$/.test(item))) throw expected('source ids separated by commas', name, text);
  return items.map(Number);
}

/** The text of `FILE|URL`, which is UTF-8. @throws Error for one that cannot be loaded */
export async function textOf(from: string): Promise<string> {
  if (!/^https?:/.test(from)) return readFile(from, 'utf8');
  const response = await fetch(from, { signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS) });
  if (!response.ok) throw new Error(`${from} responded with status ${response.status}.`);
  return response.text();
}
