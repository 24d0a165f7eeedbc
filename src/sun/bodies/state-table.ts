import { DAY_MS, HOUR_MS } from '../../platform/util/durations.ts';
import { firstPassing } from '../../platform/util/search.ts';
import { ASTRONOMICAL_UNIT_M } from '../geometry.ts';
import type { Orbit } from './orbit.ts';
import { length, type Vector } from './vector.ts';

export const KM_PER_AU = ASTRONOMICAL_UNIT_M / 1000;
const KM_PER_S = KM_PER_AU / (DAY_MS / 1000);

/** Numbers of a row: milliseconds since 1970 UTC, position in au, velocity in au per day. */
const ROW = 7;
const ROW_BYTES = ROW * Float64Array.BYTES_PER_ELEMENT;
/** Longest time that light takes from a spacecraft to an observer, each up to 1.2 au from the Sun, rounded up. */
const LIGHT_MS = HOUR_MS / 2;
/** Margin of the speed between the rows of a table, where the orbit may be faster than in both. */
const SPEED_MARGIN = 1.1;

export interface State {
  readonly atMs: number;
  /** Heliocentric, equator and equinox of J2000 (ICRF); au. */
  readonly position: Vector;
  readonly velocity: Vector;
}

/** States of a spacecraft in the order of time, two at least. */
export type StateTable = ReturnType<typeof tableOfRows>;

function tableOfRows(rows: Float64Array) {
  const count = rows.length / ROW;
  const [firstMs, lastMs] = [rows[0]!, rows[rows.length - ROW]!];

  function state(index: number): State {
    const [atMs, x, y, z, vx, vy, vz] = rows.subarray(index * ROW, (index + 1) * ROW);
    return { atMs: atMs!, position: [x!, y!, z!], velocity: [vx!, vy!, vz!] };
  }

  /** The state at a time, by cubic Hermite interpolation; null before the first row and after the last. */
  function stateAt(atMs: number): State | null {
    if (!(atMs >= firstMs && atMs <= lastMs)) return null;
    const before = firstPassing(count - 2, (i) => rows[(i + 1) * ROW]! > atMs);
    return interpolated(state(before), state(before + 1), atMs);
  }

  return {
    ...{ count, firstMs, lastMs, state },

    /** The rows as 64-bit floating point numbers, little-endian. */
    bytes: () => new Uint8Array(rows.buffer.slice(0)),

    /** The orbit through all rows. It covers the time from the first row to the last. */
    orbit(): Orbit {
      let fastest = 0;
      for (let i = 0; i < count; i++) fastest = Math.max(fastest, length(state(i).velocity));
      return {
        positionAt: (atMs) => stateAt(atMs)?.position ?? null,
        speedAt: (atMs) => {
          const at = stateAt(atMs);
          return at && length(at.velocity) * KM_PER_S;
        },
        maxSpeed: fastest * SPEED_MARGIN,
        firstMs: firstMs + LIGHT_MS,
        lastMs,
      };
    },
  };
}

/** @param states Ascending in time */
export function tableOf(states: readonly State[]): StateTable {
  const rows = states.flatMap(({ atMs, position, velocity }) => [atMs, ...position, ...velocity]);
  return tableOfRows(Float64Array.from(rows));
}

/** Reads what `bytes` writes. Null for bytes that are no table. */
export function tableFrom(bytes: Uint8Array): StateTable | null {
  if (bytes.length < 2 * ROW_BYTES || bytes.length % ROW_BYTES !== 0) return null;
  const rows = new Float64Array(bytes.slice().buffer);
  if (!rows.every(Number.isFinite)) return null;
  for (let i = ROW; i < rows.length; i += ROW) if (rows[i]! <= rows[i - ROW]!) return null;
  return tableOfRows(rows);
}

/** The state between two others: the cubic polynomial of time that has their positions and velocities. */
export function interpolated(from: State, to: State, atMs: number): State {
  const days = (to.atMs - from.atMs) / DAY_MS;
  const t = (atMs - from.atMs) / (to.atMs - from.atMs);
  const [t2, t3] = [t * t, t * t * t];
  const position = (i: 0 | 1 | 2) =>
    (2 * t3 - 3 * t2 + 1) * from.position[i] +
    (t3 - 2 * t2 + t) * days * from.velocity[i] +
    (3 * t2 - 2 * t3) * to.position[i] +
    (t3 - t2) * days * to.velocity[i];
  const velocity = (i: 0 | 1 | 2) =>
    ((6 * t2 - 6 * t) * (from.position[i] - to.position[i])) / days +
    (3 * t2 - 4 * t + 1) * from.velocity[i] +
    (3 * t2 - 2 * t) * to.velocity[i];
  return { atMs, position: [position(0), position(1), position(2)], velocity: [velocity(0), velocity(1), velocity(2)] };
}
