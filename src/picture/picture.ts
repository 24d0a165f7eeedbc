// What a picture is. Parameters of the API, canonical strings (recipe.ts), movies, addresses of the page and saved states are notations of a
// picture or of a part of it; what is cached, stored, shared or not drawn again has its key from here.
import { sha256Hex } from '../platform/util/bytes.ts';
import { badParameter, Failure, type Suggestion } from '../platform/util/errors.ts';
import type { Region } from '../sun/coordinates/picture-plane.ts';
import type { EventSource } from '../sun/events/event-types.ts';
import type { Layer } from './layers.ts';
import { RECIPE_LIMITS } from './limits.ts';
import { type Operations, operationKey, operationsOf } from './operations/operations.ts';
import type { Overlays } from './overlays/overlays.ts';
import type { Projection } from './projection.ts';

/**
 * Names below a source: category, recognition method or group and deeper groups, and event (its id or its label). A prefix chooses all
 * events below it, the empty path all of the source. Names are keys of `nameKey`, except ids in a selection by pins.
 */
export type EventPath = readonly string[];

export interface SourceSelection {
  readonly source: EventSource;
  /** Whether the events are labelled. */
  readonly labels: boolean;
  /** How recipes spell the paths: by pins (`layers`) as the first recipes did, or as paths (`layers_v2`). */
  readonly notation: 'pins' | 'paths';
  /** Sorted, disjoint and not empty. */
  readonly paths: readonly EventPath[];
}

/** One entry per source with selected events, in the order of EVENT_SOURCES. */
export type EventSelection = readonly SourceSelection[];

/** Layers at a time in a field of view, under overlays and events. */
export interface Picture extends FieldOfView {
  /** Each layer shows its image nearest to this time, in whole milliseconds since 1970. */
  readonly atMs: number;
  /** From the bottom to the top. */
  readonly layers: readonly Layer[];
  readonly events: EventSelection;
  readonly overlays: Overlays;
  /** Shows sources of SOHO in place of SDO at times before SDO. */
  readonly switchSources: boolean;
  /** The region is a part of its screen plane. Absent for the plane. */
  readonly projection?: Projection;
  /**
   * Magnification of overlays, for frames of large movies; unset for 1. Not part of the canonical string, because requests
   * for pictures do not have it.
   */
  readonly overlayMagnification?: number;
}

/** Everything about a picture except its time; the frames of a movie share one scene. */
export type Scene = Omit<Picture, 'atMs' | 'overlayMagnification'>;

/** A picture of one image: `V` is what it shows of it, as a tile or a size, and the format. */
export type ImagePicture<V> = Operations & V & { readonly id: number };

const isImage = (value: unknown): value is { readonly key: string; readonly sha256: string } =>
  typeof value === 'object' && value !== null && 'sha256' in value && 'key' in value;

/** All members of a picture, or of a part of it, as text, so that none is forgotten; images by the name and the hash of their files. */
export const pictureKey = (picture: object): string =>
  JSON.stringify(picture, (_, value: unknown) => (isImage(value) ? `${value.key} ${value.sha256}` : value));

/** SHA-256 of the key of a picture, in hexadecimal digits, for the names of stored files. */
export const pictureHash = (picture: object): Promise<string> => sha256Hex(pictureKey(picture));

/** The key of a picture of one image in the edge cache: its operations as their parameters, and its other members. */
export function addressKey(picture: object): Readonly<Record<string, string | number>> {
  const operations = operationsOf(picture);
  const others = Object.entries(picture).filter(([name]) => !(name in operations));
  return { ...Object.fromEntries(others), ...operationKey(operations) };
}

/** A region in pixels. Pixel (0, 0) starts at its top left corner; its sides are rounded to whole pixels. */
export interface FieldOfView {
  readonly region: Region;
  readonly imageScaleArcsecPerPixel: number;
  readonly width: number;
  readonly height: number;
}

const CORNERS = ['x1', 'y1', 'x2', 'y2'] as const;
const CENTRE = ['x0', 'y0', 'width', 'height'] as const;

/** The two forms of a region in a request, by corners or by centre; corners take precedence when both are complete. */
export type RegionParameters = { readonly imageScale: number } & {
  /** Arcseconds, y downward; width and height in pixels, rounded. */
  readonly [name in (typeof CORNERS)[number] | (typeof CENTRE)[number]]?: number | undefined;
};

type Form = readonly (keyof RegionParameters)[];

function badRegion(name: string, what: string, value: unknown, meant?: Suggestion): Failure {
  const { message, suggestion } = badParameter(name, what, value, meant);
  return new Failure('bad-region', message, { parameter: name, suggestion });
}

/** The other of two sides in the wrong order; undefined for equal ones. */
const swapped = (first: number, last: number, names: string): Suggestion | undefined =>
  first === last ? undefined : { value: String(first), gloss: `${names} swapped` };

/** The values of a form, or null when one is missing. */
function complete(parameters: RegionParameters, form: Form): number[] | null {
  const values = form.flatMap((name) => parameters[name] ?? []);
  return values.length === form.length ? values : null;
}

/** Whether a request has any parameter of a region. */
export function namesRegion(parameters: RegionParameters): boolean {
  return [...CORNERS, ...CENTRE].some((name) => parameters[name] !== undefined);
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
  if (left! >= right!) throw badRegion('x2', `a number above x1 (${left})`, right, swapped(left!, right!, 'x1 and x2'));
  if (top! >= bottom!) {
    const what = `a number above y1 (${top}), since y grows downward,`;
    throw badRegion('y2', what, bottom, swapped(top!, bottom!, 'y1 and y2'));
  }
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
 * The field of view of a region at a scale. If the longer side exceeds `most` pixels, the scale is made coarser
 * until it fits exactly; the shorter side keeps at least one pixel.
 */
export function fieldOfView(region: Region, imageScale: number, most: number = RECIPE_LIMITS.sidePixels): FieldOfView {
  const across = region.right - region.left;
  const down = region.bottom - region.top;
  const longest = Math.max(across, down);
  const imageScaleArcsecPerPixel = Math.round(longest / imageScale) > most ? longest / most : imageScale;
  const side = (arcsec: number) => Math.max(1, Math.round(arcsec / imageScaleArcsecPerPixel));
  return { region, imageScaleArcsecPerPixel, width: side(across), height: side(down) };
}

function checkScale(imageScale: number): void {
  const { min, max } = RECIPE_LIMITS.imageScaleArcsecPerPixel;
  if (!(imageScale >= min && imageScale <= max)) throw badParameter('imageScale', `a number from ${min} to ${max}`, imageScale);
}

/** Checks the size in pixels of a region given by corners. */
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
 * The field of view of a request, at the requested scale unless that gives too many pixels.
 * @throws Failure naming the parameter: `no-region` when neither form is complete; `bad-region` when the region is empty,
 *   inverted or not finite; `bad-parameter` for the scale and for sides above RECIPE_LIMITS.requestedSidePixels
 */
export function parseRegion(parameters: RegionParameters, most?: number): FieldOfView {
  const { imageScale } = parameters;
  checkScale(imageScale);
  const corners = complete(parameters, CORNERS);
  const centre = complete(parameters, CENTRE);
  if (!corners && !centre) throw noRegion(parameters);
  const region = corners ? cornerRegion(corners) : centreRegion(centre!, imageScale);
  if (corners) checkPixels(region, imageScale);
  return fieldOfView(region, imageScale, most);
}
