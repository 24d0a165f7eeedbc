// Grid of a cut-out: cells of equal arcseconds of an observer, or of equal Carrington degrees, and their places in each image; and the movie of
// a cut-out: its pictures, over the same range and around the same place.
import type { MovieRequest } from '../../movies/movie-recipe.ts';
import { plateScale } from '../../picture/grids/pixel-grid.ts';
import { plainLayer, printLayers } from '../../picture/layers.ts';
import { RECIPE_LIMITS } from '../../picture/limits.ts';
import { MOVIE_LIMITS } from '../../platform/limits/movies.ts';
import { badParameter } from '../../platform/util/errors.ts';
import { ImagePlane } from '../../sun/coordinates/image-plane.ts';
import type { Placing } from '../../sun/coordinates/nodes.ts';
import { pictureObserver } from '../../sun/coordinates/observer.ts';
import { type Helioprojective, rotation, type Stonyhurst } from '../../sun/coordinates/sphere.ts';
import type { ImageGeometry } from '../../sun/image.ts';
import { cadenceCount } from '../../sun/time.ts';
import { gridWcs, type Wcs } from '../../sun/wcs.ts';
import type { SeriesRange } from '../image-series.ts';
import type { TimedPlane, Tracking } from '../regions.ts';

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

/** A frame for each item of the range. */
interface CutMovie extends Tracking, SeriesRange {
  /** From the bottom to the top. */
  readonly sourceIds: readonly number[];
  /** Notation; unset: the plane. */
  readonly projection?: string | undefined;
  /** Centre and size in arcseconds to the west and north, as the observer of the first image saw them; in a screen plane as seen from 1 au. */
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  /** Arcseconds of a pixel, as those of the box; null: a pixel of the first image. */
  readonly scale: number | null;
}

/** Equal shares of the layers in the picture: the layer above n others covers them with an opacity of 100 / (n + 1). */
const shareOf = (layer: number): number => Math.round(100 / (layer + 1));

/** @throws Failure `bad-parameter` for a scale at which the shorter side has no pixel, or the longer one more than a picture */
function checkSize({ box, projection }: CutMovie, scale: number): void {
  const longest = Math.max(box.width, box.height);
  const sidePixels = projection ? RECIPE_LIMITS.projectedSidePixels : RECIPE_LIMITS.sidePixels;
  if (longest / scale > sidePixels) {
    const least = Number((longest / sidePixels).toPrecision(3));
    throw badParameter('scale', `${least} arcseconds or more, for a movie of at most ${sidePixels} pixels a side,`, scale);
  }
  const shortest = Math.min(box.width, box.height);
  if (shortest / scale < 1) throw badParameter('scale', `at most ${shortest} arcseconds, for a movie of a pixel or more,`, scale);
}

/** The request of the movie. `geometry`: that of the first image, for arcseconds as seen from 1 au. @throws Failure `bad-parameter` for `scale` */
export function movieOfCutout(
  cut: CutMovie,
  geometry: Pick<ImageGeometry, 'scaleArcsecPerPixel' | 'scaleCorrection'>,
): MovieRequest {
  const { sourceIds, startMs, endMs, cadenceSeconds, box, isTracked, trackFromMs, projection } = cut;
  const scaleCorrection = projection ? 1 : geometry.scaleCorrection;
  const scale = cut.scale ?? plateScale({ ...geometry, scaleCorrection });
  checkSize(cut, scale);
  const seenAtOneAu = (arcsec: number) => arcsec / scaleCorrection;
  const { x, y, width, height } = box;
  const wanted = cadenceSeconds === null ? undefined : cadenceCount(cut, cadenceSeconds);
  return {
    startTime: startMs,
    endTime: endMs,
    layers: printLayers(sourceIds.map((sourceId, i) => ({ ...plainLayer(sourceId), opacity: shareOf(i) }))),
    imageScale: seenAtOneAu(scale),
    x1: seenAtOneAu(x - width / 2),
    y1: seenAtOneAu(-y - height / 2),
    x2: seenAtOneAu(x + width / 2),
    y2: seenAtOneAu(-y + height / 2),
    followViewport: isTracked,
    projection,
    ...(trackFromMs === null ? {} : { reqObservationDate: trackFromMs }),
    ...(wanted === undefined ? {} : { maxFrames: Math.max(MOVIE_LIMITS.frames.least, wanted) }),
  };
}
