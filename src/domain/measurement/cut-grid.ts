// Grid of a cut-out: cells of equal arcseconds of an observer, or of equal Carrington degrees, and their places in each image.
import { ImagePlane } from '../coordinates/image-plane.ts';
import type { Placing } from '../coordinates/nodes.ts';
import { pictureObserver } from '../coordinates/observer.ts';
import { type Helioprojective, rotation, type Stonyhurst } from '../coordinates/sphere.ts';
import { gridWcs, type Wcs } from '../wcs.ts';
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
  return gridWcs({
    naxis: [width, height],
    ctype: isSeen ? ['HPLN-TAN', 'HPLT-TAN'] : ['CRLN-CAR', 'CRLT-CAR'],
    cunit: isSeen ? ['arcsec', 'arcsec'] : ['deg', 'deg'],
    crpix: [isSeen ? middleX - x / scale : middleX, middleY - y / scale],
    cdelt: [scale, scale],
    crval: [isSeen ? 0 : x, 0],
    lonpole: isSeen ? 180 : 0,
    latpole: isSeen ? 0 : 90,
  });
}

/**
 * The placing of a grid in an image, rows from the bottom, to FITS pixels.
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
      const latitude = (y + 0.5 - wcs.crpix[1]) * grid.scale;
      const longitude = grid.x + (x + 0.5 - wcs.crpix[0]) * grid.scale;
      return Math.abs(latitude) > 90 ? null : pixelOf(seenIn(plane.stonyhurstOfCarrington({ latitude, longitude })));
    };
  }
  const plane = ImagePlane.of(wcs, pictureObserver(first.atMs))!;
  return (x, y) => {
    const seen = plane.seenAt({ x: x + 0.5, y: y + 0.5 });
    return pixelOf(isTracked ? seenIn(first.plane.stonyhurstAt(seen)) : seen);
  };
}
