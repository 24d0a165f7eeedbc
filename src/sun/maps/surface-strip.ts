// A strip of rows of a map, to which images are added from the newest to the oldest.
import { MAPS } from '../../platform/limits/maps.ts';
import { DAY_MS, SECOND_MS } from '../../platform/util/durations.ts';
import type { ImagePlane } from '../coordinates/image-plane.ts';
import { type Observer, RADIANS_PER_DEGREE } from '../coordinates/observer.ts';
import { turnedLongitude } from '../coordinates/sphere.ts';
import type { ByteWindow } from '../laws/gate.ts';
import { cellDegrees, firstLongitude, latitudeOf, type MapGrid, type MapMethod } from './map-grid.ts';

/** An image of a map: its coordinates, and its place in the order of ages. */
export interface MappedImage {
  readonly homography: NonNullable<ImagePlane['homography']>;
  /** Where the image was taken from; its distance in radii of the map. */
  readonly observer: Observer;
  readonly atMs: number;
  /** Which of the times of the map it stands for, from 0 for the newest. */
  readonly time: number;
  /** Number in the order of ages. */
  readonly number: number;
  /** Rows of the whole image. */
  readonly imageHeight: number;
}

/** How an image counts in a strip, and where its cells are in it. */
interface View {
  readonly image: MappedImage;
  readonly options: StripOptions;
  readonly distance: number;
  /** The weight of the age of the image relative to those of the images up to it. */
  readonly relative: Float64Array;
  /** Numbers of the rows in turn, as `numbersOf` has them. */
  readonly numbers: Float64Array;
}

/** Columns and rows in a whole image, from the top left. */
type Bounds = Record<'x0' | 'y0' | 'x1' | 'y1', number>;

/** Blocks of a strip with something of an image, and their bounds in it. */
interface Part {
  readonly blocks: Uint8Array;
  readonly bounds: Bounds;
  readonly view: View;
}

/** Change of mu by an angle on the Sun, at most, as an observer 20 radii away sees it. */
const MU_PER_RADIAN = 1.05;
/** Longitude by which the rotation parts places of neighbouring latitudes in a day, at most, in parts of the latitude between them. */
const SHEAR_PER_DAY = 0.0751;
/** Cells that are added at once. */
const CELLS_AT_ONCE = 1 << 16;

/** Places of what is linear in the sine and cosine of the longitude of a column, in the numbers of a row: a constant, and the factors of both. */
const [TOWARDS, AHEAD, DEPTH, X, Y, NUMBERS] = [0, 3, 6, 9, 12, 15] as const;

const at = (numbers: Float64Array, from: number, sine: number, cosine: number): number =>
  numbers[from]! + numbers[from + 1]! * sine + numbers[from + 2]! * cosine;

/** Writes a constant and the factors of the sine and cosine of a longitude from the central meridian, for those of a column from the first. */
function setForm(n: Float64Array, at: number, constant: number, west: number, ahead: number, sine: number, cosine: number): void {
  n[at] = constant;
  n[at + 1] = west * cosine - ahead * sine;
  n[at + 2] = west * sine + ahead * cosine;
}

/**
 * Numbers of rows: radii towards the observer; cosine of the distance from its central meridian; depth of the homography; and column and row of the
 * whole image times this depth.
 * @param first Longitude of the first column
 */
function numbersOf(latitudes: Float64Array, first: number, atMs: number, image: MappedImage): Float64Array {
  const { b0Degrees, distanceRadii, longitudeDegrees } = image.observer;
  const [x, y, depth] = image.homography;
  const matrix = [...depth, ...x.map((each, i) => each - depth[i]!), ...y.map((each, i) => image.imageHeight * depth[i]! - each)];
  const turned = turnedLongitude(atMs, image.atMs);
  const [sinB, cosB] = [Math.sin(b0Degrees * RADIANS_PER_DEGREE), Math.cos(b0Degrees * RADIANS_PER_DEGREE)];
  const numbers = new Float64Array(NUMBERS * latitudes.length);
  for (let row = 0, from = 0; row < latitudes.length; row++, from += NUMBERS) {
    const latitude = latitudes[row]!;
    const angle = (turned(latitude, first) - longitudeDegrees) * RADIANS_PER_DEGREE;
    const north = Math.sin(latitude * RADIANS_PER_DEGREE);
    const equator = Math.cos(latitude * RADIANS_PER_DEGREE);
    const sine = Math.sin(angle);
    const cosine = Math.cos(angle);
    setForm(numbers, from + TOWARDS, north * sinB, 0, equator * cosB, sine, cosine);
    setForm(numbers, from + AHEAD, 0, 0, 1, sine, cosine);
    for (let i = 0; i < matrix.length; i += 3) {
      const up = matrix[i + 1]!;
      const deep = matrix[i + 2]!;
      const constant = up * north * cosB + deep * (distanceRadii - north * sinB);
      setForm(numbers, from + DEPTH + i, constant, equator * matrix[i]!, -equator * (up * sinB + deep * cosB), sine, cosine);
    }
  }
  return numbers;
}

