// The grid of a cut-out: cells of equal arcseconds as an observer saw them, or of equal degrees of Carrington coordinates, and where they are
// in each image.
import { type FitsPixel, ImagePlane } from '../coordinates/image-plane.ts';
import { pictureObserver } from '../coordinates/observer.ts';
import { type Helioprojective, rotation, type Stonyhurst } from '../coordinates/sphere.ts';
import { SOLAR_RADIUS_M } from '../geometry.ts';
import type { Wcs } from '../wcs.ts';
import type { TimedPlane } from './tracking.ts';
import { noPlaces, type Places } from './value-window.ts';

export interface CutGrid {
  readonly frame: 'helioprojective' | 'carrington';
  /** The centre: arcseconds to the west and north, or degrees of longitude and latitude. */
  readonly x: number;
  readonly y: number;
  /** Cells. */
  readonly width: number;
  readonly height: number;
  /** Arcseconds or degrees of a cell. */
  readonly scale: number;
}

/** The coordinates of a grid: gnomonic about the centre of the Sun, or a plate carrée from the equator. */
export function wcsOfGrid({ frame, x, y, width, height, scale }: CutGrid): Wcs {
  const isSeen = frame === 'helioprojective';
  const [middleX, middleY] = [(width + 1) / 2, (height + 1) / 2];
  return {
    naxis: [width, height],
    ctype: isSeen ? ['HPLN-TAN', 'HPLT-TAN'] : ['CRLN-CAR', 'CRLT-CAR'],
    cunit: isSeen ? ['arcsec', 'arcsec'] : ['deg', 'deg'],
    crpix: [isSeen ? middleX - x / scale : middleX, middleY - y / scale],
    cdelt: [scale, scale],
    crval: [isSeen ? 0 : x, 0],
    pc: [
      [1, 0],
      [0, 1],
    ],
    lonpole: isSeen ? 180 : 0,
    latpole: isSeen ? 0 : 90,
    dateObs: null,
    observer: null,
    rsunRef: SOLAR_RADIUS_M,
  };
}

/** Where a place of the grid is in an image; null where it is not seen. `x`, `y`: FITS pixels of the grid. */
type Placing = (x: number, y: number) => FitsPixel | null;

/**
 * The placing of a grid in an image.
 * @param first The image whose observer and time the grid has
 * @param isTracked Whether places rotate with the Sun from that time; else they keep their coordinates
 */
export function placingOf(grid: CutGrid, first: TimedPlane, to: TimedPlane, isTracked: boolean): Placing {
  const wcs = wcsOfGrid(grid);
  const turned = isTracked ? rotation(first.atMs, to.atMs) : (location: Stonyhurst) => location;
  const seenIn = (location: Stonyhurst | null) => location && to.plane.directionOf(turned(location));
  const pixelOf = (seen: Helioprojective | null) => seen && to.plane.pixelAt(seen);
  if (grid.frame === 'carrington') {
    const plane = isTracked ? first.plane : to.plane;
    return (x, y) => {
      const latitude = (y - wcs.crpix[1]) * grid.scale;
      const longitude = grid.x + (x - wcs.crpix[0]) * grid.scale;
      return Math.abs(latitude) > 90 ? null : pixelOf(seenIn(plane.stonyhurstOfCarrington({ latitude, longitude })));
    };
  }
  const plane = ImagePlane.of(wcs, pictureObserver(first.atMs))!;
  return (x, y) => {
    const seen = plane.seenAt({ x, y });
    return pixelOf(isTracked ? seenIn(first.plane.stonyhurstAt(seen)) : seen);
  };
}

/** Places of a grid along the side of each cell, and the distance between them in pixels of the image. */
export interface Sampling {
  readonly each: number;
  readonly pixels: number;
}

/** Places between nodes, which are computed. */
const NODE = 8;
/** Error of a place that is interpolated between nodes, as a share of the distance between places, and at least of a pixel. */
const INTERPOLATED = 0.05;
/** Linear interpolation is off by at most an eighth of the second derivative times the square of the distance of the nodes. */
const BEND_OF_ERROR = 8;
/** Safety factor, because the second differences of neighbouring nodes stand for the derivative between them. */
const RESERVE = 1 / 2;

