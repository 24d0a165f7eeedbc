// Lines and lengths of what is drawn over pictures, on the page and in movies that it saves.
import { type Observer, pictureObserver } from '../../sun/coordinates/observer.ts';
import { limbRadius } from '../../sun/coordinates/picture-plane.ts';
import { gridRuns } from '../../sun/coordinates/solar-grid.ts';
import type { SolarEvent } from '../api/events.ts';
import type { ImageRecord } from '../api/images.ts';
import { MM_PER_ARCSEC } from '../model/readout.ts';
import { fixed } from '../texts.ts';
import type { Point } from './geometry.ts';
import { pixelOfEvent, pixelOfLocation, pixelOfPoint, projectedPath, type Screen } from './screen.ts';

export const gridPath = (on: Screen): string =>
  gridRuns((location) => pixelOfLocation(location, on))
    .map((line) => projectedPath(line, on))
    .join('');

/** So little within the limb that each line of sight meets the Sun. */
const WITHIN = 0.9999;
/** The observer of the places of events. */
const EARTH_LINE = pictureObserver(0);

type Contour = SolarEvent['footprint'][number];

/** A contour with what is behind the limb moved to the limb, as seen from 1 au; empty where all of it is behind. */
function nearPart(contour: Contour, limbArcsec: number): readonly Point[] {
  if (contour.every(({ visible }) => visible === false)) return [];
  return contour.map(({ x, y, visible }) => {
    const outwards = visible === false ? limbArcsec / Math.hypot(x, y) : 1;
    return { x: x * outwards, y: y * outwards };
  });
}

/** The outlines of an event, whose y is upward. */
export const outlinePath = ({ footprint, atMs }: Pick<SolarEvent, 'footprint' | 'atMs'>, on: Screen): string =>
  footprint
    .map((contour) => nearPart(contour, limbRadius(EARTH_LINE) * WITHIN))
    .filter(({ length }) => length > 2)
    .map((contour) => [...contour, contour[0]!].map((point) => pixelOfEvent(point, atMs, on)))
    .map((pixels) => projectedPath(pixels, on) + (on.projection.kind === 'plane' ? 'Z' : ''))
    .join('');

/** Points of the limb of the observer, apart by so many degrees. */
const LIMB_STEP = 2;

/** The limb of the observer where it is no circle around the centre. */
export function limbPath(from: Observer, on: Screen): string {
  const radius = limbRadius(from) * WITHIN;
  const angles = Array.from({ length: 360 / LIMB_STEP + 1 }, (_, i) => (i * LIMB_STEP * Math.PI) / 180);
  const points = angles.map((angle) => pixelOfPoint({ x: radius * Math.sin(angle), y: radius * Math.cos(angle) }, on));
  return projectedPath(points, on);
}

/** Arcseconds below which an image shows only a part of the disk. */
const WHOLE_DISK_ARCSEC = 1900;

export function isCutOut(images: readonly (ImageRecord | null)[]): boolean {
  const image = images.find((one) => one !== null);
  return image ? Math.min(image.width, image.height) * image.scale < WHOLE_DISK_ARCSEC : false;
}

/** Lengths of scale bars, arcseconds. */
const BARS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];
const BAR_PIXELS = 110;

/** A bar of a round number of arcseconds, with its length on the Sun. */
export function scaleBar(scale: number): { readonly width: number; readonly text: string } {
  const arcsec = BARS.findLast((length) => length / scale <= BAR_PIXELS) ?? BARS[0]!;
  const megametres = arcsec * MM_PER_ARCSEC;
  return { width: arcsec / scale, text: `${arcsec}″ · ${fixed(megametres, megametres < 10 ? 1 : 0)} Mm` };
}
