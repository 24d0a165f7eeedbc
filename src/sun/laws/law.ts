// The law of an image: the values that each byte stands for. Byte scalings truncate (IDL) or round (fits2img), which sets its edges. A header
// names its scaling by program and setup, never by the datasource, which has files of several (docs/measure.md): candidates to be confirmed, or
// the reason why there are none.
import { numberIn } from '../geometry.ts';
import type { Circle } from '../image.ts';
import { parseRequestDate, parseWrittenDate } from '../time.ts';

/** From values to the scaled quantity x, which grows linearly with the position t between the ends of the bytes. */
export type Transfer =
  /** x = v. */
  | { readonly kind: 'linear' }
  /** x = log v. */
  | { readonly kind: 'log' }
  /** x = ((v - offset) / scale) ^ exponent: 1/2 is the square root, 1/2.2 a gamma. `lo` and `hi` are of x if `ofRoot`, else of v. */
  | {
      readonly kind: 'root';
      readonly exponent: number;
      readonly offset: number;
      readonly scale: number;
      readonly ofRoot: boolean;
    };

export const LINEAR = { kind: 'linear' } as const;
export const LOG = { kind: 'log' } as const;
export const root = (exponent: number, offset = 0) => ({ kind: 'root', exponent, offset, scale: 1, ofRoot: false }) as const;
export const SQUARE_ROOT = root(0.5);

/** From positions to bytes. */
type Grid =
  /** b = floor(255.9999 t). */
  | { readonly kind: 'truncated' }
  /** b = round(255 t). */
  | { readonly kind: 'rounded' }
  /** s = floor(255.9999 t), then b = floor(1 + 254 (s - s0) / (s1 - s0)): MDI. */
  | { readonly kind: 'stretched'; readonly s0: number; readonly s1: number };

export interface ByteLaw {
  /** Recipe, channel and version, such as `AIA v5 171`. */
  readonly name: string;
  /** Unit of the values, per pixel of the image. */
  readonly unit: string;
  readonly transfer: Transfer;
  readonly grid: Grid;
  /** Values, or scaled quantities, at t = 0 and t = 1. */
  readonly lo: number;
  readonly hi: number;
  /** Byte that stands for "no data"; null without one. */
  readonly noDataByte: number | null;
  /** Byte of all values below its upper edge, and of all above its lower one; null where the end is that of the image itself. */
  readonly belowByte: number | null;
  readonly aboveByte: number | null;
  /** Least and greatest value of the image by its header, which close the intervals of the end bytes; null where it does not tell. */
  readonly least: number | null;
  readonly greatest: number | null;
}

/** A law that truncates, with open ends, unless other members are given. */
export function truncatedLaw(law: Pick<ByteLaw, 'name' | 'unit' | 'transfer' | 'lo' | 'hi'> & Partial<ByteLaw>): ByteLaw {
  return { grid: { kind: 'truncated' }, noDataByte: null, belowByte: 0, aboveByte: 255, least: null, greatest: null, ...law };
}

/** Levels of an IDL byte scaling, BYTSCL. */
export const TRUNCATED_LEVELS = 255.9999;
const ROUNDED_LEVELS = 255;
const BYTES = 256;

const clamp = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);

/** The value at a position between the ends, from 0 to 1. */
export function valueAt({ transfer, lo, hi }: ByteLaw, t: number): number {
  if (transfer.kind === 'linear') return lo + (hi - lo) * t;
  if (transfer.kind === 'log') return lo * (hi / lo) ** t;
  const { exponent, offset, scale, ofRoot } = transfer;
  const rooted = (v: number) => (ofRoot ? v : Math.max(0, (v - offset) / scale) ** exponent);
  const x = rooted(lo) + (rooted(hi) - rooted(lo)) * t;
  return offset + scale * Math.max(0, x) ** (1 / exponent);
}

