// The gate of a file compares its inverted pixels with the statistics of its header, which are those of the values (docs/measure.md).

import type { Candidate, Gate, LawRefusal, LawStatus, LossyLevels, Recognised } from './candidates.ts';
import type { Census } from './census.ts';
import { type ByteLaw, byteOf, censoringOf, centreOf, intervalOf, valuedCounts, widthOf } from './law.ts';
import type { Disc } from './law-header.ts';

/** Changes with the rules that recognise and confirm laws, so that verdicts of older ones are not read. */
export const LAWS_VERSION = 1;

/** A figure of the header and that of the inverted pixels. */
interface GateFigure {
  readonly gate: 'median' | 'mean' | 'scale' | 'zero' | 'marker';
  readonly stated: number;
  readonly found: number;
}

/** The law of a file whose gate has passed; plain data, as it is stored. */
export interface ConfirmedLaw {
  readonly law: ByteLaw;
  readonly status: LawStatus;
  /** Null for a lossless file. */
  readonly lossy: LossyLevels | null;
  readonly disc: Disc | null;
  readonly caveats: readonly string[];
  readonly figures: readonly GateFigure[];
}

export type Verdict = { readonly confirmed: ConfirmedLaw } | { readonly refusal: LawRefusal };

/** Levels in place of the values of images without a law: a byte is its own value, within half a level. */
export const LEVELS: ConfirmedLaw = {
  law: {
    name: 'levels',
    unit: 'level',
    transfer: { kind: 'linear' },
    grid: { kind: 'rounded' },
    lo: 0,
    hi: 255,
    noDataByte: null,
    belowByte: null,
    aboveByte: null,
    least: null,
    greatest: null,
  },
  status: 'exact',
  lossy: null,
  disc: null,
  caveats: [
    'Levels of the images as they are stored, from 0 to 255, and not physical values. They tell what is brighter only among images of the same scaling.',
  ],
  figures: [],
};

/** Facts of a law in responses; none of levels, which have no law. */
export const statedLaw = (
  { law, status }: Pick<ConfirmedLaw, 'status'> & { readonly law: Pick<ByteLaw, 'name'> },
  isRaw: boolean,
) => (isRaw ? { law: null, status: null } : { law: law.name, status });

/** Relative tolerance of medians, means and scales. */
const TOLERANCE = 0.01;
/** Share of bytes at the upper end above which a mean only bounds the scale. */
const CLIPPED_SHARE = 0.001;
const ZERO_LEVELS = 2;
const BYTES = 256;
/** Bytes of the pair of pixels that forces the ends of a scale, after compression. */
const MARKER = { lowest: 20, above: 200 };

interface Outcome {
  readonly figure: GateFigure;
  readonly passes: boolean;
}

const sum = (counts: ArrayLike<number>) => Array.from(counts).reduce((total, count) => total + count, 0);

/** The byte at a rank, counted from 0 in ascending order; null beyond the last. */
function byteAtRank(counts: ArrayLike<number>, rank: number): number | null {
  let seen = 0;
  for (let byte = 0; byte < BYTES; byte++) {
    seen += counts[byte]!;
    if (rank < seen) return byte;
  }
  return null;
}

function medianGate(law: ByteLaw, { counts }: Census, gate: Gate & { kind: 'median' }): Outcome {
  const { stated, pixels, halfCount } = gate;
  const own = valuedCounts(law, counts);
  const present = sum(own);
  const total = pixels ?? present;
  // Pixels of the statistics that the image does not show are darker than all others: the ring around the disc.
  const byte = byteAtRank(own, total / 2 - (total - present));
  const found = byte === null ? Number.NaN : centreOf(law, byte);
  const tolerance = byte === null ? 0 : Math.max(widthOf(law, byte), halfCount) + TOLERANCE * Math.abs(stated);
  const isBeyond = byte !== null && censoringOf(law, byte) !== null && byteOf(law, stated) === byte;
  return { figure: { gate: 'median', stated, found }, passes: isBeyond || Math.abs(stated - found) <= tolerance };
}

