// A strip of rows of a map, to which images are added from the newest to the oldest.
import { MAPS } from '../../platform/limits/maps.ts';
import { SECOND_MS } from '../../platform/util/durations.ts';
import type { ImagePlane } from '../coordinates/image-plane.ts';
import { type Observer, RADIANS_PER_DEGREE } from '../coordinates/observer.ts';
import { rotation } from '../coordinates/sphere.ts';
import type { ByteWindow } from '../laws/gate.ts';
import { cellDegrees, latitudeOf, type MapGrid, type MapMethod, stonyhurstLongitude } from './map-grid.ts';

/** An image of a map: its coordinates, the resolution level, and its place in the order of ages. */
export interface MappedImage {
  readonly homography: NonNullable<ImagePlane['homography']>;
  /** Where the image was taken from; its distance in radii of the map. */
  readonly observer: Observer;
  readonly atMs: number;
  /** Which of the times of the map it stands for, from 0 for the newest. */
  readonly time: number;
  /** Number in the order of ages. */
  readonly number: number;
  /** Resolution levels that are left out, and rows of the whole image. */
  readonly reduce: number;
  readonly imageHeight: number;
}

/** The blocks of a strip to which an image adds something, and the columns and rows of them in the whole image, from the top left. */
interface Part {
  readonly blocks: Uint8Array;
  readonly bounds: { readonly x0: number; readonly y0: number; readonly x1: number; readonly y1: number };
}

/** Cells count somewhat farther from the limb, and with more weight, than the corners of their block: parts of the least, and difference of scores. */
const AT_CORNERS = { mu: 0.6, weight: 0.1, score: 0.03 } as const;
/** Cells that are added at once. */
const CELLS_AT_ONCE = 1 << 16;

/** Score by which an image wins a place: the newest time and the best view of it, or nearness to the central meridian. */
const scoreOf = (method: MapMethod, { time }: Pick<MappedImage, 'time'>, mu2: number, ahead: number): number =>
  method === 'latest' ? mu2 - 2 * time : ahead;

/** Numbers that are linear in the sine and cosine of the longitude of a column: constant and factors of each, in this order. */
const FORMS = { towards: 0, ahead: 3, depth: 6, x: 9, y: 12 } as const;

/** A constant and the factors of the sine and the cosine. */
type Form = readonly [constant: number, sine: number, cosine: number];

/** The numbers of a row, in the order of `FORMS`. */
type Forms = readonly [...Form, ...Form, ...Form, ...Form, ...Form];

/** Where the cells of a row are in an image. */
class RowView {
  /**
   * Numbers of the row: radii towards the observer; cosine of the distance from its central meridian; depth of the homography; and column and row at the
   * resolution level times this depth.
   */
  readonly forms = new Float64Array(15);
  readonly #grid: MapGrid;
  readonly #image: MappedImage;
  readonly #matrix: readonly (readonly number[])[];
  readonly #turned: ReturnType<typeof rotation>;
  readonly #first: number;

  constructor(grid: MapGrid, atMs: number, image: MappedImage) {
    const [x, y, depth] = image.homography;
    const scale = 2 ** image.reduce;
    const across = depth.map((part, i) => (x[i]! - part) / scale);
    this.#matrix = [depth, across, depth.map((part, i) => (image.imageHeight * part - y[i]!) / scale)];
    this.#grid = grid;
    this.#image = image;
    this.#turned = rotation(atMs, image.atMs);
    this.#first = stonyhurstLongitude(grid, 0, atMs);
  }

