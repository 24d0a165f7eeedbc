// An event of the Sun as every source gives it, before it is placed for an observer and a time.
import type { EventSource } from '../recipe/events/pins.ts';

/** Where something is: as seen from the Earth in arcseconds, x to the west, y to the NORTH; or on the Sun in degrees. */
export type EventPlace =
  | { readonly kind: 'helioprojective'; readonly x: number; readonly y: number; readonly atMs: number }
  | { readonly kind: 'stonyhurst'; readonly latitude: number; readonly longitude: number; readonly atMs: number };

export interface EventGroup {
  /** FRM of HEK, model of a prediction, kind of DONKI event. */
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
  /** Pin of its category (`C3`), which findEventType knows. */
  readonly pin: string;
  /** Two letters of its own type (`CE`, `FL`). */
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
  readonly place: EventPlace;
  /** Outlines in arcseconds as seen from the Earth at `place.atMs`, x west, y NORTH; none for sources without. */
  readonly outlines: readonly (readonly (readonly [x: number, y: number])[])[];
  readonly link: { readonly url: string; readonly text: string } | null;
  readonly views: readonly EventView[];
  /** The record as the source gave it. */
  readonly raw: Readonly<Record<string, unknown>>;
}
