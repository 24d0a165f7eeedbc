// A movie as data: its request, kept so that it can be planned again, its canonical string, and the recipes of its frames.
import { eventsStateOf } from '../picture/events/selection.ts';
import { badMember, flagIn, type Members, positiveIn, readMembers, timeIn } from '../picture/notation.ts';
import { namesRegion, type Picture, type Scene } from '../picture/picture.ts';
import { type Projection, projectionAt } from '../picture/projection.ts';
import type { SceneParameters } from '../picture/recipe.ts';
import { SCENE_MEMBERS, sceneFromParameters, sceneIn, sceneMembers, sceneParameters } from '../picture/recipe.ts';
import { DAY_MS } from '../platform/util/durations.ts';
import { badParameter } from '../platform/util/errors.ts';
import { pictureObserver } from '../sun/coordinates/observer.ts';
import { isInFront, rotation, type Stonyhurst, seenAt, stonyhurstOf, surfacePoint, vectorOf } from '../sun/coordinates/sphere.ts';
import { requestAddress } from '../sun/provenance.ts';
import { swappedTimes } from '../sun/time.ts';

/** Sampling interval of visibility: about a quarter of the shortest time that most locations stay behind the Sun. */
const STEP_MS = DAY_MS;
/** Most samples, for movies that span years. */
const MAX_STEPS = 400;
/** Precision of the time of a limb passage. */
const LIMB_TIME_MS = 1000;

/** Projection of a location at a time; null while it is behind the Sun. */
function project(location: Stonyhurst, fromMs: number, atMs: number): { x: number; y: number } | null {
  const observer = pictureObserver(atMs);
  const point = vectorOf(rotation(fromMs, atMs)(location), observer);
  return isInFront(point, observer) ? seenAt(point, observer) : null;
}

/** The time nearest to `toMs` such that the location is continuously visible between `fromMs` and that time. */
function lastInFront(location: Stonyhurst, fromMs: number, toMs: number): number {
  const steps = Math.min(Math.max(1, Math.ceil(Math.abs(toMs - fromMs) / STEP_MS)), MAX_STEPS);
  const isSeen = (atMs: number) => project(location, fromMs, atMs) !== null;
  const times = Array.from({ length: steps }, (_, i) => fromMs + ((toMs - fromMs) * (i + 1)) / steps);
  const gone = times.findIndex((atMs) => !isSeen(atMs));
  if (gone < 0) return toMs;
  let [seenMs, goneMs] = [times[gone - 1] ?? fromMs, times[gone]!];
  while (Math.abs(goneMs - seenMs) > LIMB_TIME_MS) {
    const middleMs = (seenMs + goneMs) / 2;
    if (isSeen(middleMs)) seenMs = middleMs;
    else goneMs = middleMs;
  }
  return seenMs;
}

/**
 * Shift that keeps the centre of a field of view, chosen at `fromMs`, on the same solar location at `toMs`, which may be earlier.
 * The shift stops when the location passes the limb, and is zero for a centre beside the Sun.
 * @param centre Region coordinates: arcseconds as seen from 1 au, x to the west, y DOWN, to the south
 * @returns Arcseconds in region coordinates
 */
export function viewportShift(centre: { x: number; y: number }, fromMs: number, toMs: number) {
  const observer = pictureObserver(fromMs);
  const point = surfacePoint({ x: centre.x, y: -centre.y }, observer);
  if (!point) return { dx: 0, dy: 0 };
  const location = stonyhurstOf(point, observer);
  const seen = project(location, fromMs, lastInFront(location, fromMs, toMs));
  return seen ? { dx: seen.x - centre.x, dy: -seen.y - centre.y } : { dx: 0, dy: 0 };
}

/** Value of the size parameter: 0 the requested field of view, 1 720p, 2 1080p, 3 1440p, 4 2160p. */
export type SizePreset = 0 | 1 | 2 | 3 | 4;

export interface MovieRecipe {
  /** At the scale at which frames are drawn; width and height are even. A request has the field of view that it names. */
  readonly scene: Scene;
  /** Range of the frame times in milliseconds since 1970, both ends included. */
  readonly startMs: number;
  readonly endMs: number;
  readonly followViewport: boolean;
  /** Time at which the rotating field of view is the requested one; null: that of the first frame. Null unless `followViewport`. */
  readonly viewedAtMs: number | null;
  readonly size: SizePreset;
  /** Magnification of overlays; 1 for none. */
  readonly overlayMagnification: number;
  /** Frames per second. */
  readonly frameRate: number;
}

