// Ports of solar events: feeds of the sources.
import type { EventSource } from '../sun/events/event-types.ts';
import type { SolarEvent } from '../sun/events/solar-event.ts';
import type { RawRecord } from './records/record.ts';

/** Records of a UTC day of a feed or of several, not yet parsed. */
export interface LoadedRecords {
  readonly records: readonly RawRecord[];
  /** Whether records were dropped because of a limit. */
  readonly isCut: boolean;
  /** Names of failed parts, such as models of the scoreboard. */
  readonly missing: readonly string[];
}

/** Waits for memory. @throws NoMemory without it in time */
export type Room = () => Promise<void>;

/** Records of UTC days of a source, which are read as items of one kind. */
export interface DayFeed<T> {
  /** Name in keys, logs and responses: lower-case letters and dashes. */
  readonly name: string;
  readonly source: string;
  /** Whether records come from the own database, so that they are not stored for all isolates, and may be imported again. */
  readonly isLocal?: true;
  /** Days after which the source drops its records, so that it is not asked for older ones. Unset: never. */
  readonly daysKept?: number;
  /**
   * The records of the UTC day, of events those that may be in progress during it; or of several days.
   * @param days The number of days, for counts: the records may then lack what `read` needs for more than their type, method and times
   * @param room Waits for memory when the source answers, before what it sends is read. Unset: there is enough
   * @throws Error of the source, or of `room`
   */
  load(dayMs: number, days?: number, room?: Room): Promise<LoadedRecords>;
  /** The item of a record, or null for an unusable one. */
  read(record: RawRecord): T | null;
}

/** One kind of query to a source of events. CCMC has three: CMEs, flares and predictions. */
export interface EventFeed extends DayFeed<SolarEvent> {
  readonly source: EventSource;
  /** The only pin of its events. Unset: all of its source. */
  readonly pin?: string;
}
