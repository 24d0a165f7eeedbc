// Where the Sun is in an image, from the FITS keywords of its header.
import type { ImageGeometry } from './image.ts';

/** Metres. */
export const ASTRONOMICAL_UNIT_M = 149_597_870_700;
/** Solar radius seen from 1 au. */
export const SOLAR_RADIUS_AT_1AU_ARCSEC = 959.644;

/** Distances up to this are not believed: HMI wrote 0.03 in 2010. */
const NEAREST_BELIEVED_M = 0.04 * ASTRONOMICAL_UNIT_M;
/** No solar mission is this far out. */
const FARTHEST_M = 2.25e11;
const LONGEST_SIDE_PX = 100_000;
const FINEST_ARCSEC_PER_PX = 1e-4;
const COARSEST_ARCSEC_PER_PX = 10_000;
/** Solar radii in pixels or arcseconds outside of these are not believed. */
const BELIEVED_RADIUS = { least: 1e-3, most: 1e9 };
const FARTHEST_REFERENCE_PX = 1e9;
/** Fields of view of the XRT narrower than this, in arcseconds, lie above whole disks. */
const XRT_FULL_FIELD_ARCSEC = 2048;

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[ed][+-]?\d+)?$/i;

/** A header from which no geometry can be had; the message names the keyword. */
export class GeometryError extends Error {
  override readonly name = 'GeometryError';
}

type Header = ReadonlyMap<string, string>;

/** The value of a keyword as a finite number, or null. */
function numberIn(header: Header, keyword: string): number | null {
  const text = header.get(keyword)?.trim();
  if (text === undefined || !NUMBER.test(text)) return null;
  const value = Number(text.replace(/d/i, 'e'));
  return Number.isFinite(value) ? value : null;
}

function firstNumber(header: Header, keywords: readonly string[]): number | null {
  for (const keyword of keywords) {
    const value = numberIn(header, keyword);
    if (value !== null) return value;
  }
  return null;
}

function refuse(header: Header, keyword: string, expected: string): never {
  throw new GeometryError(`Expected ${expected} for ${keyword}, got ${header.get(keyword)?.trim().slice(0, 40) || 'nothing'}.`);
}

function requireNumber(header: Header, keyword: string, expected: string, isGood: (value: number) => boolean): number {
  const value = numberIn(header, keyword);
  return value !== null && isGood(value) ? value : refuse(header, keyword, expected);
}

function sidePixels(header: Header, keyword: string): number {
  const isGood = (value: number) => value >= 1 && value <= LONGEST_SIDE_PX;
  return Math.trunc(requireNumber(header, keyword, `a number of pixels from 1 to ${LONGEST_SIDE_PX}`, isGood));
}

/** How far CDELT2 may be from CDELT1, as a part of it. */
const SQUARE_TOLERANCE = 0.01;

/** CDELT, in the header's own unit. */
function cdelt(header: Header, keyword: string): number {
  return requireNumber(header, keyword, 'a number above 0', (value) => value > 0);
}

/** CDELT1 in arcseconds per pixel. */
function plateScale(header: Header): number {
  const inDegrees = /^deg(rees?)?$/i.test(header.get('CUNIT1')?.trim() ?? '');
  const scale = cdelt(header, 'CDELT1') * (inDegrees ? 3600 : 1);
  return scale >= FINEST_ARCSEC_PER_PX && scale <= COARSEST_ARCSEC_PER_PX
    ? scale
    : refuse(header, 'CDELT1', `${FINEST_ARCSEC_PER_PX} to ${COARSEST_ARCSEC_PER_PX} arcseconds per pixel`);
}

/** Everything is drawn with square pixels, north up: CDELT2, where it is given, is CDELT1 but for rounding. */
function checkSquarePixels(header: Header): void {
  if (!header.has('CDELT2')) return;
  const ratio = cdelt(header, 'CDELT2') / cdelt(header, 'CDELT1');
  if (Math.abs(ratio - 1) > SQUARE_TOLERANCE) refuse(header, 'CDELT2', 'the value of CDELT1, since pixels are drawn square');
}

