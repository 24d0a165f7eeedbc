// The gate of a file compares its inverted pixels with the statistics of its header, which are those of the values (docs/measure.md).
import { type Columns, columnsIn, columnsInDisc, type Shape } from '../coordinates/region.ts';
import type { Circle, ImageGeometry } from '../image.ts';
import type { ByteLaw, Candidate, Gate, LawRefusal, LossyLevels, Recognised } from './law.ts';
import { byteAtRank, byteOf, censoringOf, centreOf, intervalOf, LINEAR, truncatedLaw, valuedCounts, widthOf } from './law.ts';

/** Changes with the rules that recognise and confirm laws, so that verdicts of older ones are not read. */
export const LAWS_VERSION = 1;

/** A figure of the header and that of the inverted pixels. */
interface GateFigure {
  readonly gate: 'median' | 'mean' | 'scale' | 'zero' | 'marker';
  readonly stated: number;
  readonly found: number;
}

/** The law of a file whose gate has passed; plain data, as it is stored. */
export interface ConfirmedLaw extends Pick<Candidate, 'law' | 'status' | 'disc' | 'caveats'> {
  /** Null for a lossless file. */
  readonly lossy: LossyLevels | null;
  readonly figures: readonly GateFigure[];
}

export type Verdict = { readonly confirmed: ConfirmedLaw } | { readonly refusal: LawRefusal };

/** Levels in place of the values of images without a law: a byte is its own value, within half a level. */
export const LEVELS: ConfirmedLaw = {
  law: truncatedLaw({
    name: 'levels',
    unit: 'level',
    transfer: LINEAR,
    grid: { kind: 'rounded' },
    lo: 0,
    hi: 255,
    belowByte: null,
    aboveByte: null,
  }),
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

type Outcome = GateFigure & { readonly passes: boolean };

const sum = (counts: ArrayLike<number>) => Array.from(counts).reduce((total, count) => total + count, 0);

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
  return { gate: 'median', stated, found, passes: isBeyond || Math.abs(stated - found) <= tolerance };
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
  return { gate: 'mean', stated, found, passes: rest >= least - tolerance && rest <= greatest + tolerance };
}

function scaleGate(law: ByteLaw, { counts }: Census, { statedMean }: Gate & { kind: 'scale' }): Outcome {
  const total = sum(counts);
  let mean = 0;
  for (let byte = 0; byte < BYTES; byte++) mean += (centreOf(law, byte) * counts[byte]!) / total;
  const found = (law.hi * statedMean) / mean;
  const isClipped = counts[BYTES - 1]! / total > CLIPPED_SHARE;
  const deviation = found / law.hi - 1;
  const passes = deviation <= TOLERANCE && (isClipped || deviation >= -TOLERANCE);
  return { gate: 'scale', stated: law.hi, found, passes };
}

function zeroGate(law: ByteLaw, { inner }: Census): Outcome {
  const own = valuedCounts(law, inner);
  const byte = byteAtRank(own, sum(own) / 2);
  const found = byte === null ? Number.NaN : centreOf(law, byte);
  return { gate: 'zero', stated: 0, found, passes: byte !== null && Math.abs(found) <= ZERO_LEVELS * widthOf(law, byte) };
}

/** The law without the marker, where the file does not have it: the top is then that of the image. */
function markedLaw({ law, gates }: Candidate, { corner }: Census) {
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
      const all = [...figures, ...outcomes.map(({ passes, ...figure }) => figure)];
      return { confirmed: { law, status, lossy: isLossless ? null : lossy, disc, caveats, figures: all } };
    }
    failed ??= failure;
  }
  const { gate, stated, found } = failed!;
  const sentence = `The ${gate} of the inverted pixels is ${shown(found)}, but ${shown(stated)} by the header, so the law is not confirmed for this file.`;
  return { refusal: { reason: 'gate', sentence } };
}

/** Tables of counts that pixels use in turns, because an increment waits for the one before it where both are of the same byte. */
const TABLES = 4;
/** Share of the solar radius of the inner disc. */
const INNER = 0.9;

