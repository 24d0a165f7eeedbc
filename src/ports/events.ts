// The roles of events: what a source gives for a day, and who keeps it.
import type { RawRecord } from '../domain/events/record.ts';
import type { RhessiFlare } from '../domain/events/rhessi.ts';
import type { SolarEvent } from '../domain/events/solar-event.ts';
import type { EventSource } from '../domain/recipe/events/pins.ts';

/** What a feed gave for a UTC day, before it is read. */
export interface LoadedRecords {
  readonly records: readonly RawRecord[];
  /** True when there are more than are taken. */
  readonly isCut: boolean;
  /** Names of the parts that did not answer, as the models of a scoreboard. */
  readonly missing: readonly string[];
}

/** One question to a source. CCMC has three: CMEs, flares, predictions. */
export interface EventFeed {
  /** Names it in keys and answers: small letters and dashes. */
  readonly name: string;
  readonly source: EventSource;
  /** Whether asking is dear, so that answers are kept beyond this isolate. */
  readonly isRemote: boolean;
  /** The records of events that may go on at some time of the UTC day. @throws when the source does not answer well */
  load(dayMs: number): Promise<LoadedRecords>;
  /** The event of a record, or null for one that cannot be used. */
  read(record: RawRecord): SolarEvent | null;
}

export interface KeptRecords extends LoadedRecords {
  readonly loadedAtMs: number;
}

/** Keeps the last good answer of every feed and UTC day. */
export interface EventDayStore {
  find(feed: string, dayMs: number): Promise<KeptRecords | null>;
  keep(feed: string, dayMs: number, records: KeptRecords): Promise<void>;
}

/** The flare list of RHESSI. */
export interface RhessiFlares {
  /** Adds flares; those with a known id are replaced. */
  add(flares: readonly RhessiFlare[]): Promise<void>;
  /** At most `limit` flares that go on between two instants, by start. */
  between(fromMs: number, toMs: number, limit: number): Promise<RhessiFlare[]>;
  count(): Promise<number>;
}
