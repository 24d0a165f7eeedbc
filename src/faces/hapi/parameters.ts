// Parameters of HAPI datasets: scalars, the first of which is the time of the record.
import { DAY_MS, SECOND_MS } from '../../platform/util/durations.ts';
import { HAPI_TIME_LENGTH } from './hapi-time.ts';
import { HapiFailure } from './status.ts';

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

/** Its member `jhvparams`: releases before 5.10 have the names in lower case. */
export const drawnMember = (drawn: DrawnAs): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(drawn).flatMap(([name, value]) => [name, name.toLowerCase()].map((key) => [key, value])));

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
export const FILL_TEXT = '-';

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

/** The parameters that a request names, with the time. @throws HapiFailure 1407 for an unknown name, 1411 for another order or duplicates */
export function chosenParameters(all: readonly HapiParameter[], names: string | undefined): readonly HapiParameter[] {
  if (names === undefined) return all;
  const indexes = names.split(',').map((name) => all.findIndex((parameter) => parameter.name === name));
  if (indexes.includes(-1)) throw new HapiFailure(1407, 'The names are in the info response.');
  if (indexes.some((index, i) => i > 0 && index <= indexes[i - 1]!)) throw new HapiFailure(1411);
  return all.filter((_, i) => i === 0 || indexes.includes(i));
}
