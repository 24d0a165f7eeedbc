// Position and scale of the Sun in an image, from the FITS keywords of its header.
import { type DataSource, levelName } from './catalogue/datasource.ts';
import type { ImageGeometry } from './image.ts';

export const ASTRONOMICAL_UNIT_M = 149_597_870_700;
/** Nominal solar radius of the IAU in metres (2015 resolution B3). */
export const SOLAR_RADIUS_M = 695_700_000;
/** Solar radius seen from 1 au, in arcseconds. */
export const SOLAR_RADIUS_AT_1AU_ARCSEC = 959.644;

/** Distances up to this are implausible: HMI headers of 2010 contain 0.03. */
const NEAREST_PLAUSIBLE_M = 0.04 * ASTRONOMICAL_UNIT_M;
/** No solar mission is this far from the Sun. */
const FARTHEST_M = 2.25e11;
const LONGEST_SIDE_PX = 100_000;
const FINEST_ARCSEC_PER_PX = 1e-4;
const COARSEST_ARCSEC_PER_PX = 10_000;
type Plausible = Readonly<Record<'least' | 'most', number>>;

/** Solar radii in pixels: at the coarsest scale, and in an image of the longest side that shows a hundredth of the Sun. */
const RADIUS_PX: Plausible = { least: 1e-2, most: 1e7 };
/** Solar radii in arcseconds: from the farthest and from the nearest distance. */
const RADIUS_ARCSEC: Plausible = { least: 100, most: 30_000 };
/** Distance of the Sun's centre from an image: a hundred times the longest side. */
const FARTHEST_REFERENCE_PX = 1e7;
/** Largest offset of the reference pixel from the Sun's centre, in arcseconds: beyond half the sky. */
const FARTHEST_REFERENCE_ARCSEC = 1e6;
const FULL_TURN_DEGREES = 360;
const OBSERVER_KEYWORDS: Readonly<Record<string, number>> = {
  HGLT_OBS: 90,
  CRLT_OBS: 90,
  SOLAR_B0: 90,
  HGLN_OBS: FULL_TURN_DEGREES,
  CRLN_OBS: FULL_TURN_DEGREES,
};
/** Texts of undefined values in FITS headers. */
const UNDEFINED = /^(nan)?$/i;
/** XRT images with a field of view narrower than this, in arcseconds, are layered above full disks. */
const XRT_FULL_FIELD_ARCSEC = 2048;

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[ed][+-]?\d+)?$/i;

/** For a header without usable geometry; the message names the keyword. */
export class GeometryError extends Error {
  override readonly name = 'GeometryError';
}

type Header = ReadonlyMap<string, string>;

export function numberIn(header: Header, keyword: string): number | null {
  const value = statedNumber(header, keyword);
  return value !== null && Number.isFinite(value) ? value : null;
}

/** The first number that one of these keywords has; null without one. */
export const firstNumberIn = (header: Header, ...keywords: readonly string[]): number | null =>
  keywords.map((keyword) => numberIn(header, keyword)).find((value) => value !== null) ?? null;

/** The value of a keyword as a number, which may be infinite; null for other texts, as `nan`. */
function statedNumber(header: Header, keyword: string): number | null {
  const text = header.get(keyword)?.trim();
  return text !== undefined && NUMBER.test(text) ? Number(text.replace(/d/i, 'e')) : null;
}

/** A number that a header need not have. A negative one and 0 stand for an unknown value in old headers where `least` is above 0. */
function optionalNumber(header: Header, keyword: string, what: string, bounds: Plausible, unit?: string): number | null {
  const value = statedNumber(header, keyword);
  return value === null || (value <= 0 && bounds.least > 0) ? null : requireNumber(header, keyword, what, bounds, unit);
}

function refuse(header: Header, keyword: string, expected: string): never {
  throw new GeometryError(`Expected ${expected} for ${keyword}, got ${header.get(keyword)?.trim().slice(0, 40) || 'nothing'}.`);
}

function requireNumber(header: Header, keyword: string, what: string, { least, most }: Plausible, unit = ''): number {
  const value = statedNumber(header, keyword);
  if (value !== null && value >= least && value <= most) return value;
  return refuse(header, keyword, `${what} from ${least} to ${most}${unit && ` ${unit}`}`);
}

/** Numbers up to a magnitude. */
const upTo = (most: number): Plausible => ({ least: -most, most });

export const sidePixels = (header: Header, keyword: 'NAXIS1' | 'NAXIS2'): number =>
  Math.trunc(requireNumber(header, keyword, 'a number of pixels', { least: 1, most: LONGEST_SIDE_PX }));