/** Values of the bytes between the ends, and what the bytes at the ends can add to the mean. */
function meanGate(law: ByteLaw, { counts }: Census, { stated }: Gate & { kind: 'mean' }): Outcome {
  const total = sum(counts);
  const share = (byte: number) => counts[byte]! / total;
  let within = 0;
  for (let byte = 1; byte < BYTES - 1; byte++) within += centreOf(law, byte) * share(byte);
  const [top, bottom] = [intervalOf(law, BYTES - 1), intervalOf(law, 0)];
  const edgeOfTop = intervalOf(law, BYTES - 2).upper ?? law.hi;
  const least = share(0) * Math.min(law.least ?? 0, 0) + share(BYTES - 1) * edgeOfTop;
  const greatest = share(0) * (bottom.upper ?? law.lo) + share(BYTES - 1) * (top.upper ?? edgeOfTop);
  const rest = stated - within;
  const tolerance = TOLERANCE * Math.abs(stated);
  const found = within + share(0) * centreOf(law, 0) + share(BYTES - 1) * edgeOfTop;
  return { figure: { gate: 'mean', stated, found }, passes: rest >= least - tolerance && rest <= greatest + tolerance };
}

function scaleGate(law: ByteLaw, { counts }: Census, { statedMean }: Gate & { kind: 'scale' }): Outcome {
  const total = sum(counts);
  let mean = 0;
  for (let byte = 0; byte < BYTES; byte++) mean += (centreOf(law, byte) * counts[byte]!) / total;
  const found = (law.hi * statedMean) / mean;
  const isClipped = counts[BYTES - 1]! / total > CLIPPED_SHARE;
  const deviation = found / law.hi - 1;
  return {
    figure: { gate: 'scale', stated: law.hi, found },
    passes: deviation <= TOLERANCE && (isClipped || deviation >= -TOLERANCE),
  };
}

function zeroGate(law: ByteLaw, { inner }: Census): Outcome {
  const own = valuedCounts(law, inner);
  const byte = byteAtRank(own, sum(own) / 2);
  const found = byte === null ? Number.NaN : centreOf(law, byte);
  return {
    figure: { gate: 'zero', stated: 0, found },
    passes: byte !== null && Math.abs(found) <= ZERO_LEVELS * widthOf(law, byte),
  };
}

/** The law without the marker, where the file does not have it: the top is then that of the image. */
function markedLaw(
  { law, gates }: Candidate,
  { corner }: Census,
): { readonly law: ByteLaw; readonly figures: readonly GateFigure[] } {
  const marker = gates.find((gate) => gate.kind === 'marker');
  if (!marker) return { law, figures: [] };
  const isMarked = corner.lowest <= MARKER.lowest && corner.above >= MARKER.above;
  const figures = [{ gate: 'marker', stated: BYTES - 1, found: corner.above } as const];
  return { law: isMarked ? law : { ...law, hi: marker.topWithout ?? law.hi }, figures };
}

function outcomeOf(law: ByteLaw, census: Census, gate: Gate): Outcome | null {
  if (gate.kind === 'median') return medianGate(law, census, gate);
  if (gate.kind === 'mean') return meanGate(law, census, gate);
  if (gate.kind === 'scale') return scaleGate(law, census, gate);
  return gate.kind === 'zero' ? zeroGate(law, census) : null;
}

const shown = (value: number) => (Number.isFinite(value) ? String(Number(value.toPrecision(4))) : 'none');

/** The law of a file: the first of those that its header names whose gates pass. */
export function confirm(recognised: Recognised, census: Census, isLossless: boolean): Verdict {
  if ('refusal' in recognised) return recognised;
  let failed: GateFigure | undefined;
  for (const candidate of recognised.candidates) {
    const { law, figures } = markedLaw(candidate, census);
    const outcomes = candidate.gates.flatMap((gate) => outcomeOf(law, census, gate) ?? []);
    const failure = outcomes.find(({ passes }) => !passes);
    if (!failure) {
      const { status, lossy, disc, caveats } = candidate;
      const all = [...figures, ...outcomes.map(({ figure }) => figure)];
      return { confirmed: { law, status, lossy: isLossless ? null : lossy, disc, caveats, figures: all } };
    }
    failed ??= failure.figure;
  }
  const { gate, stated, found } = failed!;
  const sentence = `The ${gate} of the inverted pixels is ${shown(found)}, but ${shown(stated)} by the header, so the law is not confirmed for this file.`;
  return { refusal: { reason: 'gate', sentence } };
}