/** The value at a place among the bytes: b reaches from b to b + 1. `side` of an edge wider than a point: -1 lower, 1 upper, 0 middle. */
function edge(law: ByteLaw, place: number, side: -1 | 0 | 1): number {
  const at = clamp(place, 0, BYTES);
  if (law.grid.kind === 'truncated') return valueAt(law, at / TRUNCATED_LEVELS);
  if (law.grid.kind === 'rounded') return valueAt(law, clamp((at - 0.5) / ROUNDED_LEVELS, 0, 1));
  const { s0, s1 } = law.grid;
  // The level of the first byte scaling of MDI, and half the width of an edge in such levels.
  return valueAt(law, (s0 + ((at - 1) * (s1 - s0)) / (BYTES - 2) + 0.5 + side / 2) / TRUNCATED_LEVELS);
}

/** The value between byte `byte` and the one below it. */
export const edgeOf = (law: ByteLaw, byte: number): number => edge(law, byte, 0);

export const centreOf = (law: ByteLaw, byte: number): number => edge(law, byte + 0.5, 0);

/** An interval of values; null for an open end. */
export interface Interval {
  readonly lower: number | null;
  readonly upper: number | null;
}

/** The interval of a byte that may be off by `levels`. */
export function intervalOf(law: ByteLaw, byte: number, levels = 0): Interval {
  const [from, to] = [byte - levels, byte + 1 + levels];
  const isOpenBelow = law.belowByte !== null && from < law.belowByte + 1;
  const isOpenAbove = law.aboveByte !== null && to > law.aboveByte;
  const lower = isOpenBelow ? law.least : edge(law, Math.max(from, law.belowByte ?? 0), -1);
  const upper = isOpenAbove ? law.greatest : edge(law, to, 1);
  const centre = centreOf(law, byte);
  return {
    lower: lower === null ? null : Math.min(lower, centre),
    upper: upper === null ? null : Math.max(upper, centre),
  };
}

export type Censoring = 'below' | 'above';

/** Whether a byte is an end of the scale, and the value lies beyond its edge. */
export function censoringOf(law: ByteLaw, byte: number): Censoring | null {
  if (byte === law.belowByte) return 'below';
  return byte === law.aboveByte ? 'above' : null;
}

/** The value that a byte is reported with: its centre; the edge beyond which it lies, where it is censored. */
export function reportedValue(law: ByteLaw, byte: number): number {
  const censoring = censoringOf(law, byte);
  if (censoring === null) return centreOf(law, byte);
  return censoring === 'below' ? edge(law, byte + 1, 1) : edge(law, byte, -1);
}

export const widthOf = (law: ByteLaw, byte: number): number => Math.abs(edge(law, byte + 1, 1) - edge(law, byte, -1));

/** The byte that a law gives a value: for comparisons of statistics in headers. */
export function byteOf(law: ByteLaw, value: number): number {
  let low = 0;
  for (let step = BYTES / 2; step >= 1; step /= 2) if (edge(law, low + step, 0) <= value) low += step;
  return low;
}

/** The byte at a rank, counted from 0 in ascending order; null beyond the last. */
export function byteAtRank(counts: ArrayLike<number>, rank: number): number | null {
  let seen = 0;
  for (let byte = 0; byte < BYTES; byte++) {
    seen += counts[byte]!;
    if (rank < seen) return byte;
  }
  return null;
}

/** The counts of the bytes that stand for values. */
export function valuedCounts({ noDataByte }: Pick<ByteLaw, 'noDataByte'>, counts: ArrayLike<number>): number[] {
  return Array.from(counts, (count, byte) => (byte === noDataByte ? 0 : count));
}

/**
 * The values at the edges of all bytes of a law, and linearly between them. Places among the bytes, from b to b + 1 for byte b, have 16 bits:
 * means lie between bytes.
 */
export class LawScale {
  readonly #edges: Float64Array;
  /** Half the width of a byte, if all have the same but the first and the last, which are half as wide; else 0. */
  readonly halfLevel: number;

