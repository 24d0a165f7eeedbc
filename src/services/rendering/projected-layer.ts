// Layers of pictures in another projection than the plane: drawn in the plane of their image at the samples of a level, and read from there.
import { PICTURE_COST, PROJECTED_SAMPLES } from '../../config/limits/rendering.ts';
import { NodeTable, noPlaces, type Placing } from '../../domain/coordinates/nodes.ts';
import type { Observer } from '../../domain/coordinates/observer.ts';
import type { ArchivedImage, ImageGeometry } from '../../domain/image.ts';
import { discardedLevels, type PixelGrid, sunCentre } from '../../domain/pixel-grid.ts';
import type { LayerPixels } from '../../imaging/compose.ts';
import type { ImageLayer } from '../../picture/layers.ts';
import type { Picture } from '../../picture/picture.ts';
import { mappingOf } from '../../picture/projections/projections.ts';
import type { Pace } from '../../ports/timing.ts';
import type { ImageOrigin } from './image-reader.ts';
import { type LayerRenderer, rowsPerStrip } from './layer-renderer.ts';

/** Places of rows that a drawing step computes before others may go on. */
const STEP_ROWS = 64;
/** Subdivisions of a pixel at the edge of what is seen, along each side. */
const PARTS = 4;
const OPAQUE = 255;

/** The place of a point of the picture in an image. */
function placingOf(
  { projection, region, imageScaleArcsecPerPixel }: Picture,
  geometry: ImageGeometry,
  from: Observer,
  eye: number,
): Placing {
  const { toPlane } = mappingOf(projection!, from, eye);
  const sun = sunCentre(geometry);
  const { scaleArcsecPerPixel } = geometry;
  return (x, y) => {
    const point = toPlane({ x: region.left + x * imageScaleArcsecPerPixel, y: region.top + y * imageScaleArcsecPerPixel });
    return point && { x: sun.x + point.x / scaleArcsecPerPixel, y: sun.y + point.y / scaleArcsecPerPixel };
  };
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Share of its sides by which a square image reaches beyond them when it is turned to the north. */
const TURNED = (Math.SQRT2 - 1) / 2;

/** The part of an image that a picture shows; null for none. @param beyond Share of the sides by which it may reach beyond them */
async function shownPart(
  places: NodeTable,
  { width, height }: Picture,
  beyond: number,
  size: ImageGeometry,
  pace: Pace,
): Promise<Box | null> {
  let [left, top, right, bottom] = [
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ];
  const row = noPlaces(width);
  for (let y = 0; y < height; y++) {
    if (y % STEP_ROWS === 0) await pace.pause(PICTURE_COST.drawnPixel * STEP_ROWS * width);
    places.row(y + 0.5, row);
    for (let i = 0; i < width; i++) {
      const [x, y] = [row.x[i]!, row.y[i]!];
      // Comparisons with what is not a number are false.
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < top) top = y;
      if (y > bottom) bottom = y;
    }
  }
  const more = beyond * Math.max(size.width, size.height);
  const box = {
    left: Math.max(left, -more),
    top: Math.max(top, -more),
    right: Math.min(right, size.width + more),
    bottom: Math.min(bottom, size.height + more),
  };
  return box.left < box.right && box.top < box.bottom ? box : null;
}

/** The grid of the samples of a level that has at most as many of them as may be held, around a part of an image. */
function sampleGrid({ left, top, right, bottom }: Box, step: number, most: number): PixelGrid {
  let level = discardedLevels(step, Number.POSITIVE_INFINITY);
  const samplesOf = (from: number, to: number) => [Math.floor(from / 2 ** level) - 1, Math.ceil(to / 2 ** level) + 1] as const;
  for (; ; level += 1) {
    const [x, y] = [samplesOf(left, right), samplesOf(top, bottom)];
    const [width, height] = [x[1] - x[0] + 1, y[1] - y[0] + 1];
    const scale = 2 ** level;
    // Sample k lies at the centre of pixel k times the scale.
    const edge = (first: number) => first * scale + 0.5 - scale / 2;
    if (width * height <= most) return { left: edge(x[0]), top: edge(y[0]), step: scale, width, height };
  }
}

/** What a layer shows at places of its image. */
class PlaneLayer {
  readonly #pixels: LayerPixels;
  readonly #grid: PixelGrid;

  constructor(pixels: LayerPixels, grid: PixelGrid) {
    this.#pixels = pixels;
    this.#grid = grid;
  }

  get palette(): Uint8Array | null {
    return this.#pixels.palette;
  }

  /** Adds the level at a place, times its opacity, and the opacity, from 0 to 1; between samples bilinear. */
  add(x: number, y: number, sum: { level: number; opacity: number }): void {
    const { samples, alpha, covered, width } = this.#pixels;
    const { left, top, step } = this.#grid;
    const [u, v] = [(x - left) / step - 0.5, (y - top) / step - 0.5];
    if (u < covered.x0 - 0.5 || v < covered.y0 - 0.5 || u > covered.x1 - 0.5 || v > covered.y1 - 0.5) return;
    const [column, row] = [Math.floor(u), Math.floor(v)];
    for (let j = 0; j < 2; j++) {
      const at = Math.min(Math.max(row + j, covered.y0), covered.y1 - 1) * width;
      const down = j === 0 ? 1 - v + row : v - row;
      for (let i = 0; i < 2; i++) {
        const index = at + Math.min(Math.max(column + i, covered.x0), covered.x1 - 1);
        const weight = down * (i === 0 ? 1 - u + column : u - column) * (alpha ? alpha[index]! / OPAQUE : 1);
        sum.level += weight * samples[index]!;
        sum.opacity += weight;
      }
    }
  }
}

