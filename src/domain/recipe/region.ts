// The region of interest: a rectangle of sky in arcseconds from the Sun's centre, and the pixels that show it.
import { badParameter, Failure } from '../errors.ts';
import { RECIPE_LIMITS } from './limits.ts';

/** Arcseconds from the Sun's centre as seen from 1 au. x grows to the west (right), y DOWNWARD, to the south. */
export interface Region {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A region in pixels. Pixel (0, 0) begins at its top left corner; its sides are rounded to whole pixels. */
export interface FieldOfView {
  readonly region: Region;
  readonly imageScaleArcsecPerPixel: number;
  readonly width: number;
  readonly height: number;
}

/** The two ways in which a request gives a region; corners count when both are complete. */
export interface RegionParameters {
  readonly imageScale: number;
  readonly x1?: number | undefined;
  readonly y1?: number | undefined;
  readonly x2?: number | undefined;
  readonly y2?: number | undefined;
  readonly x0?: number | undefined;
  readonly y0?: number | undefined;
  /** Pixels; rounded. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

const CORNERS = ['x1', 'y1', 'x2', 'y2'] as const;
const CENTRE = ['x0', 'y0', 'width', 'height'] as const;

type Form = readonly (keyof RegionParameters)[];

const badRegion = (name: string, what: string, value: unknown): Failure =>
  new Failure('bad-region', badParameter(name, what, value).message, { parameter: name });

/** The values of a form, or null when one is missing. */
function complete(parameters: RegionParameters, form: Form): number[] | null {
  const values = form.flatMap((name) => parameters[name] ?? []);
  return values.length === form.length ? values : null;
}

function noRegion(parameters: RegionParameters): Failure {
  const given = (form: Form) => form.filter((name) => parameters[name] !== undefined).length;
  const form: Form = given(CENTRE) > given(CORNERS) ? CENTRE : CORNERS;
  const missing = form.find((name) => parameters[name] === undefined)!;
  const sentence = `Expected x1, y1, x2 and y2, or x0, y0, width and height, for the field of view, got no ${missing}.`;
  return new Failure('no-region', sentence, { parameter: missing });
}

function checkCoordinate(name: string, value: number): void {
  const most = RECIPE_LIMITS.coordinateArcsec;
  if (!(Math.abs(value) <= most)) throw badRegion(name, `arcseconds from -${most} to ${most}`, value);
}

function cornerRegion([left, top, right, bottom]: readonly number[]): Region {
  [left, top, right, bottom].forEach((value, i) => {
    checkCoordinate(CORNERS[i]!, value!);
  });
  if (left! >= right!) throw badRegion('x2', `a number above x1 (${left})`, right);
  if (top! >= bottom!) throw badRegion('y2', `a number above y1 (${top}), since y grows downward,`, bottom);
  return { left: left! + 0, top: top! + 0, right: right! + 0, bottom: bottom! + 0 };
}

function pixels(name: 'width' | 'height', value: number): number {
  const most = RECIPE_LIMITS.requestedSidePixels;
  const rounded = Math.round(value);
  if (!(rounded >= 1)) throw badRegion(name, `1 to ${most} pixels`, value);
  if (rounded > most) throw badParameter(name, `1 to ${most} pixels`, value);
  return rounded;
}

function centreRegion([x0, y0, width, height]: readonly number[], imageScale: number): Region {
  checkCoordinate('x0', x0!);
  checkCoordinate('y0', y0!);
  const halfWidth = (pixels('width', width!) * imageScale) / 2;
  const halfHeight = (pixels('height', height!) * imageScale) / 2;
  return { left: x0! - halfWidth, top: y0! - halfHeight, right: x0! + halfWidth, bottom: y0! + halfHeight };
}

/**
 * The pixels of a region at a scale. One that is larger than RECIPE_LIMITS.sidePixels gets the scale at which its longer
 * side has just so many; its shorter side then keeps at least one pixel.
 */
export function fieldOfView(region: Region, imageScale: number): FieldOfView {
  const across = region.right - region.left;
  const down = region.bottom - region.top;
  const most = RECIPE_LIMITS.sidePixels;
  const longest = Math.max(across, down);
  const imageScaleArcsecPerPixel = Math.round(longest / imageScale) > most ? longest / most : imageScale;
  const side = (arcsec: number) => Math.max(1, Math.round(arcsec / imageScaleArcsecPerPixel));
  return { region, imageScaleArcsecPerPixel, width: side(across), height: side(down) };
}

function checkScale(imageScale: number): void {
  const { min, max } = RECIPE_LIMITS.imageScaleArcsecPerPixel;
  if (!(imageScale >= min && imageScale <= max)) throw badParameter('imageScale', `a number from ${min} to ${max}`, imageScale);
}

/** A region given by corners has as many pixels as the scale makes of it: from half a pixel to the limit. */
function checkPixels({ left, top, right, bottom }: Region, imageScale: number): void {
  const most = RECIPE_LIMITS.requestedSidePixels;
  const [across, down] = [(right - left) / imageScale, (bottom - top) / imageScale];
  if (across < 0.5) throw badRegion('x2', 'a field of view at least one pixel wide', right);
  if (down < 0.5) throw badRegion('y2', 'a field of view at least one pixel high', bottom);
  if (Math.round(Math.max(across, down)) > most) {
    throw badParameter('imageScale', `a scale at which no side of the field of view has more than ${most} pixels`, imageScale);
  }
}

/**
 * The field of view that a request asks for; its scale is the one asked for unless that gives too many pixels.
 * @throws Failure naming the parameter: `no-region` when neither form is complete; `bad-region` when the region is empty,
 *   inverted or not finite; `bad-parameter` for the scale and for sides above RECIPE_LIMITS.requestedSidePixels
 */
export function parseRegion(parameters: RegionParameters): FieldOfView {
  const { imageScale } = parameters;
  checkScale(imageScale);
  const corners = complete(parameters, CORNERS);
  const centre = complete(parameters, CENTRE);
  if (!corners && !centre) throw noRegion(parameters);
  const region = corners ? cornerRegion(corners) : centreRegion(centre!, imageScale);
  if (corners) checkPixels(region, imageScale);
  return fieldOfView(region, imageScale);
}
