// Recognises from the header of an image which recipe wrote its bytes: by the program and setup that the header names, never by the
// datasource, because one datasource has files of several recipes. Recipes: jp2gen, fits2img and kcor-pipeline (docs/measure.md).
import { numberIn } from '../geometry.ts';
import type { ByteLaw } from './law.ts';

/** The parts of an XML header that name a recipe. */
export interface LawHeader {
  /** FITS keywords and notes of the producer, in upper case. */
  readonly keywords: ReadonlyMap<string, string>;
  /** All texts of HV_COMMENT, which can appear twice. */
  readonly comment: string;
  /** Whether any HV_QUICKLOOK says TRUE. */
  readonly isQuicklook: boolean;
}

/** Why there are no values. */
export type RefusalReason =
  /** Nothing in the header names a known recipe. */
  | 'unknown-recipe'
  /** Several recipes have the same label. */
  | 'ambiguous-recipe'
  /** The bytes are a ratio to a background that no file records. */
  | 'ratio'
  /** The scale is that of the image itself and is not recorded. */
  | 'own-scale'
  /** A keyword that the law needs is missing or impossible. */
  | 'missing-statistics'
  /** The statistics of the header contradict the law. */
  | 'gate';

export interface LawRefusal {
  readonly reason: RefusalReason;
  /** Sentence for the user. */
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

/** Circle in FITS pixels outside of which there is no data. */
export interface Disc {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

/** A law that the header names, before its gates. */
export interface Candidate {
  readonly law: ByteLaw;
  readonly status: LawStatus;
  readonly gates: readonly Gate[];
  /** Of lossy files. */
  readonly lossy: LossyLevels;
  readonly disc: Disc | null;
  /** Sentences on what the values are not. */
  readonly caveats: readonly string[];
}

/** Laws in the order in which their gates are tried. */
export type Recognised = { readonly candidates: readonly Candidate[] } | { readonly refusal: LawRefusal };

export const refuse = (reason: RefusalReason, sentence: string): { readonly refusal: LawRefusal } => ({
  refusal: { reason, sentence },
});

/** Sentence on a keyword that a law needs. */
export const missing = (keyword: string, what: string) =>
  refuse('missing-statistics', `The header has no ${keyword} ${what}, which the law of this image needs.`);

/** A law that truncates, with open ends. */
export function truncatedLaw(law: Pick<ByteLaw, 'name' | 'unit' | 'transfer' | 'lo' | 'hi'> & Partial<ByteLaw>): ByteLaw {
  return { grid: { kind: 'truncated' }, noDataByte: null, belowByte: 0, aboveByte: 255, least: null, greatest: null, ...law };
}

export const LINEAR = { kind: 'linear' } as const;
export const LOG = { kind: 'log' } as const;
export const root = (exponent: number, offset = 0) => ({ kind: 'root', exponent, offset, scale: 1, ofRoot: false }) as const;
export const SQUARE_ROOT = root(0.5);

/** 95 % of the error of one pixel and of an area, in levels, simulated at 0.5 bit a pixel; half of the channels have the figures of a similar one. */
export const LOSSY = {
  bright: { pixel: 5, area: 1.3 },
  medium: { pixel: 7, area: 0.8 },
  faint: { pixel: 24, area: 6.6 },
  magnetogram: { pixel: 7, area: 1.5 },
  /** Of 512 and 1024 pixels, from the change that the last quality layer makes. */
  small: { pixel: 8, area: 1.5 },
} as const satisfies Readonly<Record<string, LossyLevels>>;

export const NOT_CORRECTED = 'The loss of sensitivity since launch is not corrected, and stray light is not removed.';

/** A positive number, or null. */
export function positive(header: LawHeader, keyword: string): number | null {
  const value = numberIn(header.keywords, keyword);
  return value !== null && value > 0 ? value : null;
}

/** A number that stands for an unknown value where it is 0. */
export function nonZero(header: LawHeader, keyword: string): number | null {
  const value = numberIn(header.keywords, keyword);
  return value === 0 ? null : value;
}

const WRITTEN = /\bat \w{3} (\w{3}) +(\d{1,2}) (\d{2}):(\d{2}):(\d{2}) (\d{4})/;
const CREATED = /Creation Time\s*:\s*(\d{4}-\d{2}-\d{2}T[\d:.]+)Z?/;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** When the file was written, by its comment, in ms since 1970; null where it does not tell. */
export function writtenAtMs({ comment }: LawHeader): number | null {
  const [, month, day, hours, minutes, seconds, year] = WRITTEN.exec(comment) ?? [];
  if (month !== undefined) {
    return Date.UTC(Number(year), MONTHS.indexOf(month), Number(day), Number(hours), Number(minutes), Number(seconds));
  }
  const created = CREATED.exec(comment)?.[1];
  const ms = created === undefined ? Number.NaN : Date.parse(`${created}Z`);
  return Number.isNaN(ms) ? null : ms;
}

/** The setup that a file of jp2gen names, with its version, such as `hvs_version5.pro` and `5.0`. */
export function setupOf({ keywords, comment }: LawHeader): { readonly name: string; readonly version: string } {
  const [, named = '', numbered = ''] = /\b(hvs_\w+)\.pro \(version ([\d.]+?)\.?\)/.exec(comment) ?? [];
  const name = keywords.get('HV_HVS_DETAILS_FILENAME')?.replace(/\.pro$/, '') ?? named;
  return { name, version: keywords.get('HV_HVS_DETAILS_FILENAME_VERSION') ?? numbered };
}

/** The disc around the Sun's centre by RSUN_OBS; null without it. */
export function discOf(header: LawHeader): Disc | null {
  const [radius, scale] = [positive(header, 'RSUN_OBS'), positive(header, 'CDELT1')];
  const [x, y] = [numberIn(header.keywords, 'CRPIX1'), numberIn(header.keywords, 'CRPIX2')];
  return radius === null || scale === null || x === null || y === null ? null : { x, y, radius: radius / scale };
}
