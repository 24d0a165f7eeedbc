// The plane of an image of AIA of the whole disc, 0.6 arcseconds a pixel, without a roll.
import type { TimedPlane } from '../../../src/measure/regions.ts';
import { imagePlane } from '../../../src/sun/coordinates/image-plane.ts';
import { earthObserver } from '../../../src/sun/coordinates/observer.ts';
import { wcsOf } from '../../../src/sun/wcs.ts';

const DISC = { NAXIS1: 4096, NAXIS2: 4096, CDELT1: 0.6, CDELT2: 0.6, CRPIX1: 2048.5, CRPIX2: 2048.5 };
const WCS = wcsOf(new Map(Object.entries(DISC).map(([name, value]) => [name, String(value)])))!;

export const discAt = (atMs: number, observerAt = earthObserver): TimedPlane => ({
  plane: imagePlane(WCS, observerAt(atMs))!,
  atMs,
});
