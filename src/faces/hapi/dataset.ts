// What the datasets of HAPI 3.2 have in common: their times, parameters and statuses (https://github.com/hapi-server/data-specification).

import type { ImageIndex } from '../../archive/image-index/d1-image-index.ts';
import type { EventService } from '../../events/event-service.ts';
import type { XrayFlux } from '../../events/x-ray-flux.ts';
import type { GridCurves } from '../../measure/grids/grid-curves.ts';
import type { LightCurves } from '../../measure/light-curves.ts';
import type { RenderCall } from '../../platform/admission/admission.ts';
import { DAY_MS, SECOND_MS } from '../../platform/util/durations.ts';
import { Failure } from '../../platform/util/errors.ts';
import { clockMs, dayMs, dayStart } from '../../sun/time.ts';

const DAY = /^(\d{4})(?:-(?:(\d{3})|(\d\d)(?:-(\d\d))?))?$/;
const CLOCK = /^(\d\d)(?::(\d\d)(?::(\d\d)(?:\.(\d+))?)?)?$/;

/** Start of `2024-05-10`, `2024-131`, `2024-05` or `2024`; null for other text and for days that do not exist. */
function dayOf(text: string): number | null {
  const [, year, ofYear, month = '01', day = '01'] = DAY.exec(text) ?? [];
  if (year === undefined) return null;
  if (ofYear === undefined) return dayMs(Number(year), Number(month), Number(day));
  const start = dayMs(Number(year), 1, 1)!;
  const at = start + (Number(ofYear) - 1) * DAY_MS;
  return at >= start && at < dayMs(Number(year) + 1, 1, 1)! ? at : null;
}

/** Milliseconds after midnight, with microseconds as a fraction. */
function clockOf(text: string): number | null {
  const [, hour, minute = '0', second = '0', fraction] = CLOCK.exec(text) ?? [];
  return hour === undefined ? null : clockMs(Number(hour), Number(minute), Number(second), fraction);
}

/** Milliseconds since 1970; null for text in another form. A day is needed for a time of day. */
export function parseHapiTime(text: string): number | null {
  const [day = '', clock, ...rest] = text.replace(/Z$/, '').split('T');
  const startMs = dayOf(day);
  if (startMs === null || rest.length > 0) return null;
  if (clock === undefined) return startMs;
  const afterMs = /^\d{4}-(\d{3}|\d\d-\d\d)$/.test(day) ? clockOf(clock) : null;
  return afterMs === null ? null : startMs + afterMs;
}

const HAPI_TIME_LENGTH = 27;

/** `2024-05-10T12:00:03.250000Z`: always with microseconds, because the times of a dataset have one length. */
export function formatHapiTime(ms: number): string {
  const microseconds = Math.round(ms * 1000);
  const wholeMs = Math.floor(microseconds / 1000);
  return `${new Date(wholeMs).toISOString().slice(0, -1)}${String(microseconds - wholeMs * 1000).padStart(3, '0')}Z`;
}

const MESSAGES = {
  1200: 'OK',
  1201: 'OK - no data for time range',
  1400: 'HAPI error 1400: user input error',
  1401: 'HAPI error 1401: unknown API parameter name',
  1402: 'HAPI error 1402: syntax error in start time',
  1403: 'HAPI error 1403: syntax error in stop time',
  1404: 'HAPI error 1404: start equal to or after stop',
  1405: 'HAPI error 1405: start < startDate and/or stop > stopDate',
  1406: 'HAPI error 1406: unknown dataset id',
  1407: 'HAPI error 1407: unknown dataset parameter',
  1408: 'HAPI error 1408: too much time or data requested',
  1409: 'HAPI error 1409: unsupported output format',
  1410: 'HAPI error 1410: unsupported include value',
  1411: 'HAPI error 1411: out-of-order or duplicate parameters',
  1412: 'HAPI error 1412: unsupported resolve_references value',
  1413: 'HAPI error 1413: unsupported depth value',
} as const;

type HapiCode = keyof typeof MESSAGES;

export interface HapiStatus {
  readonly code: HapiCode;
  readonly message: string;
}