  select(row: number): void {
    const latitude = latitudeOf(this.#grid, row);
    const { b0Degrees, distanceRadii, longitudeDegrees } = this.#image.observer;
    const first = (this.#turned({ latitude, longitude: this.#first }).longitude - longitudeDegrees) * RADIANS_PER_DEGREE;
    const [sinB, cosB] = [Math.sin(b0Degrees * RADIANS_PER_DEGREE), Math.cos(b0Degrees * RADIANS_PER_DEGREE)];
    const [north, equator] = [Math.sin(latitude * RADIANS_PER_DEGREE), Math.cos(latitude * RADIANS_PER_DEGREE)];
    const form = (at: number, constant: number, west: number, ahead: number) => {
      this.forms[at] = constant;
      this.forms[at + 1] = west * Math.cos(first) - ahead * Math.sin(first);
      this.forms[at + 2] = west * Math.sin(first) + ahead * Math.cos(first);
    };
    form(FORMS.towards, north * sinB, 0, equator * cosB);
    form(FORMS.ahead, 0, 0, 1);
    for (const [i, at] of [FORMS.depth, FORMS.x, FORMS.y].entries()) {
      const [west, up, deep] = this.#matrix[i] as [number, number, number];
      const constant = up * north * cosB + deep * (distanceRadii - north * sinB);
      form(at, constant, equator * west, -equator * (up * sinB + deep * cosB));
    }
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
  const share = Math.min(1, Math.max(0, (mu2 - LEAST_MU2) / FADING_MU2));
  return mu2 * share * share * (3 - 2 * share);
}

export interface StripOptions {
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
    this.#width = width;
    const angles = Float64Array.from({ length: width }, (_, i) => ((columns[0] + i) / grid.width) * 2 * Math.PI);
    this.#sines = angles.map(Math.sin);
    this.#cosines = angles.map(Math.cos);
  }

  get rows(): number {
    return this.#rows[1] - this.#rows[0];
  }

  /** The view of an image, and the weight of its age relative to those of the images up to it. */
  #seen(image: MappedImage) {
    const view = new RowView(this.#grid, this.#options.atMs, image);
    this.#fadings[image.number] = -(((this.#options.atMs - image.atMs) / MAPS.ageMs) ** 2) / 2;
    const relative = Float64Array.from(this.#fadings, (fading) => Math.exp(this.#fadings[image.number]! - fading));
    return { view, relative };
  }

  /** The part of the strip to which an image adds something, after those before it; null for none. */
  part(image: Omit<MappedImage, 'reduce'>): Part | null {
    const { method } = this.#options;
    const [[from, to], side, across, width] = [this.#rows, this.#side, this.#across, this.#width];
    const down = Math.ceil((to - from) / side);
    const { view, relative } = this.#seen({ ...image, reduce: 0 });
    const blocks = new Uint8Array(across * down);
    const [nodesX, nodesY] = [new Float64Array((across + 1) * (down + 1)), new Float64Array((across + 1) * (down + 1))];
    const leastMu2 = (AT_CORNERS.mu * MAPS.leastMu) ** 2;
    const { forms } = view;
    const at = (form: number, column: number) =>
      forms[form]! + forms[form + 1]! * this.#sines[column]! + forms[form + 2]! * this.#cosines[column]!;
    const counts = (cell: number, mu2: number, ahead: number) => {
      if (mu2 < leastMu2) return false;
      const known = this.#weights[cell]!;
      if (this.counts[cell] === 0) return true;
      if (method !== 'weighted') return scoreOf(method, image, mu2, ahead) + AT_CORNERS.score > known;
      return mu2 * relative[this.#newest[cell]!]! >= AT_CORNERS.weight * MAPS.negligible * known;
    };
    for (let r = 0, node = 0; r <= down; r++) {
      const row = Math.min(from + r * side, to - 1);
      view.select(row);
      for (let c = 0; c <= across; c++, node++) {
        const column = Math.min(c * side, width - 1);
        const depth = at(FORMS.depth, column);
        nodesX[node] = at(FORMS.x, column) / depth;
        nodesY[node] = at(FORMS.y, column) / depth;
        const mu2 = mu2Of(at(FORMS.towards, column), image.observer.distanceRadii);
        if (!counts((row - from) * width + column, mu2, at(FORMS.ahead, column))) continue;
        for (let up = Math.max(0, r - 1); up <= Math.min(r, down - 1); up++)
          blocks.fill(1, up * across + Math.max(0, c - 1), up * across + Math.min(c + 1, across));
      }
    }
    let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let block = 0; block < blocks.length; block++) {
      if (blocks[block] === 0) continue;
      const node = block + Math.floor(block / across);
      for (const corner of [node, node + 1, node + across + 1, node + across + 2]) {
        [x0, x1] = [Math.min(x0, nodesX[corner]!), Math.max(x1, nodesX[corner]!)];
        [y0, y1] = [Math.min(y0, nodesY[corner]!), Math.max(y1, nodesY[corner]!)];
      }
    }
    if (x1 < x0) return null;
    return { blocks, bounds: { x0, y0, x1, y1 } };
  }

  /**
   * Adds an image, some cells at a time, whose number it yields.
   * @param window Samples at the resolution level of the image
   * @param values Of each byte; not a number for no data
   */
  *add(image: MappedImage, { blocks }: Part, window: ByteWindow, values: Float64Array): Generator<number> {
    const [[from, to], side, across, width] = [this.#rows, this.#side, this.#across, this.#width];
    const { view, relative } = this.#seen(image);
    let done = 0;
    for (let row = from; row < to; row++) {
      const first = Math.floor((row - from) / side) * across;
      view.select(row);
      for (let block = first; block < first + across; block++) {
        if (blocks[block] === 0) continue;
        let end = block + 1;
        while (end < first + across && blocks[end] === 1) end++;
        const [left, right] = [(block - first) * side, Math.min((end - first) * side, width)];
        this.#addCells(image, view.forms, relative, { at: (row - from) * width, left, right }, window, values);
        done += right - left;
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
    image: MappedImage,
    forms: Float64Array,
    relative: Float64Array,
    { at, left, right }: { readonly at: number; readonly left: number; readonly right: number },
    { x0, y0, width, height, samples }: ByteWindow,
    values: Float64Array,
  ): void {
    const { method, atMs, fadesIn } = this.#options;
    const [sums, ages, counts, weights, newest] = [this.values, this.ages, this.counts, this.#weights, this.#newest];
    const [sines, cosines] = [this.#sines, this.#cosines];
    const [z0, zs, zc, , as, ac, d0, ds, dc, px0, pxs, pxc, py0, pys, pyc] = forms as unknown as Forms;
    const age = (atMs - image.atMs) / SECOND_MS;
    const { number } = image;
    const { distanceRadii } = image.observer;
    const isMean = method === 'weighted';
    for (let column = left; column < right; column++) {
      const sine = sines[column]!;
      const cosine = cosines[column]!;
      const mu2 = mu2Of(z0 + zs * sine + zc * cosine, distanceRadii);
      if (mu2 < LEAST_MU2) continue;
      const cell = at + column;
      const isFirst = counts[cell] === 0;
      const known = weights[cell]!;
      let weight = mu2;
      if (!isMean) weight = scoreOf(method, image, mu2, as * sine + ac * cosine);
      else if (fadesIn) weight = fadedWeight(mu2);
      if (!isFirst) {
        if (isMean) weight *= relative[newest[cell]!]!;
        if (isMean ? weight < MAPS.negligible * known : weight <= known) continue;
      }
      const depth = d0 + ds * sine + dc * cosine;
      const x = (px0 + pxs * sine + pxc * cosine) / depth - x0;
      const y = (py0 + pys * sine + pyc * cosine) / depth - y0;
      if (!(x >= 0 && y >= 0 && x < width - 1 && y < height - 1)) continue;
      const column0 = x | 0;
      const row0 = y | 0;
      const sample = row0 * width + column0;
      const u = x - column0;
      const upper = (1 - u) * values[samples[sample]!]! + u * values[samples[sample + 1]!]!;
      const lower = (1 - u) * values[samples[sample + width]!]! + u * values[samples[sample + width + 1]!]!;
      const value = upper + (y - row0) * (lower - upper);
      if (Number.isNaN(value)) continue;
      if (isFirst || !isMean) {
        newest[cell] = number;
        counts[cell] = 1;
        weights[cell] = weight;
        sums[cell] = isMean ? weight * value : value;
        if (ages) ages[cell] = isMean ? weight * age : age;
      } else {
        counts[cell]! += 1;
        weights[cell] = known + weight;
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
