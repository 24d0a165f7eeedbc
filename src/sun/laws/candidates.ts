// What a recognised header gives: laws to be confirmed, or the reason why there are none.
import type { ByteLaw } from './law.ts';
import type { Disc } from './law-header.ts';

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
  readonly disc: Disc | null;
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