/** Decoded bytes of a rectangle of pixels, row by row from the top left corner of the image. */
export interface ByteWindow {
  readonly x0: number;
  readonly y0: number;
  readonly width: number;
  readonly height: number;
  readonly samples: Uint8Array;
}

/** Size of an image in pixels, and its solar disc in FITS pixels. */
type CountedImage = Pick<ImageGeometry, 'width' | 'height' | 'refPixelX' | 'refPixelY' | 'rsunPixels'>;

export interface Census {
  /** Pixels with each byte, inside of the disc that has data, if there is one. */
  readonly counts: Float64Array;
  /** Pixels with each byte within nine tenths of the solar radius, of strips of whole rows. */
  readonly inner: Float64Array;
  /** Pixels outside of the disc that has data. */
  readonly outside: number;
  /** Bytes at the lower end of the leftmost column: the lowest, and the one above it. */
  readonly corner: { readonly lowest: number; readonly above: number };
}

const emptyTables = () => new Uint32Array(TABLES * BYTES);

function count(tables: Uint32Array, samples: Uint8Array, from: number, to: number): void {
  let i = from;
  for (; i + TABLES <= to; i += TABLES) {
    tables[samples[i]!]! += 1;
    tables[BYTES + samples[i + 1]!]! += 1;
    tables[2 * BYTES + samples[i + 2]!]! += 1;
    tables[3 * BYTES + samples[i + 3]!]! += 1;
  }
  for (; i < to; i++) tables[samples[i]!]! += 1;
}

const summed = (tables: Uint32Array): Float64Array =>
  Float64Array.from({ length: BYTES }, (_, byte) => {
    let sum = 0;
    for (let table = 0; table < TABLES; table++) sum += tables[table * BYTES + byte]!;
    return sum;
  });

/**
 * Counts the bytes of strips of an image, those of the inner disc where they are whole rows. `disc`: circle outside of which there is no data;
 * null for none. `shape`: region whose pixels are counted; null for all.
 */
export function levelCounter(image: CountedImage, disc: Circle | null, shape: Shape | null = null) {
  const { x, y, radius } = disc ?? { x: image.refPixelX, y: image.refPixelY, radius: image.rsunPixels };
  const innerDisc = { x, y, radius: INNER * radius };
  const [tables, innerTables] = [emptyTables(), emptyTables()];
  let outside = 0;
  let corner = { lowest: 0, above: 0 };
  return {
    add({ x0, y0, width, height, samples }: ByteWindow): void {
      const lastRow = image.height - 1;
      const isWhole = width === image.width;
      for (let row = 0; row < height; row++) {
        const y = y0 + row;
        const start = row * width - x0;
        const fitsY = image.height - y;
        const runs: readonly Columns[] = shape ? columnsIn(shape, fitsY, x0, x0 + width) : [[x0, x0 + width]];
        const inner: Columns = isWhole ? columnsInDisc(innerDisc, fitsY, x0, x0 + width) : [x0, x0];
        count(innerTables, samples, start + inner[0], start + inner[1]);
        for (const [first, end] of runs) {
          const [from, to] = disc ? columnsInDisc(disc, fitsY, first, end) : [first, end];
          // Without a shape, the inner disc has been counted already.
          const [left, right] = shape ? [to, to] : inner;
          count(tables, samples, start + from, start + left);
          count(tables, samples, start + Math.max(from, right), start + to);
          outside += end - first - (to - from);
        }
        if (x0 === 0 && y === lastRow) corner = { ...corner, lowest: samples[start]! };
        if (x0 === 0 && y === lastRow - 1) corner = { ...corner, above: samples[start]! };
      }
    },

    get census(): Census {
      const [others, inner] = [summed(tables), summed(innerTables)];
      const counts = shape ? others : others.map((pixels, byte) => pixels + inner[byte]!);
      return { counts, inner, outside, corner };
    },
  };
}

export type LevelCounter = ReturnType<typeof levelCounter>;
