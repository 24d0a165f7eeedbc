// What the datasets of HAPI have in common.
import type { ImageIndex } from '../../archive/ports.ts';
import type { EventService } from '../../events/event-service.ts';
import type { XrayFlux } from '../../events/x-ray-flux.ts';
import type { GridCurves } from '../../measure/grids/grid-curves.ts';
import type { LightCurves } from '../../measure/light-curves.ts';
import type { RenderCall } from '../../platform/admission/admission.ts';
import { DAY_MS, SECOND_MS } from '../../platform/util/durations.ts';
import { dayStart } from '../../sun/time.ts';
import type { HapiParameter, HapiRecord } from './parameters.ts';

/** A range of time, `stopMs` excluded. */
export interface HapiRange {
  readonly startMs: number;
  readonly stopMs: number;
}

export interface HapiDataset {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly parameters: readonly HapiParameter[];
  /** Place of the time of a record in its interval. */
  readonly timeStampLocation: 'begin' | 'other';
  /** ISO 8601 duration between records, where there is one. */
  readonly cadence?: string;
  /** ISO 8601 duration of the longest request, where one is known. */
  readonly maxRequestDuration?: string;
  /** Prints times. Unset: with microseconds. */
  readonly print?: (ms: number) => string;
  /** The time of the records; null for a dataset without any. */
  extent(): Promise<HapiRange | null>;
  /** A range with records, where the last day of the extent may have none; null where none is known. */
  sample?(): Promise<HapiRange | null>;
  /** Records of a range, or more, or its days; at most one more than `most`. */
  count(range: HapiRange): Promise<number>;
  /** The most records of a response, or its days. */
  readonly most: number;
  /** Name of the counted things. Unset: records. */
  readonly counted?: 'days';
  pages(range: HapiRange): AsyncGenerator<readonly HapiRecord[], unknown>;
}

export interface HapiPorts {
  readonly index: ImageIndex;
  readonly events: Pick<EventService, 'counting' | 'eventsBetween'>;
  readonly xrayFlux: Pick<XrayFlux, 'between'>;
  readonly lightCurves: Pick<LightCurves, 'open'>;
  readonly gridCurves: Pick<GridCurves, 'sourcesWithGrids'>;
  /** The request, to which measurements are charged. */
  readonly call: RenderCall;
  /** Public origin of the service, for addresses. */
  readonly origin: string;
  readonly clock: () => number;
}

export const scalar = (name: string, type: 'integer' | 'double', units: string | null, description: string): HapiParameter => ({
  ...{ name, type, units, fill: null, description },
});

export const fileAddress = (name: string, length: number, description: string): HapiParameter => ({
  ...{ name, type: 'string', length, units: null, fill: null, description, stringType: { uri: { mediaType: 'image/jp2' } } },
});

/** The smallest difference of two times of images. */
export const MICROSECOND_MS = 0.001;
/** Half of it: times are compared as they are shown. */
export const ROUNDING_MS = MICROSECOND_MS / 2;
export const contains = ({ startMs, stopMs }: HapiRange, atMs: number): boolean =>
  atMs >= startMs - ROUNDING_MS && atMs < stopMs - ROUNDING_MS;

/** The number of days of which a range has a part. */
export const daysOf = ({ startMs, stopMs }: HapiRange): number =>
  (dayStart(stopMs - MICROSECOND_MS) - dayStart(startMs)) / DAY_MS + 1;

/** The days that begin in a range. */
export const daysIn = ({ startMs, stopMs }: HapiRange) => ({
  firstMs: dayStart(startMs + DAY_MS - MICROSECOND_MS),
  lastMs: dayStart(stopMs - MICROSECOND_MS),
});

const EVER = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER } as const;

/** The time of the images of a datasource; null without any. */
export async function imageExtent(index: ImageIndex, sourceId: number): Promise<HapiRange | null> {
  const { first, last } = await index.ends(sourceId, EVER.from, EVER.to);
  // To the next whole second, because clients compare times by seconds or milliseconds, and `stopMs` is after the last image.
  return first && last ? { startMs: first.takenAtMs, stopMs: (Math.floor(last.takenAtMs / SECOND_MS) + 1) * SECOND_MS } : null;
}