export const hapiStatus = (code: HapiCode, detail = ''): HapiStatus => ({
  code,
  message: detail === '' ? MESSAGES[code] : `${MESSAGES[code]}. ${detail}`,
});

/** A failure with a status of HAPI. `detail`: what to do, without values of the request. */
export class HapiFailure extends Failure {
  readonly status: HapiStatus;

  constructor(code: HapiCode, detail = '') {
    const status = hapiStatus(code, detail);
    super('bad-parameter', status.message);
    this.status = status;
  }
}

/** Drawing of a parameter in JHelioviewer: the scale of its axis and the range that it begins with, as of 5.10 also the rest. */
interface DrawnAs {
  readonly scale: 'linear' | 'logarithmic';
  readonly range: readonly [least: number, greatest: number];
  /** Unset: a line. */
  readonly plotType?: 'bar';
  /** Seconds. */
  readonly barWidth?: number;
  /** Colours of values. */
  readonly levels?: readonly { readonly range: readonly [number, number | 'infinity']; readonly color: string }[];
  readonly warningLevels?: readonly { readonly label: string; readonly value: number; readonly color: string }[];
  /** Groups of parameters that its user adds at once. */
  readonly predefined?: readonly { readonly name: string; readonly order: number }[];
}

/** Numbers of a UTC day. */
export const drawnCounts = (most: number): DrawnAs => ({
  ...{ scale: 'linear', range: [0, most], plotType: 'bar', barWidth: DAY_MS / SECOND_MS },
});

/** A parameter as `info` shows it (section 3.6.6). */
export interface HapiParameter {
  readonly name: string;
  readonly type: 'isotime' | 'double' | 'integer' | 'string';
  /** Bytes of a string or time. */
  readonly length?: number;
  readonly units: string | null;
  readonly fill: string | null;
  readonly description: string;
  readonly stringType?: { readonly uri: { readonly mediaType: string } };
  readonly jhvparams?: DrawnAs;
}

export const DRAWN_SHARE: DrawnAs = { scale: 'linear', range: [0, 1] };
/** X-ray flux in W/m2: below A1 to above X10. */
export const DRAWN_FLUX: DrawnAs = {
  scale: 'logarithmic',
  range: [1e-9, 1e-2],
  levels: [
    { range: [0, 1e-6], color: 'green' },
    { range: [1e-6, 1e-5], color: 'yellow' },
    { range: [1e-5, 1e-4], color: 'orange' },
    { range: [1e-4, 'infinity'], color: 'red' },
  ],
  warningLevels: [
    { label: 'B', value: 1e-7, color: 'gray' },
    { label: 'C', value: 1e-6, color: 'yellow' },
    { label: 'M', value: 1e-5, color: 'orange' },
    { label: 'X', value: 1e-4, color: 'red' },
  ],
  predefined: [{ name: 'Space weather', order: 1 }],
};

export const FILL_NUMBER = -1e31;
/** Stands for a text that is not known: the verifier of HAPI takes no empty ones. */
const FILL_TEXT = '-';

/** A number or a text of which a record may have none, by its fill value. */
export const numberParameter = (name: string, units: string | null, description: string): HapiParameter => ({
  ...{ name, type: 'double', units, fill: String(FILL_NUMBER), description },
});
export const textParameter = (name: string, length: number, description: string): HapiParameter => ({
  ...{ name, type: 'string', length, units: null, fill: FILL_TEXT, description },
});

/** The values of a record by the names of the parameters; times as text. */
export type HapiRecord = Readonly<Record<string, string | number>>;

export const TIME: HapiParameter = {
  name: 'time',
  type: 'isotime',
  length: HAPI_TIME_LENGTH,
  units: 'UTC',
  fill: null,
  description: 'Time of the record.',
};

/** Text in one line and at most so many bytes of UTF-8; the fill value for an empty one. */
export function fitted(value: string, bytes: number): string {
  if (value.trim() === '') return FILL_TEXT;
  const buffer = new Uint8Array(bytes);
  const { written } = new TextEncoder().encodeInto(value.replace(/\s+/g, ' ').trim(), buffer);
  return new TextDecoder().decode(buffer.subarray(0, written));
}

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