/** Largest relative difference between CDELT2 and CDELT1. */
const SQUARE_TOLERANCE = 0.01;

function cdelt(header: Header, keyword: string): number {
  const value = statedNumber(header, keyword);
  return value !== null && value > 0 ? value : refuse(header, keyword, 'a number above 0');
}

const UNIT = /^(arcsec|arcmin|deg|rad)(?:ond|ute|ree|ian)?s?$/i;
const ARCSEC_PER_UNIT: Readonly<Record<string, number>> = { arcsec: 1, arcmin: 60, deg: 3600, rad: 648_000 / Math.PI };

/** The unit of an axis by its name in the FITS standard; arcseconds where the header has none, another unit as it is written. */
export function unitOf(header: Header, axis: 1 | 2): string {
  const given = header.get(`CUNIT${axis}`)?.trim() || 'arcsec';
  const [, name] = UNIT.exec(given) ?? [];
  return name?.toLowerCase() ?? given;
}

/** CDELT of an axis in arcseconds per pixel, by its own unit or that of the first axis; that of the first axis where it is absent. */
function axisScale(header: Header, axis: 1 | 2): number {
  const keyword = header.has(`CDELT${axis}`) ? `CDELT${axis}` : 'CDELT1';
  const unit = unitOf(header, header.has(`CUNIT${axis}`) ? axis : 1);
  const scale = cdelt(header, keyword) * (ARCSEC_PER_UNIT[unit] ?? 1);
  return scale >= FINEST_ARCSEC_PER_PX && scale <= COARSEST_ARCSEC_PER_PX
    ? scale
    : refuse(header, keyword, `${FINEST_ARCSEC_PER_PX} to ${COARSEST_ARCSEC_PER_PX} arcseconds per pixel`);
}

/** Width and height of the pixels of a header in the shorter of both; 1, 1 for square ones, up to the rounding of keywords. */
function pixelShape(header: Header): readonly [number, number] {
  const [x, y] = [axisScale(header, 1), axisScale(header, 2)];
  const shorter = Math.min(x, y);
  return Math.abs(y / x - 1) <= SQUARE_TOLERANCE ? [1, 1] : [x / shorter, y / shorter];
}

export function isOblong(header: Header): boolean {
  const [x, y] = [numberIn(header, 'CDELT1'), numberIn(header, 'CDELT2')];
  return x !== null && y !== null && Math.abs(y / x - 1) > SQUARE_TOLERANCE;
}

/** Pixels along an axis as square ones of the shorter side. */
function squareSide(header: Header, axis: 1 | 2, ratio: number): number {
  const side = Math.round(sidePixels(header, `NAXIS${axis}`) * ratio);
  return side <= LONGEST_SIDE_PX ? side : refuse(header, `CDELT${axis}`, `at most ${LONGEST_SIDE_PX} pixels of the shorter side`);
}

export const isPlausibleDistance = (metres: number): boolean => metres > NEAREST_PLAUSIBLE_M && metres < FARTHEST_M;

/** Distance from observer to Sun in metres; 1 au if the header has no plausible distance. */
function sunDistance(header: Header, scale: number): number {
  const stated = ['DSUN_OBS', 'DSUN'].find((name) => statedNumber(header, name) !== null);
  const keyword = stated ?? ['SOLAR_R', 'RADIUS'].find((name) => statedNumber(header, name) !== null);
  if (keyword === undefined) return ASTRONOMICAL_UNIT_M;
  const distance = stated === undefined ? distanceOfRadius(header, keyword, scale) : statedNumber(header, stated)!;
  if (distance <= NEAREST_PLAUSIBLE_M) return ASTRONOMICAL_UNIT_M;
  return distance < FARTHEST_M ? distance : refuse(header, keyword, `a distance to the Sun below ${FARTHEST_M} m`);
}

function distanceOfRadius(header: Header, keyword: string, scale: number): number {
  const radiusPixels = requireNumber(header, keyword, 'a radius', RADIUS_PX, 'pixels');
  return (SOLAR_RADIUS_AT_1AU_ARCSEC / (radiusPixels * scale)) * ASTRONOMICAL_UNIT_M;
}

function solarRadiusPixels(header: Header, scale: number, distance: number): number {
  const pixels = optionalNumber(header, 'R_SUN', 'a solar radius', RADIUS_PX, 'pixels');
  const arcsec = optionalNumber(header, 'RSUN_ARC', 'a solar radius', RADIUS_ARCSEC, 'arcseconds');
  if (pixels !== null) return pixels;
  return arcsec === null ? (ASTRONOMICAL_UNIT_M * SOLAR_RADIUS_AT_1AU_ARCSEC) / (distance * scale) : arcsec / scale;
}

