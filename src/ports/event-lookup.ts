// What the markers of a picture are made of.
import type { SolarEvent } from '../domain/events/solar-event.ts';
import type { EventSource } from '../domain/recipe/events/pins.ts';

/** How a source answered. */
export interface SourceState {
  readonly source: EventSource;
  /** `stale`: what it said some time ago; `failed`: it, or a part of it, is not in the answer. */
  readonly state: 'ok' | 'stale' | 'failed';
  /** Age of the oldest part, in seconds; of stale ones only. */
  readonly ageSeconds: number | null;
  /** Parts that are missing while others are there. */
  readonly missing: readonly string[];
  /** Records of the day that could not be used. */
  readonly skipped: number;
  /** Whether there are more records than are taken. */
  readonly isCut: boolean;
}

export interface EventAnswer {
  readonly events: readonly SolarEvent[];
  /** In the order in which the sources were asked for. */
  readonly states: readonly SourceState[];
}

/** How long somebody waits for sources. */
export interface Waiting {
  /** Milliseconds after which a source counts as failed. Unset: as long as the sources have. */
  readonly waitMs?: number;
  /** Keeps work going when its own request ends, so that a source that was late is there for the next one. */
  readonly keepGoing?: (work: Promise<unknown>) => void;
}

export interface EventLookup {
  /**
   * The events of these sources that go on at a time: start <= time <= end. Never throws: of a source that fails, what is known, or
   * nothing, and its state says so.
   */
  answer(atMs: number, sources: readonly EventSource[], waiting?: Waiting): Promise<EventAnswer>;
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