/** Least magnification of overlays by preset: above 1080p they cover the same share of the frame as at 1080p. */
export const LEAST_MAGNIFICATIONS: Readonly<Record<SizePreset, number>> = { 0: 1, 1: 1, 2: 1, 3: 4 / 3, 4: 2 };

export interface PlannedFrame {
  /** Time of the image of the reference layer. */
  readonly atMs: number;
  /** From the bottom to the top: the id of the image and, in a difference, of the reference image. */
  readonly images: readonly (readonly [imageId: number] | readonly [imageId: number, referenceId: number])[];
}

const MEMBERS = ['start', 'end', 'followViewport', 'viewedAt', 'size', 'overlayMagnification', 'frameRate'];
const SIZES: readonly SizePreset[] = [0, 1, 2, 3, 4];

const iso = (ms: number): string => new Date(ms).toISOString();

/** Canonical string: JSON with members in a fixed order, without defaults. Events make it up to a megabyte long, so keys use its hash. */
export function movieRecipeString(movie: MovieRecipe): string {
  const { scene, startMs, endMs, followViewport, viewedAtMs, size, overlayMagnification, frameRate } = movie;
  return JSON.stringify({
    start: iso(startMs),
    end: iso(endMs),
    followViewport: followViewport || undefined,
    viewedAt: viewedAtMs === null ? undefined : iso(viewedAtMs),
    size: size || undefined,
    overlayMagnification: overlayMagnification === LEAST_MAGNIFICATIONS[size] ? undefined : overlayMagnification,
    frameRate,
    ...sceneMembers(scene),
  });
}

function sizeIn(members: Members): SizePreset {
  const value = members.get('size') ?? 0;
  const size = SIZES.find((known) => known === value);
  if (size === undefined) throw badMember('a whole number from 0 to 4 as size', value);
  return size;
}

/** The movie of a canonical string. @throws Failure for any other text */
export function parseMovieRecipeString(text: string): MovieRecipe {
  const members = readMembers(text, [...MEMBERS, ...SCENE_MEMBERS]);
  const size = sizeIn(members);
  return {
    scene: sceneIn(members),
    startMs: timeIn(members, 'start'),
    endMs: timeIn(members, 'end'),
    followViewport: flagIn(members, 'followViewport', false),
    viewedAtMs: members.has('viewedAt') ? timeIn(members, 'viewedAt') : null,
    size,
    overlayMagnification: members.has('overlayMagnification')
      ? positiveIn(members, 'overlayMagnification')
      : LEAST_MAGNIFICATIONS[size],
    frameRate: positiveIn(members, 'frameRate'),
  };
}

/** A sphere that follows the place in its middle; other projections stay. */
const followed = (projection: Projection, fromMs: number, toMs: number): Projection =>
  projection.kind === 'sphere' ? { ...projection, ...rotation(fromMs, toMs)(projection) } : projection;

/**
 * Recipe of the frame at `atMs`. With `followViewport` its centre follows the surface point shown at `viewedAtMs` (default: `firstFrameMs`);
 * in other projections than the plane, a sphere turns with it.
 */
export function frameRecipe(
  { scene, startMs, endMs, followViewport, viewedAtMs, overlayMagnification }: MovieRecipe,
  atMs: number,
  firstFrameMs: number,
): Picture {
  const referenceMs = viewedAtMs ?? firstFrameMs;
  const turned = scene.projection && projectionAt(scene.projection, (atMs - startMs) / Math.max(endMs - startMs, 1));
  const projection = turned && followViewport ? followed(turned, referenceMs, atMs) : turned;
  const magnified = overlayMagnification === 1 ? {} : { overlayMagnification };
  const recipe = { ...scene, atMs, ...magnified, ...(projection ? { projection } : {}) };
  if (!followViewport || projection || atMs === referenceMs) return recipe;
  const { left, top, right, bottom } = scene.region;
  const centre = { x: (left + right) / 2, y: (top + bottom) / 2 };
  const { dx, dy } = viewportShift(centre, referenceMs, atMs);
  return { ...recipe, region: { left: left + dx, top: top + dy, right: right + dx, bottom: bottom + dy } };
}

export interface PlaybackRequest {
  /** Frames per second; takes precedence over `movieLength`. */
  readonly frameRate?: number | undefined;
  /** Seconds. */
  readonly movieLength?: number | undefined;
}