/** Requires the position of the observer, where it is known, to be on a sphere. */
function checkObserver(header: Header): void {
  for (const [keyword, most] of Object.entries(OBSERVER_KEYWORDS))
    optionalNumber(header, keyword, 'an angle', upTo(most), 'degrees');
}

/** CRVAL1, CRVAL2; 0, 0 when one is absent. */
function referenceValues(header: Header): readonly [number, number] {
  if (!header.has('CRVAL1') || !header.has('CRVAL2')) return [0, 0];
  const value = (keyword: string) => requireNumber(header, keyword, 'a number', upTo(FARTHEST_REFERENCE_ARCSEC));
  return [value('CRVAL1'), value('CRVAL2')];
}

/** FITS pixel coordinate of the Sun's centre on this axis, where CRVAL is 0, in square pixels. */
function referencePixel(header: Header, axis: 1 | 2, crval: number, ratio: number): number {
  const keyword = `CRPIX${axis}`;
  const crpix = statedNumber(header, keyword) ?? refuse(header, keyword, 'a number');
  const own = crval === 0 ? crpix : crpix - crval / cdelt(header, header.has(`CDELT${axis}`) ? `CDELT${axis}` : 'CDELT1');
  const pixel = ratio === 1 ? own : (own - 0.5) * ratio + 0.5;
  return Math.abs(pixel) <= FARTHEST_REFERENCE_PX
    ? pixel
    : refuse(header, keyword, `a centre of the Sun within ${FARTHEST_REFERENCE_PX} pixels`);
}

const isXrt = (source: DataSource): boolean => levelName(source, 'Instrument') === 'XRT';

/** The order of the source, except that XRT is ordered by its field of view, and EUVI lies above other disks. */
function layeringOrder(source: DataSource, sidesArcsec: readonly number[]): number {
  if (isXrt(source)) return sidesArcsec.every((arcsec) => arcsec < XRT_FULL_FIELD_ARCSEC) ? 2 : 1;
  return levelName(source, 'Detector') === 'EUVI' ? 2 : source.layeringOrder;
}

function rotation(header: Header): number {
  if (UNDEFINED.test(header.get('CROTA')?.trim() ?? '')) return 0;
  return requireNumber(header, 'CROTA', 'a rotation', upTo(FULL_TURN_DEGREES), 'degrees');
}

function sunCenterOffsetParams(source: DataSource, header: Header): ImageGeometry['sunCenterOffsetParams'] {
  const [XCEN, YCEN, CDELT1, CDELT2] = ['XCEN', 'YCEN', 'CDELT1', 'CDELT2'].map((keyword) => header.get(keyword));
  if (!isXrt(source)) return [];
  const bounds = upTo(FARTHEST_REFERENCE_ARCSEC);
  const pointing = ['XCEN', 'YCEN'].map((keyword) => optionalNumber(header, keyword, 'a number', bounds));
  return !pointing.includes(null) && XCEN && YCEN && CDELT1 && CDELT2 ? { XCEN, YCEN, CDELT1, CDELT2 } : [];
}

/** Geometry of an image of a source from the FITS keywords of its header. @throws GeometryError naming the keyword at fault */
export function imageGeometry(header: Header, source: DataSource): ImageGeometry {
  const [ratioX, ratioY] = pixelShape(header);
  const [width, height] = [squareSide(header, 1, ratioX), squareSide(header, 2, ratioY)];
  const firstScale = axisScale(header, 1);
  const plate = firstScale / ratioX;
  checkObserver(header);
  const distance = sunDistance(header, firstScale);
  const scale = (plate * distance) / ASTRONOMICAL_UNIT_M;
  const [offsetX, offsetY] = referenceValues(header);
  return {
    scaleArcsecPerPixel: scale,
    scaleCorrection: plate / scale,
    width,
    height,
    refPixelX: referencePixel(header, 1, offsetX, ratioX),
    refPixelY: referencePixel(header, 2, offsetY, ratioY),
    offsetX,
    offsetY,
    rotationDegrees: rotation(header),
    rsunPixels: solarRadiusPixels(header, firstScale, distance) * ratioX,
    dsunMetres: distance,
    layeringOrder: layeringOrder(source, [width * plate, height * plate]),
    sunCenterOffsetParams: sunCenterOffsetParams(source, header),
  };
}