/** A placing that is computed at nodes of a grid, and interpolated between them where it is nearly linear: not at the limb. */
export class GridPlacing {
  readonly #placing: Placing;
  readonly #sampling: Sampling;
  /** Cells between nodes. */
  readonly #cells: number;
  readonly #columns: number;
  readonly #rows: number;
  readonly #nodes: Places;
  /** 1 for a node from which places up to the next column and row are computed. */
  readonly #isExact: Uint8Array;

  constructor({ width, height }: CutGrid, placing: Placing, sampling: Sampling) {
    this.#placing = placing;
    this.#sampling = sampling;
    this.#cells = Math.max(1, Math.floor(NODE / sampling.each));
    const nodesOf = (side: number) => Math.max(3, Math.ceil(side / this.#cells) + 1);
    this.#columns = nodesOf(width);
    this.#rows = nodesOf(height);
    this.#nodes = noPlaces(this.#columns * this.#rows);
    for (let row = 0, i = 0; row < this.#rows; row++) {
      for (let column = 0; column < this.#columns; column++, i++) {
        const pixel = placing(column * this.#cells + 0.5, row * this.#cells + 0.5);
        if (!pixel) continue;
        this.#nodes.x[i] = pixel.x;
        this.#nodes.y[i] = pixel.y;
      }
    }
    this.#isExact = this.#exactNodes();
  }

  /** The pixels of the nodes. */
  get nodes(): Places {
    return this.#nodes;
  }

  #exactNodes(): Uint8Array {
    const columns = this.#columns;
    const inner = (at: number, count: number) => Math.min(Math.max(at, 1), count - 2);
    const bends = new Float64Array(this.#nodes.x.length);
    for (let row = 0, i = 0; row < this.#rows; row++) {
      for (let column = 0; column < columns; column++, i++) {
        const across = this.#bend(row * columns + inner(column, columns), 1);
        bends[i] = across + this.#bend(inner(row, this.#rows) * columns + column, columns);
      }
    }
    const most = RESERVE * BEND_OF_ERROR * INTERPOLATED * Math.max(1, this.#sampling.pixels);
    const isBent = (i: number) => !(bends[i]! <= most);
    return Uint8Array.from(bends, (_, i) => Number([i, i + 1, i + columns, i + columns + 1].some(isBent)));
  }

  /** Second difference around a node, in pixels; not a number beside one that is not seen. */
  #bend(i: number, step: number): number {
    const { x, y } = this.#nodes;
    return Math.hypot(x[i - step]! - 2 * x[i]! + x[i + step]!, y[i - step]! - 2 * y[i]! + y[i + step]!);
  }

  /** Writes the pixels of the places of all cells at a height of `y` cells above the lower edge of the grid. */
  row(y: number, { x: xs, y: ys }: Places): void {
    const { x: nodesX, y: nodesY } = this.#nodes;
    const [columns, cells, isExact, each] = [this.#columns, this.#cells, this.#isExact, this.#sampling.each];
    const row = Math.floor(y / cells);
    const v = y / cells - row;
    for (let i = 0; i < xs.length; i++) {
      const x = Math.floor(i / each) + ((i % each) + 0.5) / each;
      const column = Math.floor(x / cells);
      const low = row * columns + column;
      if (isExact[low]) {
        const pixel = this.#placing(x + 0.5, y + 0.5);
        xs[i] = pixel?.x ?? Number.NaN;
        ys[i] = pixel?.y ?? Number.NaN;
        continue;
      }
      const u = x / cells - column;
      const up = low + columns;
      xs[i] = (1 - v) * ((1 - u) * nodesX[low]! + u * nodesX[low + 1]!) + v * ((1 - u) * nodesX[up]! + u * nodesX[up + 1]!);
      ys[i] = (1 - v) * ((1 - u) * nodesY[low]! + u * nodesY[low + 1]!) + v * ((1 - u) * nodesY[up]! + u * nodesY[up + 1]!);
    }
  }
}
