// A strip of rows of a map, to which images are added from the newest to the oldest.
import { MAPS } from '../../platform/limits/maps.ts';
import { DAY_MS, SECOND_MS } from '../../platform/util/durations.ts';
import type { ImagePlane } from '../coordinates/image-plane.ts';
import { type Observer, RADIANS_PER_DEGREE } from '../coordinates/observer.ts';
import { rotation } from '../coordinates/sphere.ts';
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

/** The blocks of a strip to which an image adds something, and the columns and rows of them in the whole image, from the top left. */
interface Part {
  readonly blocks: Uint8Array;
  readonly bounds: { readonly x0: number; readonly y0: number; readonly x1: number; readonly y1: number };
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

const at = (forms: Float64Array, form: number, sine: number, cosine: number): number =>
  forms[form]! + forms[form + 1]! * sine + forms[form + 2]! * cosine;

/** A row of a matrix that multiplies directions. */
type Row = MappedImage['homography'][number];

/** How an image counts in a strip, and where its cells are in it. */
class View {
  readonly image: MappedImage;
  readonly options: StripOptions;
  /** The weight of the age of the image relative to those of the images up to it. */
  readonly relative: Float64Array;
  readonly distance: number;
  readonly #grid: MapGrid;
  readonly #matrix: readonly Row[];
  readonly #turned: ReturnType<typeof rotation>;
  readonly #first: number;
  readonly #rows = new Map<number, Float64Array>();

  constructor(grid: MapGrid, options: StripOptions, image: MappedImage, relative: Float64Array) {
    this.options = options;
    this.relative = relative;
    this.distance = image.observer.distanceRadii;
    const [x, y, depth] = image.homography;
    const row = (of: (i: 0 | 1 | 2) => number): Row => [of(0), of(1), of(2)];
    this.#matrix = [depth, row((i) => x[i] - depth[i]), row((i) => image.imageHeight * depth[i] - y[i])];
    this.#grid = grid;
    this.image = image;
    this.#turned = rotation(options.atMs, image.atMs);
    this.#first = firstLongitude(grid, options.atMs);
  }

