// What the marks of a picture are made of.
import type { SolarEvent } from '../domain/events/solar-event.ts';
import type { EventSource } from '../domain/recipe/events/pins.ts';

export interface EventLookup {
  /**
   * The events of these sources that go on at a time: start <= time <= end. Never throws: of a source that fails, what is known, or
   * nothing.
   */
  eventsAt(atMs: number, sources: readonly EventSource[]): Promise<readonly SolarEvent[]>;
}

/** A movie that somebody made public. */
export interface SharedVideo {
  /** Middle of what it shows: region coordinates, arcseconds, y DOWN, to the south. */
  readonly x: number;
  readonly y: number;
  /** Names of its layers. */
  readonly label: string;
}

export interface SharedVideoLookup {
  /** The movies that show a time. Never throws: nothing where they cannot be had. */
  videosAt(atMs: number): Promise<readonly SharedVideo[]>;
}
