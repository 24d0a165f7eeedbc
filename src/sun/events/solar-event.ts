// A solar event in the common form of all sources, as measured: not yet placed for an observer and a time.
import type { EventSource } from './event-types.ts';

/** A measured position: arcseconds as seen from the Earth, x to the west, y to the NORTH; or Stonyhurst coordinates in degrees. */
export type MeasuredPosition =
  | { readonly kind: 'helioprojective'; readonly x: number; readonly y: number; readonly atMs: number }
  | { readonly kind: 'stonyhurst'; readonly latitude: number; readonly longitude: number; readonly atMs: number };

export interface EventGroup {
  /** Recognition method of the HEK, model of a prediction, type of a DONKI event, or groups of WSA joined by `>>`. */
  readonly name: string;
  readonly contact: string;
  readonly url: string;
}

export interface EventView {
  readonly name: string;
  readonly content: Readonly<Record<string, unknown>>;
  readonly tabgroup?: number;
}

export interface SolarEvent {
  readonly source: EventSource;
  /** Pin of its category (`C3`), see findEventType. */
  readonly pin: string;
  /** Two-letter code of its own type (`CE`, `FL`). */
  readonly type: string;
  readonly group: EventGroup;
  readonly id: string;
  readonly version: string;
  /** Lines joined by \n; empty for none. */
  readonly label: string;
  readonly shortLabel: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly peakMs: number | null;
  readonly position: MeasuredPosition;
  /** Outlines in the coordinates of `position` at its time: x and y, or Stonyhurst longitude and latitude. */
  readonly outlines: readonly (readonly (readonly [x: number, y: number])[])[];
  readonly link: { readonly url: string; readonly text: string } | null;
  /** Made when they are asked for, because most events are never displayed. */
  readonly views: () => readonly EventView[];
  readonly raw: Readonly<Record<string, unknown>>;
}

/** How strong an event is among those of its type. */
export interface EventStrength {
  readonly value: number;
  /** Null for the complexity of a region, a number from 1 to 8. */
  readonly unit: 'W/m2' | 'km/s' | 'm' | null;
  /** As the source writes it: `X2.1`, `930 km/s`, `βγδ`. */
  readonly text: string;
}