  /**
   * Numbers of a row: radii towards the observer; cosine of the distance from its central meridian; depth of the homography; and column and row of the
   * whole image times this depth.
   */
  forms(row: number): Float64Array {
    const known = this.#rows.get(row);
    if (known) return known;
    const latitude = latitudeOf(this.#grid, row);
    const { b0Degrees, distanceRadii, longitudeDegrees } = this.image.observer;
    const first = (this.#turned({ latitude, longitude: this.#first }).longitude - longitudeDegrees) * RADIANS_PER_DEGREE;
    const [sinB, cosB] = [Math.sin(b0Degrees * RADIANS_PER_DEGREE), Math.cos(b0Degrees * RADIANS_PER_DEGREE)];
    const [north, equator] = [Math.sin(latitude * RADIANS_PER_DEGREE), Math.cos(latitude * RADIANS_PER_DEGREE)];
    const [sine, cosine] = [Math.sin(first), Math.cos(first)];
    const forms = new Float64Array(NUMBERS);
    const form = (place: number, constant: number, west: number, ahead: number) => {
      forms[place] = constant;
      forms[place + 1] = west * cosine - ahead * sine;
      forms[place + 2] = west * sine + ahead * cosine;
    };
    form(TOWARDS, north * sinB, 0, equator * cosB);
    form(AHEAD, 0, 0, 1);
    for (const [i, [west, up, deep]] of this.#matrix.entries()) {
      const constant = up * north * cosB + deep * (distanceRadii - north * sinB);
      form(DEPTH + 3 * i, constant, equator * west, -equator * (up * sinB + deep * cosB));
    }
    this.#rows.set(row, forms);
    return forms;
  }
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
  readonly #grid: MapGrid;
  readonly #rows: MapPart['rows'];
  readonly #width: number;
  readonly #options: StripOptions;
  /** Cells along the side of a block, and blocks along a row. */
  readonly #side: number;
  readonly #across: number;
  /** Sines and cosines of the longitudes of columns from the first. */
  readonly #sines: Float64Array;
  readonly #cosines: Float64Array;
  /** Scores that an image must pass to count in blocks; of means infinite where no older image counts. */
  readonly #needs: Float64Array;
  /** Logarithms of the weights of images by their ages. */
  readonly #fadings: number[] = [];

  constructor(grid: MapGrid, { columns, rows }: MapPart, options: StripOptions) {
    const width = columns[1] - columns[0];
    const cells = width * (rows[1] - rows[0]);
    this.values = new Float32Array(cells);
    this.ages = options.hasAges ? new Float32Array(cells) : null;
    this.counts = new Uint8Array(cells);
    this.#weights = new Float32Array(cells);
    this.#newest = new Uint8Array(cells);
    this.#grid = grid;
    this.#rows = rows;
    this.#options = options;
    this.#side = Math.max(1, Math.min(MAPS.blockCells, Math.floor(MAPS.blockDegrees / Math.max(...cellDegrees(grid)))));
    this.#across = Math.ceil(width / this.#side);
    this.#needs = new Float64Array(this.#across * Math.ceil((rows[1] - rows[0]) / this.#side)).fill(-Infinity);
    this.#width = width;
    const angles = Float64Array.from({ length: width }, (_, i) => ((columns[0] + i) / grid.width) * 2 * Math.PI);
    this.#sines = angles.map(Math.sin);
    this.#cosines = angles.map(Math.cos);
  }

  get rows(): number {
    return this.#rows[1] - this.#rows[0];
  }

  /** Whether an image counts in a cell of a block. */
  #counts(view: View, block: number, top: number, left: number): boolean {
    const [bottom, right] = [Math.min(top + this.#side, this.#rows[1]), Math.min(left + this.#side, this.#width)];
    const { relative, distance } = view;
    const isMean = this.#options.method === 'weighted';
    let need = Infinity;
    for (let row = top; row < bottom; row++) {
      const forms = view.forms(row);
      for (let column = left; column < right; column++) {
        const sine = this.#sines[column]!;
        const cosine = this.#cosines[column]!;
        const mu2 = mu2Of(at(forms, TOWARDS, sine, cosine), distance);
        if (mu2 < LEAST_MU2) {
          need = -Infinity;
          continue;
        }
        const cell = (row - this.#rows[0]) * this.#width + column;
        const known = this.#weights[cell]!;
        const share = relative[this.#newest[cell]!]!;
        const ahead = at(forms, AHEAD, sine, cosine);
        if (!Number.isNaN(weightIn(view, mu2, ahead, this.counts[cell] === 0, known, share))) return true;
        if (!isMean) need = Math.min(need, known);
        else if (share >= MAPS.negligible * known) need = -Infinity;
      }
    }
    this.#needs[block] = need;
    return false;
  }

  /** The part of the strip to which an image adds something, after those before it; null for none. */
  part(image: MappedImage): Part | null {
    const { atMs, method } = this.#options;
    const [[from, to], side, width] = [this.#rows, this.#side, this.#width];
    const fading = -(((atMs - image.atMs) / MAPS.ageMs) ** 2) / 2;
    this.#fadings[image.number] = fading;
    const relative = Float64Array.from(this.#fadings, (known) => Math.exp(fading - known));
    const view = new View(this.#grid, this.#options, image, relative);
    const blocks = new Uint8Array(this.#needs.length);
    let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
    const include = (row: number, column: number) => {
      const forms = view.forms(row);
      const sine = sines[column]!;
      const cosine = cosines[column]!;
      const depth = at(forms, DEPTH, sine, cosine);
      const x = at(forms, X, sine, cosine) / depth;
      const y = at(forms, Y, sine, cosine) / depth;
      if (x < x0) x0 = x;
      if (y < y0) y0 = y;
      if (x > x1) x1 = x;
      if (y > y1) y1 = y;
    };
    const shear = (SHEAR_PER_DAY * Math.abs(atMs - image.atMs)) / DAY_MS;
    const [needs, sines, cosines, half] = [this.#needs, this.#sines, this.#cosines, side >> 1];
    // For means, 0 is more than any finite need.
    const greatest = method === 'latest' ? 1 - 2 * image.time : 0;
    const latitude = (row: number) => latitudeOf(this.#grid, row) * RADIANS_PER_DEGREE;
    for (let top = from, block = 0; top < to; top += side) {
      const bottom = Math.min(top + side, to);
      const middle = Math.min(top + half, bottom - 1);
      const forms = view.forms(middle);
      const up = Math.max(latitude(bottom - 1) - latitude(middle), latitude(middle) - latitude(top));
      const reach = MU_PER_RADIAN * Math.hypot(up, (half / this.#grid.width) * 2 * Math.PI + up * shear);
      const leastMu2 = Math.max(0, MAPS.leastMu - reach) ** 2;
      for (let left = 0; left < width; left += side, block++) {
        const column = Math.min(left + half, width - 1);
        const sine = sines[column]!;
        const cosine = cosines[column]!;
        const best = method === 'synoptic' ? at(forms, AHEAD, sine, cosine) + reach : greatest;
        if (best <= needs[block]! || mu2Of(at(forms, TOWARDS, sine, cosine), view.distance) < leastMu2) continue;
        if (!this.#counts(view, block, top, left)) continue;
        blocks[block] = 1;
        for (const row of [top, bottom - 1]) {
          if (left === 0 || blocks[block - 1] === 0) include(row, left);
          include(row, Math.min(left + side, width) - 1);
        }
      }
    }
    return x1 < x0 ? null : { blocks, bounds: { x0, y0, x1, y1 }, view };
  }

  /**
   * Adds an image, some cells at a time, whose number it yields.
   * @param window Samples after `reduce` resolution levels are left out
   * @param values Of each byte; not a number for no data
   */
  *add({ blocks, view }: Part, reduce: number, window: ByteWindow, values: Float64Array): Generator<number> {
    const [[from, to], side, across, width] = [this.#rows, this.#side, this.#across, this.#width];
    // A power of two, so that places are as exact as those in the whole image.
    const scale = 2 ** -reduce;
    let done = 0;
    for (let first = 0, top = from; top < to; first += across, top += side) {
      const bottom = Math.min(top + side, to);
      for (let block = first; block < first + across; block++) {
        if (blocks[block] === 0) continue;
        let end = block + 1;
        while (end < first + across && blocks[end] === 1) end++;
        const [left, right] = [(block - first) * side, Math.min((end - first) * side, width)];
        for (let row = top; row < bottom; row++) this.#addCells(view, { row, left, right, scale }, window, values);
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
  #addCells(
    view: View,
    { row, left, right, scale }: { readonly row: number; readonly left: number; readonly right: number; readonly scale: number },
    { x0, y0, width, height, samples }: ByteWindow,
    values: Float64Array,
  ): void {
    const { relative, distance } = view;
    const [sums, ages, counts, weights, newest] = [this.values, this.ages, this.counts, this.#weights, this.#newest];
    const [sines, cosines] = [this.#sines, this.#cosines];
    const forms = view.forms(row);
    const firstCell = (row - this.#rows[0]) * this.#width;
    const { number, atMs } = view.image;
    const age = (this.#options.atMs - atMs) / SECOND_MS;
    const isMean = this.#options.method === 'weighted';
    for (let column = left; column < right; column++) {
      const sine = sines[column]!;
      const cosine = cosines[column]!;
      const cell = firstCell + column;
      const mu2 = mu2Of(at(forms, TOWARDS, sine, cosine), distance);
      const isFirst = counts[cell] === 0;
      const weight = weightIn(view, mu2, at(forms, AHEAD, sine, cosine), isFirst, weights[cell]!, relative[newest[cell]!]!);
      if (Number.isNaN(weight)) continue;
      const depth = at(forms, DEPTH, sine, cosine);
      const x = (at(forms, X, sine, cosine) / depth) * scale - x0;
      const y = (at(forms, Y, sine, cosine) / depth) * scale - y0;
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
