// The grid of a cut-out: cells of equal arcseconds as an observer saw them, or of equal degrees of Carrington coordinates, and where they are
// in each image.
import { type FitsPixel, ImagePlane } from '../coordinates/image-plane.ts';
import { pictureObserver } from '../coordinates/observer.ts';
import { type Helioprojective, rotation, type Stonyhurst } from '../coordinates/sphere.ts';
import { SOLAR_RADIUS_M } from '../geometry.ts';
import type { Wcs } from '../wcs.ts';
import type { TimedPlane } from './tracking.ts';

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

/** Cells between places that are computed; those between are interpolated, within 0.05 pixels of AIA. */
const NODE = 8;

/** A placing that is computed at the nodes of a grid, and between them where all four nodes are seen. */
export class GridPlacing {
  readonly #placing: Placing;
  readonly #columns: number;
  readonly #rows: number;
  /** x and y of each node; not a number where it is not seen. */
  readonly #nodes: Float64Array;

  constructor({ width, height }: CutGrid, placing: Placing) {
    this.#placing = placing;
    this.#columns = Math.ceil(width / NODE) + 1;
    this.#rows = Math.ceil(height / NODE) + 1;
    this.#nodes = new Float64Array(2 * this.#columns * this.#rows).fill(Number.NaN);
    for (let row = 0, i = 0; row < this.#rows; row++) {
      for (let column = 0; column < this.#columns; column++, i += 2) {
        const pixel = placing(column * NODE + 0.5, row * NODE + 0.5);
        if (pixel) this.#nodes.set([pixel.x, pixel.y], i);
      }
    }
  }

  /** The nodes that are seen. */
  get seen(): FitsPixel[] {
    const nodes = Array.from({ length: this.#nodes.length / 2 }, (_, i) => ({
      x: this.#nodes[2 * i]!,
      y: this.#nodes[2 * i + 1]!,
    }));
    return nodes.filter(({ x }) => !Number.isNaN(x));
  }

  /** Passes the pixel of a place, in cells from the lower left corner of the grid, to `use`; not numbers where it is not seen. */
  at(x: number, y: number, use: (x: number, y: number) => void): void {
    const [column, row] = [Math.floor(x / NODE), Math.floor(y / NODE)];
    const [u, v] = [x / NODE - column, y / NODE - row];
    const nodes = this.#nodes;
    const i = 2 * (row * this.#columns + column);
    const up = i + 2 * this.#columns;
    const px = (1 - v) * ((1 - u) * nodes[i]! + u * nodes[i + 2]!) + v * ((1 - u) * nodes[up]! + u * nodes[up + 2]!);
    if (Number.isNaN(px)) {
      const pixel = this.#placing(x + 0.5, y + 0.5);
      use(pixel?.x ?? Number.NaN, pixel?.y ?? Number.NaN);
      return;
    }
    use(px, (1 - v) * ((1 - u) * nodes[i + 1]! + u * nodes[i + 3]!) + v * ((1 - u) * nodes[up + 1]! + u * nodes[up + 3]!));
  }
}