  constructor(law: ByteLaw) {
    this.#edges = Float64Array.from({ length: BYTES + 1 }, (_, byte) => edgeOf(law, byte));
    const isEven = law.transfer.kind === 'linear' && law.grid.kind === 'rounded';
    this.halfLevel = isEven ? (this.#edges[2]! - this.#edges[1]!) / 2 : 0;
  }

  /** The value at a place from 0 to 256. Without a destructured array, which takes a microsecond in workerd: light curves of a year call it millions of times. */
  valueAt(place: number): number {
    const at = Math.min(Math.max(place, 0), BYTES);
    const byte = Math.min(BYTES - 1, Math.floor(at));
    const low = this.#edges[byte]!;
    return low + (this.#edges[byte + 1]! - low) * (at - byte);
  }

  /** The place of a value; the nearer end for one beyond the scale. */
  placeOf(value: number): number {
    let low = 0;
    for (let step = BYTES / 2; step >= 1; step /= 2) if (this.#edges[low + step]! <= value) low += step;
    const [from, to] = [this.#edges[low]!, this.#edges[low + 1]!];
    return to > from ? Math.min(low + 1, Math.max(low, low + (value - from) / (to - from))) : low;
  }
}

/** The parts of an XML header that name its scaling to bytes. */
export interface LawHeader {
  /** FITS keywords and notes of the producer, in upper case. */
  readonly keywords: ReadonlyMap<string, string>;
  /** All texts of HV_COMMENT, which can appear twice. */
  readonly comment: string;
  /** Whether any HV_QUICKLOOK says TRUE. */
  readonly isQuicklook: boolean;
}

export function positive(header: LawHeader, keyword: string): number | null {
  const value = numberIn(header.keywords, keyword);
  return value !== null && value > 0 ? value : null;
}

const WRITTEN = /\bat \w{3} (\w{3} +\d{1,2}) (\d{2}:\d{2}:\d{2}) (\d{4})/;
const CREATED = /Creation Time\s*:\s*(\d{4}-\d{2}-\d{2}T[\d:.]+)Z?/;

/** Time at which the file was written, by its comment, in ms since 1970; null where it does not tell. */
export function writtenAtMs({ comment }: LawHeader): number | null {
  const [, day, clock, year] = WRITTEN.exec(comment) ?? [];
  return day ? parseWrittenDate(`${day} ${year} ${clock}`) : parseRequestDate(CREATED.exec(comment)?.[1] ?? '');
}

/** The setup that a file of jp2gen names, with its version, such as `hvs_version5.pro` and `5.0`. */
export function setupOf({ keywords, comment }: LawHeader): { readonly name: string; readonly version: string } {
  const [, named = '', numbered = ''] = /\b(hvs_\w+)\.pro \(version ([\d.]+?)\.?\)/.exec(comment) ?? [];
  const name = keywords.get('HV_HVS_DETAILS_FILENAME')?.replace(/\.pro$/, '') ?? named;
  return { name, version: keywords.get('HV_HVS_DETAILS_FILENAME_VERSION') ?? numbered };
}

/** The disc around the Sun's centre by RSUN_OBS in FITS pixels; null without it. */
export function discOf(header: LawHeader): Circle | null {
  const [radius, scale] = [positive(header, 'RSUN_OBS'), positive(header, 'CDELT1')];
  const [x, y] = [numberIn(header.keywords, 'CRPIX1'), numberIn(header.keywords, 'CRPIX2')];
  return radius === null || scale === null || x === null || y === null ? null : { x, y, radius: radius / scale };
}

/** Least and greatest value of an image, by its header; null where it does not tell. */
type Extremes = Pick<ByteLaw, 'least' | 'greatest'>;

/** DATAMIN and DATAMAX over the exposure, which stand for an unknown value where they are 0. */
export function extremesOf({ keywords }: LawHeader, exposure: number): Extremes {
  const over = (keyword: string) => {
    const value = numberIn(keywords, keyword);
    return value === null || value === 0 ? null : value / exposure;
  };
  return { least: over('DATAMIN'), greatest: over('DATAMAX') };
}

/** The extremes as ends of intervals, which contain the scale from `lo` to `hi`. */
export function endsOf({ least, greatest }: Extremes, lo: number, hi: number): Extremes {
  return {
    least: least === null ? null : Math.min(least, lo),
    greatest: greatest === null ? null : Math.max(greatest, hi),
  };
}

/** Why there are no values. */
type RefusalReason =
  /** Nothing in the header names a known scaling. */
  | 'unknown-recipe'
  /** Several scalings have the same label. */
  | 'ambiguous-recipe'
  /** The bytes are a ratio to a background that no file records. */
  | 'ratio'
  /** The scale is that of the image itself and is not recorded. */
  | 'own-scale'
  /** A keyword that the law needs is missing or impossible. */
  | 'missing-statistics'
  /** The statistics of the header contradict the law. */
  | 'gate';

/** Refusal of an image whose geometry counts square pixels, which are not the samples of its file. */
export const NOT_SQUARE =
  'Places and values are measured in images with square pixels only. The coordinates of getImageHeader are right.';

export interface LawRefusal {
  readonly reason: RefusalReason;
  readonly sentence: string;
}

/** `exact`: law and constants are known and confirmed; `approximate`: with a free scale, a filter, or no file to confirm it. */
export type LawStatus = 'exact' | 'approximate';

/** A comparison of the inverted pixels with the header, which the law of a file must pass. Values are in the unit of the law. */
export type Gate =
  /** Median of `pixels`, of which those outside the image's data are below all others. `halfCount`: half of the unit of the header. */
  | { readonly kind: 'median'; readonly stated: number; readonly pixels: number | null; readonly halfCount: number }
  /** Mean of the whole frame. */
  | { readonly kind: 'mean'; readonly stated: number }
  /** Upper end of a gamma law from 0, solved from the mean. */
  | { readonly kind: 'scale'; readonly statedMean: number }
  /** Median of the inner disc near 0. */
  | { readonly kind: 'zero' }
  /** The two pixels at the lower left that force the ends of the scale; without them the top is that of the image. */
  | { readonly kind: 'marker'; readonly topWithout: number | null };

/** Error of JPEG 2000 in levels that 95 % of the pixels stay below: of one pixel, and of the mean of 64 and more. */
export interface LossyLevels {
  readonly pixel: number;
  readonly area: number;
}

/** A law that the header names, before its gates. */
export interface Candidate {
  readonly law: ByteLaw;
  readonly status: LawStatus;
  readonly gates: readonly Gate[];
  /** Errors of lossy files. */
  readonly lossy: LossyLevels;
  /** In FITS pixels, outside of which there is no data. */
  readonly disc: Circle | null;
  /** Sentences on what the values are not. */
  readonly caveats: readonly string[];
}

/** Laws in the order in which their gates are tried. */
export type Recognised = { readonly candidates: readonly Candidate[] } | { readonly refusal: LawRefusal };

export const refuse = (reason: RefusalReason, sentence: string): { readonly refusal: LawRefusal } => ({
  refusal: { reason, sentence },
});

export const missing = (keyword: string, what: string) =>
  refuse('missing-statistics', `The header has no ${keyword} ${what}, which the law of this image needs.`);

/** 95 % of the error of one pixel and of an area, in levels, simulated at 0.5 bit a pixel; half of the channels have the figures of a similar one. */
export const LOSSY = {
  bright: { pixel: 5, area: 1.3 },
  medium: { pixel: 7, area: 0.8 },
  faint: { pixel: 24, area: 6.6 },
  magnetogram: { pixel: 7, area: 1.5 },
  /** Images of 512 and 1024 pixels, from the change that the last quality layer makes. */
  small: { pixel: 8, area: 1.5 },
} as const satisfies Readonly<Record<string, LossyLevels>>;

export const NOT_CORRECTED = 'The loss of sensitivity since launch is not corrected, and stray light is not removed.';
