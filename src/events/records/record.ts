// Records of sources, which may be any JSON: limits, size, columns, and coordinates in text, of DONKI (heliographic) and of the HEK.
import { isJsonObject } from '../../platform/util/bytes.ts';
import type { Point, Ring } from '../../sun/coordinates/rings.ts';
import { parseEventDate } from '../../sun/time.ts';

export type RawRecord = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Limits of a record. The HEK has 186 columns and 30 000 bytes; DONKI has notes of 2000 characters, outlines of 20 000, seven levels. */
const BOUNDS = { keys: 400, items: 400, characters: 40_000, depth: 8, bytes: 100_000 } as const;

/** Bytes of an entry of an object or list, its text not counted. */
const ENTRY_BYTES = 40;

type Room = { bytes: number };

const entryBytes = (key: string, value: unknown): number =>
  ENTRY_BYTES + key.length + (typeof value === 'string' ? value.length : 0);

function fitting(entries: readonly [string, unknown][], depth: number, room: Room): [string, unknown][] {
  return entries.flatMap(([key, value]) => {
    const bytes = entryBytes(key, value);
    // Overlong text is dropped rather than cut, because half an outline is another shape.
    if (bytes > room.bytes || (typeof value === 'string' && value.length > BOUNDS.characters)) return [];
    room.bytes -= bytes;
    return [[key, boundedValue(value, depth - 1, room)]];
  });
}

function boundedValue(value: unknown, depth: number, room: Room): unknown {
  if (!isObject(value)) return value;
  if (depth === 0) return null;
  if (Array.isArray(value)) return fitting(Object.entries(value.slice(0, BOUNDS.items)), depth, room).map(([, item]) => item);
  return Object.fromEntries(fitting(Object.entries(value).slice(0, BOUNDS.keys), depth, room));
}

function memoryOf(value: unknown): number {
  if (!isObject(value)) return 0;
  return Object.entries(value).reduce((sum, [key, item]) => sum + entryBytes(key, item) + memoryOf(item), 0);
}

const EVENT_BYTES = 1_000;

export const eventMemory = ({ raw }: { readonly raw: object }): number => EVENT_BYTES + memoryOf(raw);

/** A copy of an object within the limits, without entries that are too deep, too long or too many; null for anything else. */
export const recordOf = (value: unknown): RawRecord | null =>
  isJsonObject(value) ? (boundedValue(value, BOUNDS.depth, { bytes: BOUNDS.bytes }) as RawRecord) : null;

/** The record without null columns, which are half of the 186 of the HEK. */
export const withoutNulls = (record: RawRecord): RawRecord =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));

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

export const dateOf = (record: RawRecord, key: string): number | null => parseEventDate(textOf(record, key));

/** A date between two instants; null for a missing or implausible one. */
export function dateWithin(record: RawRecord, key: string, fromMs: number, toMs: number): number | null {
  const atMs = dateOf(record, key);
  return atMs !== null && fromMs <= atMs && atMs <= toMs ? atMs : null;
}

/** The objects of a list; empty for other values. */
export const recordsIn = (value: unknown): readonly RawRecord[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);

export const recordsOf = (record: RawRecord, key: string): readonly RawRecord[] => recordsIn(record[key]);

/** An http address for a link; null for anything else, scripts in particular. */
export const addressOf = (text: string): string | null => (/^https?:\/\/[^\s"'<>]+$/i.test(text) ? text : null);

const LOCATION = /^\s*([NS])\s*(\d{1,2}(?:\.\d+)?)\s*([EW])\s*(\d{1,3}(?:\.\d+)?)\s*$/i;

/** Stonyhurst coordinates, degrees north and west. */
export type Location = { readonly latitude: number; readonly longitude: number };

/** The location, or null for missing values and values out of range. */
export function locationOf(latitude: number | null, longitude: number | null): Location | null {
  if (latitude === null || longitude === null) return null;
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude } : null;
}

/** Parses `N10E20`, `S07W101`, `n5 e3`; null for anything else. */
export function parseLocation(text: string): Location | null {
  const match = LOCATION.exec(text);
  if (!match) return null;
  const degrees = (digits: string, hemisphere: string, positive: string) =>
    hemisphere.toUpperCase() === positive ? Number(digits) : -Number(digits);
  return locationOf(degrees(match[2]!, match[1]!, 'N'), degrees(match[4]!, match[3]!, 'W'));
}

/** Rings per outline: the holes and islands of a coronal hole are rings of their own. */
const MAX_RINGS = 12;
/** Vertices per ring; SPoCA has several hundred. */
export const MAX_POINTS = 600;
const MIN_POINTS = 3;

/** Arcseconds beyond which a position is an error: 30 solar radii, the field of view of LASCO C3 and of the search in the HEK. */
export const FARTHEST_ARCSEC = 30_000;

function pointOf(text: string): Point | null {
  const [x, y, ...rest] = text.trim().split(/\s+/).map(Number);
  if (x === undefined || y === undefined || rest.length > 1) return null;
  return Math.abs(x) <= FARTHEST_ARCSEC && Math.abs(y) <= FARTHEST_ARCSEC ? [x, y] : null;
}

/** At most `most` vertices at regular steps, because a truncated ring would be another shape. */
export function thinned(ring: Ring, most = MAX_POINTS): Ring {
  const step = Math.ceil(ring.length / most);
  return step > 1 ? ring.filter((_, i) => i % step === 0) : ring;
}

/** Rings of a POLYGON or MULTIPOLYGON without closing and invalid vertices. Arcseconds, or degrees of longitude and latitude. */
export function parseOutlines(text: string, maxRings = MAX_RINGS): readonly Ring[] {
  if (!/^\s*(MULTI)?POLYGON/i.test(text)) return [];
  const rings = [...text.matchAll(/\(([^()]+)\)/g)].slice(0, maxRings).map(([, ring]) => {
    const points = ring!
      .split(',')
      .map(pointOf)
      .filter((point) => point !== null);
    const [first, last] = [points[0], points.at(-1)];
    const isClosed = points.length > 1 && first![0] === last![0] && first![1] === last![1];
    return thinned(isClosed ? points.slice(0, -1) : points);
  });
  return rings.filter((ring) => ring.length >= MIN_POINTS);
}