/** Typed parameters. Times are in milliseconds since 1970. */
export interface MovieRequest extends SceneParameters, PlaybackRequest {
  readonly startTime: number;
  readonly endTime: number;
  readonly maxFrames?: number | undefined;
  /** 0 to 4. */
  readonly size?: number | undefined;
  readonly followViewport?: boolean | undefined;
  readonly reqObservationDate?: number | undefined;
}

/** A parsed request, before the archive is consulted. */
export interface RequestedMovie extends Omit<MovieRecipe, 'overlayMagnification' | 'frameRate'> {
  readonly request: MovieRequest;
  readonly maxFrames: number | null;
  readonly playback: PlaybackRequest;
  /** Deviations from the request and remarks on it, as sentences. */
  readonly adjustments: readonly string[];
}

/** Field of view of a request that names none, pixels around the Sun's centre. */
export const DEFAULT_FIELD = { x0: 0, y0: 0, width: 1920, height: 1200 };

/** A viewport time outside the movie is ignored, because the movie would never show that field of view. */
function viewport({ startTime, endTime, followViewport, reqObservationDate }: MovieRequest) {
  if (!followViewport || reqObservationDate === undefined) return { viewedAtMs: null, adjustments: [] };
  const isInside = reqObservationDate >= startTime && reqObservationDate <= endTime;
  if (isInside) return { viewedAtMs: Math.floor(reqObservationDate), adjustments: [] };
  const sentence = 'The viewport is that of the first frame: reqObservationDate is not between startTime and endTime.';
  return { viewedAtMs: null, adjustments: [sentence] };
}

/** The request with its events in canonical form, whose length is bounded; event_selections stay as sent, because clients read them back. */
function storable({ events, eventsState, eventLabels, eventsLabels, ...request }: MovieRequest, scene: Scene): MovieRequest {
  if (request.event_selections !== undefined)
    return typeof request.event_selections === 'string' ? { ...request, eventLabels, eventsLabels } : request;
  return scene.events.length > 0 ? { ...request, eventsState: eventsStateOf(scene.events) } : request;
}

/** @throws Failure naming the parameter at fault */
export function parseMovieRequest(request: MovieRequest): RequestedMovie {
  const { startTime, endTime, imageScale, size = 0, frameRate, movieLength } = request;
  if (startTime >= endTime) {
    const swapped = swappedTimes(startTime, endTime, ['startTime', 'endTime']);
    throw badParameter('endTime', 'a time after startTime', new Date(endTime).toISOString(), swapped);
  }
  const { scene, remarks } = sceneFromParameters(namesRegion(request) ? request : { ...request, ...DEFAULT_FIELD }, true);
  const { viewedAtMs, adjustments } = viewport(request);
  const isCoarser = size === 0 && scene.imageScaleArcsecPerPixel !== imageScale;
  const coarser = `The scale is ${scene.imageScaleArcsecPerPixel} arcseconds per pixel: finer, a side would be too long.`;
  return {
    request: storable(request, scene),
    scene,
    startMs: Math.floor(startTime),
    endMs: Math.floor(endTime),
    maxFrames: request.maxFrames ?? null,
    playback: { frameRate, movieLength },
    size: size as SizePreset,
    followViewport: request.followViewport ?? false,
    viewedAtMs,
    adjustments: [...(isCoarser ? [coarser] : []), ...adjustments, ...remarks],
  };
}

/** Request that gives a movie again: in queueMovie, or with events in postMovie. @param maxFrames Of its request; null without */
export function movieAddress(recipe: MovieRecipe, maxFrames: number | null): string {
  const { scene, startMs, endMs, followViewport, viewedAtMs, size, overlayMagnification, frameRate } = recipe;
  return requestAddress(scene.events.length > 0 ? 'postMovie' : 'queueMovie', {
    startTime: iso(startMs),
    endTime: iso(endMs),
    ...sceneParameters(scene),
    // The scale of a movie of a given size decides on its overlays alone.
    imageScale: scene.imageScaleArcsecPerPixel * (size === 0 ? 1 : overlayMagnification),
    followViewport: followViewport || undefined,
    reqObservationDate: viewedAtMs === null ? undefined : iso(viewedAtMs),
    size: size || undefined,
    maxFrames: maxFrames ?? undefined,
    frameRate,
  });
}