/** Observer to Sun in metres; 1 au where the header has no believable distance. */
function sunDistance(header: Header, scale: number): number {
  let distance = firstNumber(header, ['DSUN_OBS', 'DSUN']);
  if (distance === null) {
    const keyword = ['SOLAR_R', 'RADIUS'].find((name) => numberIn(header, name) !== null);
    if (keyword) {
      const radiusPixels = requireNumber(header, keyword, 'a radius other than 0 pixels', (value) => value !== 0);
      distance = (SOLAR_RADIUS_AT_1AU_ARCSEC / (radiusPixels * scale)) * ASTRONOMICAL_UNIT_M;
    }
  }
  if (distance === null || distance <= NEAREST_BELIEVED_M) return ASTRONOMICAL_UNIT_M;
  if (distance >= FARTHEST_M) {
    const keyword = ['DSUN_OBS', 'DSUN', 'SOLAR_R', 'RADIUS'].find((name) => numberIn(header, name) !== null)!;
    refuse(header, keyword, `a distance to the Sun below ${FARTHEST_M} m`);
  }
  return distance;
}

function solarRadiusPixels(header: Header, scale: number, distance: number): number {
  const believed = (keyword: string) => {
    const value = numberIn(header, keyword);
    return value !== null && value >= BELIEVED_RADIUS.least && value <= BELIEVED_RADIUS.most ? value : null;
  };
  const arcsec = believed('RSUN_ARC');
  return (
    believed('R_SUN') ??
    (arcsec === null ? (ASTRONOMICAL_UNIT_M * SOLAR_RADIUS_AT_1AU_ARCSEC) / (distance * scale) : arcsec / scale)
  );
}

/** CRVAL1, CRVAL2; 0, 0 when one is absent. */
function referenceValues(header: Header): readonly [number, number] {
  if (!header.has('CRVAL1') || !header.has('CRVAL2')) return [0, 0];
  const value = (keyword: string) => requireNumber(header, keyword, 'a number', () => true);
  return [value('CRVAL1'), value('CRVAL2')];
}

/** Where CRVAL is 0 on this axis: the Sun's centre, in FITS pixel coordinates. */
function referencePixel(header: Header, axis: 1 | 2, crval: number): number {
  const keyword = `CRPIX${axis}`;
  const crpix = requireNumber(header, keyword, 'a number', () => true);
  const pixel = crval === 0 ? crpix : crpix - crval / cdelt(header, `CDELT${axis}`);
  return Math.abs(pixel) <= FARTHEST_REFERENCE_PX
    ? pixel
    : refuse(header, keyword, `a Sun centre within ${FARTHEST_REFERENCE_PX} pixels`);
}

function layeringOrder(header: Header, width: number, height: number): number {
  const detector = header.get('DETECTOR');
  const telescope = header.get('TELESCOP')?.trim() || refuse(header, 'TELESCOP', 'the name of an observatory');
  switch (telescope.toUpperCase()) {
    case 'SOHO':
      if (header.get('INSTRUME') === 'EIT' || header.get('INSTRUME') === 'MDI') return 1;
      return detector === 'C3' ? 3 : 2;
    case 'STEREO':
      return detector === 'COR2' ? 3 : 2;
    case 'HINODE': {
      const sides = [width * cdelt(header, 'CDELT1'), height * cdelt(header, 'CDELT2')];
      return sides.every((arcsec) => arcsec < XRT_FULL_FIELD_ARCSEC) ? 2 : 1;
    }
    default:
      return 1;
  }
}

function sunCenterOffsetParams(header: Header): ImageGeometry['sunCenterOffsetParams'] {
  const [XCEN, YCEN, CDELT1, CDELT2] = ['XCEN', 'YCEN', 'CDELT1', 'CDELT2'].map((keyword) => header.get(keyword));
  const isXrt = header.get('INSTRUME')?.trim() === 'XRT';
  return isXrt && XCEN && YCEN && CDELT1 && CDELT2 ? { XCEN, YCEN, CDELT1, CDELT2 } : [];
}

/** Geometry of an image by the FITS keywords of its header. Throws GeometryError naming the keyword at fault. */
export function imageGeometry(header: Header): ImageGeometry {
  const width = sidePixels(header, 'NAXIS1');
  const height = sidePixels(header, 'NAXIS2');
  const plate = plateScale(header);
  checkSquarePixels(header);
  const distance = sunDistance(header, plate);
  const scale = (plate * distance) / ASTRONOMICAL_UNIT_M;
  const [offsetX, offsetY] = referenceValues(header);
  return {
    scaleArcsecPerPixel: scale,
    scaleCorrection: plate / scale,
    width,
    height,
    refPixelX: referencePixel(header, 1, offsetX),
    refPixelY: referencePixel(header, 2, offsetY),
    offsetX,
    offsetY,
    rotationDegrees: numberIn(header, 'CROTA') ?? 0,
    rsunPixels: solarRadiusPixels(header, plate, distance),
    dsunMetres: distance,
    layeringOrder: layeringOrder(header, width, height),
    sunCenterOffsetParams: sunCenterOffsetParams(header),
  };
}