/** Square of the cosine of the angle between the line of sight and the vertical; 0 behind the limb. `towards`: radii towards the observer. */
export function mu2Of(towards: number, distance: number): number {
  const facing = distance * towards - 1;
  return facing > 0 ? (facing * facing) / (distance * distance + 1 - 2 * distance * towards) : 0;
}

/** Columns, and rows from the south, of a part of a map. */
export interface MapPart {
  readonly columns: readonly [from: number, to: number];
  readonly rows: readonly [from: number, to: number];
}

export const LEAST_MU2 = MAPS.leastMu ** 2;
export const FADING_MU2 = MAPS.wholeMu ** 2 - LEAST_MU2;

/** The weight of a view in a picture, which fades in from the limb, so that no edges are seen. */
export function fadedWeight(mu2: number): number {
  const above = mu2 - LEAST_MU2;
  if (above >= FADING_MU2) return mu2;
  const share = Math.max(0, above / FADING_MU2);
  return mu2 * share * share * (3 - 2 * share);
}

/**
 * The weight with which an image counts in a cell after those before it, or the score by which it wins it: the newest time and the best view, or
 * nearness to the central meridian. Not a number where it does not count.
 * @param known The weight or score of the images before it
 * @param relative The weight of its age relative to that of the newest of these
 */
function weightIn(view: View, mu2: number, ahead: number, isFirst: boolean, known: number, relative: number): number {
  if (mu2 < LEAST_MU2) return Number.NaN;
  const { method, fadesIn } = view.options;
  if (method !== 'weighted') {
    const score = method === 'latest' ? mu2 - 2 * view.image.time : ahead;
    return isFirst || score > known ? score : Number.NaN;
  }
  const own = fadesIn ? fadedWeight(mu2) : mu2;
  if (isFirst) return own;
  const weight = own * relative;
  return weight < MAPS.negligible * known ? Number.NaN : weight;
}

interface StripOptions {
  readonly atMs: number;
  readonly method: MapMethod;
  readonly hasAges: boolean;
  /** Whether images fade in from the limb, so that no edges are seen. */
  readonly fadesIn: boolean;
}

export class SurfaceStrip {
  /** Sums until the end; then means, not numbers where no image sees a place. */
  readonly values: Float32Array;
  /** Seconds, with `hasAges`. */
  readonly ages: Float32Array | null;
  /** Images of a value. */
  readonly counts: Uint8Array;
  /** Sums of weights, or the greatest score. */
  readonly #weights: Float32Array;
  /** The newest image of a place, to whose age weights are relative. */
  readonly #newest: Uint8Array;
  readonly rows: number;
  readonly #width: number;
  readonly #options: StripOptions;
  /** Cells along the side of a block, radians of half of it, and blocks along a row. */
  readonly #side: number;
  readonly #half: number;
  readonly #across: number;
  /** Degrees, of rows. */
  readonly #latitudes: Float64Array;
  /** Longitude of the first column of the map. */
  readonly #first: number;
  /** Sines and cosines of the longitudes of columns from the first. */
  readonly #sines: Float64Array;
  readonly #cosines: Float64Array;
  /** Scores that an image must pass to count in blocks; of means infinite where no older image counts. */
  readonly #needs: Float64Array;
  /** Logarithms of the weights of images by their ages. */
  readonly #fadings: number[] = [];

  constructor(grid: MapGrid, { columns, rows }: MapPart, options: StripOptions) {
    const width = columns[1] - columns[0];
    this.rows = rows[1] - rows[0];
    const cells = width * this.rows;
    this.values = new Float32Array(cells);
    this.ages = options.hasAges ? new Float32Array(cells) : null;
    this.counts = new Uint8Array(cells);
    this.#weights = new Float32Array(cells);
    this.#newest = new Uint8Array(cells);
    this.#options = options;
    this.#side = Math.max(1, Math.min(MAPS.blockCells, Math.floor(MAPS.blockDegrees / Math.max(...cellDegrees(grid)))));
    this.#across = Math.ceil(width / this.#side);
    this.#needs = new Float64Array(this.#across * Math.ceil(this.rows / this.#side)).fill(-Infinity);
    this.#width = width;
    this.#latitudes = Float64Array.from({ length: this.rows }, (_, i) => latitudeOf(grid, rows[0] + i));
    this.#first = firstLongitude(grid, options.atMs);
    this.#half = ((this.#side >> 1) / grid.width) * 2 * Math.PI;
    const angles = Float64Array.from({ length: width }, (_, i) => ((columns[0] + i) / grid.width) * 2 * Math.PI);
    this.#sines = angles.map(Math.sin);
    this.#cosines = angles.map(Math.cos);
  }