export class ProjectedLayer {
  readonly #placing: Placing;
  readonly #places: NodeTable;
  readonly #lastRow: number;
  readonly #plane: PlaneLayer | null;

  private constructor(placing: Placing, places: NodeTable, rows: number, plane: PlaneLayer | null) {
    this.#placing = placing;
    this.#places = places;
    this.#lastRow = rows - 1;
    this.#plane = plane;
  }

  /**
   * @param origin Of its image
   * @param eye Distance of the observer of the lowest layer, solar radii
   */
  static async of(
    layers: LayerRenderer,
    recipe: Picture,
    layer: ImageLayer<ArchivedImage>,
    { observer, turned }: ImageOrigin,
    eye: number,
    pace: Pace,
  ): Promise<ProjectedLayer> {
    const { geometry } = layer.image;
    const placing = placingOf(recipe, geometry, observer, eye);
    const places = new NodeTable(recipe, placing, { each: 1, pixels: 1 });
    const part = await shownPart(places, recipe, turned ? TURNED : 0, geometry, pace);
    if (!part) return new ProjectedLayer(placing, places, recipe.height, null);
    const { least, most, perPixel } = PROJECTED_SAMPLES;
    const budget = Math.min(Math.max(perPixel * recipe.width * recipe.height, least), most);
    const grid = sampleGrid(part, recipe.imageScaleArcsecPerPixel / geometry.scaleArcsecPerPixel, budget);
    const drawn = (rows: PixelGrid) => layers.draw(layer, rows, 'frame', pace);
    const rows = rowsPerStrip([grid], grid.height);
    const samples = new Uint8Array(grid.width * grid.height);
    const alpha = new Uint8Array(grid.width * grid.height);
    let palette: Uint8Array | null = null;
    for (let y0 = 0; y0 < grid.height; y0 += rows) {
      const strip = await drawn({ ...grid, top: grid.top + y0 * grid.step, height: Math.min(rows, grid.height - y0) });
      const { x0, y0: first, x1, y1 } = strip.covered;
      for (let y = first; y < y1; y++) {
        const [start, end] = [y * grid.width + x0, y * grid.width + x1];
        samples.set(strip.samples.subarray(start, end), y0 * grid.width + start);
        if (strip.alpha) alpha.set(strip.alpha.subarray(start, end), y0 * grid.width + start);
        else alpha.fill(OPAQUE, y0 * grid.width + start, y0 * grid.width + end);
      }
      palette = strip.palette;
    }
    const covered = { x0: 0, y0: 0, x1: grid.width, y1: grid.height };
    return new ProjectedLayer(
      placing,
      places,
      recipe.height,
      new PlaneLayer({ ...grid, samples, covered, alpha, palette }, grid),
    );
  }

  /** The pixels of some rows of the picture. */
  rows(width: number, y0: number, height: number): LayerPixels {
    const samples = new Uint8Array(width * height);
    const alpha = new Uint8Array(width * height);
    const plane = this.#plane;
    const pixels = { width, height, samples, alpha, covered: { x0: 0, y0: 0, x1: width, y1: height } };
    if (!plane) return { ...pixels, palette: null };
    const rowAt = (y: number) => {
      const row = noPlaces(width);
      this.#places.row(y + 0.5, row);
      return row;
    };
    let [above, row] = [rowAt(Math.max(y0 - 1, 0)), rowAt(y0)];
    for (let j = 0; j < height; j++) {
      const below = rowAt(Math.min(y0 + j + 1, this.#lastRow));
      for (let i = 0; i < width; i++) {
        const [x, y] = [row.x[i]!, row.y[i]!];
        const isSeen = !Number.isNaN(x);
        const isEdge = [row.x[i - 1], row.x[i + 1], above.x[i], below.x[i]].some(
          (beside) => beside !== undefined && Number.isNaN(beside) === isSeen,
        );
        const sum = { level: 0, opacity: 0 };
        if (isEdge) this.#addParts(plane, i, y0 + j, sum);
        else if (isSeen) plane.add(x, y, sum);
        if (sum.opacity === 0) continue;
        samples[j * width + i] = Math.round(sum.level / sum.opacity);
        alpha[j * width + i] = Math.round((OPAQUE * sum.opacity) / (isEdge ? PARTS * PARTS : 1));
      }
      [above, row] = [row, below];
    }
    return { ...pixels, palette: plane.palette };
  }

  /** Adds what the parts of a pixel show, at the edge of what is seen. */
  #addParts(plane: PlaneLayer, x: number, y: number, sum: { level: number; opacity: number }): void {
    for (let part = 0; part < PARTS * PARTS; part++) {
      const place = this.#placing(x + ((part % PARTS) + 0.5) / PARTS, y + (Math.floor(part / PARTS) + 0.5) / PARTS);
      if (place) plane.add(place.x, place.y, sum);
    }
  }
}