  /** Whether an image counts in a cell of a block. */
  #counts(view: View, block: number, top: number, left: number): boolean {
    const bottom = Math.min(top + this.#side, this.rows);
    const right = Math.min(left + this.#side, this.#width);
    const { relative, distance, numbers } = view;
    const isMean = this.#options.method === 'weighted';
    let need = Infinity;
    for (let row = top; row < bottom; row++) {
      const from = row * NUMBERS;
      for (let column = left; column < right; column++) {
        const cell = row * this.#width + column;
        const known = this.#weights[cell]!;
        const share = relative[this.#newest[cell]!]!;
        // Older images do not count in it either.
        if (isMean && share < MAPS.negligible * known) continue;
        const sine = this.#sines[column]!;
        const cosine = this.#cosines[column]!;
        const mu2 = mu2Of(at(numbers, from + TOWARDS, sine, cosine), distance);
        const ahead = isMean ? 0 : at(numbers, from + AHEAD, sine, cosine);
        if (!Number.isNaN(weightIn(view, mu2, ahead, this.counts[cell] === 0, known, share))) return true;
        need = isMean || mu2 < LEAST_MU2 ? -Infinity : Math.min(need, known);
      }
    }
    this.#needs[block] = need;
    return false;
  }

  /** The part of the strip to which an image adds something, after those before it; null for none. */
  part(image: MappedImage): Part | null {
    const { atMs, method } = this.#options;
    const [side, width, rows, latitudes] = [this.#side, this.#width, this.rows, this.#latitudes];
    const fading = -(((atMs - image.atMs) / MAPS.ageMs) ** 2) / 2;
    this.#fadings[image.number] = fading;
    const relative = Float64Array.from(this.#fadings, (known) => Math.exp(fading - known));
    const distance = image.observer.distanceRadii;
    const numbers = numbersOf(latitudes, this.#first, atMs, image);
    const view: View = { image, options: this.#options, distance, relative, numbers };
    const blocks = new Uint8Array(this.#needs.length);
    const bounds = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity };
    const shear = (SHEAR_PER_DAY * Math.abs(atMs - image.atMs)) / DAY_MS;
    const [needs, sines, cosines, half] = [this.#needs, this.#sines, this.#cosines, side >> 1];
    // For means, 0 is more than any finite need.
    const greatest = method === 'latest' ? 1 - 2 * image.time : 0;
    for (let top = 0, block = 0; top < rows; top += side) {
      const last = Math.min(top + side, rows) - 1;
      const middle = Math.min(top + half, last);
      const from = middle * NUMBERS;
      const latitude = latitudes[middle]! * RADIANS_PER_DEGREE;
      const up = Math.max(latitudes[last]! * RADIANS_PER_DEGREE - latitude, latitude - latitudes[top]! * RADIANS_PER_DEGREE);
      const reach = MU_PER_RADIAN * Math.hypot(up, this.#half + up * shear);
      const leastMu2 = Math.max(0, MAPS.leastMu - reach) ** 2;
      for (let left = 0; left < width; left += side, block++) {
        const column = Math.min(left + half, width - 1);
        const sine = sines[column]!;
        const cosine = cosines[column]!;
        const best = method === 'synoptic' ? at(numbers, from + AHEAD, sine, cosine) + reach : greatest;
        if (best <= needs[block]! || mu2Of(at(numbers, from + TOWARDS, sine, cosine), distance) < leastMu2) continue;
        if (!this.#counts(view, block, top, left)) continue;
        blocks[block] = 1;
        const isBegun = left > 0 && blocks[block - 1] === 1;
        for (let row = top; ; row = last) {
          if (!isBegun) this.#include(numbers, row, left, bounds);
          this.#include(numbers, row, Math.min(left + side, width) - 1, bounds);
          if (row === last) break;
        }
      }
    }
    return bounds.x1 < bounds.x0 ? null : { blocks, bounds, view };
  }

  /** Makes bounds hold the place of a cell in the whole image. */
  #include(numbers: Float64Array, row: number, column: number, bounds: Bounds): void {
    const from = row * NUMBERS;
    const sine = this.#sines[column]!;
    const cosine = this.#cosines[column]!;
    const depth = at(numbers, from + DEPTH, sine, cosine);
    const x = at(numbers, from + X, sine, cosine) / depth;
    const y = at(numbers, from + Y, sine, cosine) / depth;
    if (x < bounds.x0) bounds.x0 = x;
    if (y < bounds.y0) bounds.y0 = y;
    if (x > bounds.x1) bounds.x1 = x;
    if (y > bounds.y1) bounds.y1 = y;
  }

  /**
   * Adds an image, some cells at a time, whose number it yields.
   * @param window Samples after `reduce` resolution levels are left out
   * @param values Of each byte; not a number for no data
   */
  *add({ blocks, view }: Part, reduce: number, window: ByteWindow, values: Float64Array): Generator<number> {
    const [side, across, width, rows] = [this.#side, this.#across, this.#width, this.rows];
    // A power of two, so that places are as exact as those in the whole image.
    const scale = 2 ** -reduce;
    let done = 0;
    for (let first = 0, top = 0; top < rows; first += across, top += side) {
      const bottom = Math.min(top + side, rows);
      for (let block = first; block < first + across; block++) {
        if (blocks[block] === 0) continue;
        let end = block + 1;
        while (end < first + across && blocks[end] === 1) end++;
        const [left, right] = [(block - first) * side, Math.min((end - first) * side, width)];
        for (let row = top; row < bottom; row++) this.#addCells(view, row, left, right, scale, window, values);
        done += (right - left) * (bottom - top);
        block = end;
      }
      if (done < CELLS_AT_ONCE) continue;
      yield done;
      done = 0;
    }
    yield done;
  }

  /** A loop without calls of closures or new objects, because a map has millions of cells, each of several images. */
  #addCells(view: View, row: number, left: number, right: number, scale: number, window: ByteWindow, values: Float64Array): void {
    const { x0: left0, y0: top0, width, height, samples } = window;
    const { relative, distance, numbers } = view;
    const { values: sums, ages, counts } = this;
    const [weights, newest, sines, cosines] = [this.#weights, this.#newest, this.#sines, this.#cosines];
    const from = row * NUMBERS;
    const formOf = (place: number) => [numbers[from + place]!, numbers[from + place + 1]!, numbers[from + place + 2]!] as const;
    const [t0, t1, t2] = formOf(TOWARDS);
    const [d0, d1, d2] = formOf(DEPTH);
    const [x0, x1, x2] = formOf(X);
    const [y0, y1, y2] = formOf(Y);
    const firstCell = row * this.#width;
    const { number, atMs } = view.image;
    const age = (this.#options.atMs - atMs) / SECOND_MS;
    const isMean = this.#options.method === 'weighted';
    for (let column = left; column < right; column++) {
      const sine = sines[column]!;
      const cosine = cosines[column]!;
      const cell = firstCell + column;
      const mu2 = mu2Of(t0 + t1 * sine + t2 * cosine, distance);
      const isFirst = counts[cell] === 0;
      const ahead = isMean ? 0 : at(numbers, from + AHEAD, sine, cosine);
      const weight = weightIn(view, mu2, ahead, isFirst, weights[cell]!, relative[newest[cell]!]!);
      if (Number.isNaN(weight)) continue;
      const depth = d0 + d1 * sine + d2 * cosine;
      const x = ((x0 + x1 * sine + x2 * cosine) / depth) * scale - left0;
      const y = ((y0 + y1 * sine + y2 * cosine) / depth) * scale - top0;
      if (!(x >= 0 && y >= 0 && x < width - 1 && y < height - 1)) continue;
      const column0 = x | 0;
      const row0 = y | 0;
      const sample = row0 * width + column0;
      const u = x - column0;
      const upper = (1 - u) * values[samples[sample]!]! + u * values[samples[sample + 1]!]!;
      const lower = (1 - u) * values[samples[sample + width]!]! + u * values[samples[sample + width + 1]!]!;
      const value = upper + (y - row0) * (lower - upper);
      if (Number.isNaN(value)) continue;
      if (!isMean || isFirst) {
        newest[cell] = number;
        counts[cell] = 1;
        weights[cell] = weight;
        sums[cell] = isMean ? weight * value : value;
        if (ages) ages[cell] = isMean ? weight * age : age;
      } else {
        counts[cell]! += 1;
        weights[cell]! += weight;
        sums[cell]! += weight * value;
        if (ages) ages[cell]! += weight * age;
      }
    }
  }

  finish(): void {
    const isMean = this.#options.method === 'weighted';
    for (const sums of [this.values, this.ages])
      for (let cell = 0; sums && cell < sums.length; cell++) {
        if (this.counts[cell] === 0) sums[cell] = Number.NaN;
        else if (isMean) sums[cell]! /= this.#weights[cell]!;
      }
  }
}
