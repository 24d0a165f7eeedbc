// The parameters of a movie request. They are stored, so that the movie can be planned again when new images arrive.
import { badParameter } from '../errors.ts';
import { eventsStateOf } from '../recipe/events/events-state.ts';
import { type SceneParameters, sceneFromParameters } from '../recipe/from-parameters.ts';
import type { Scene } from '../recipe/recipe.ts';
import { namesRegion } from '../recipe/region.ts';
import { swappedTimes } from '../request-date.ts';
import type { PlaybackRequest } from './frame-timing.ts';
import type { SizePreset } from './movie-recipe.ts';

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
export interface RequestedMovie {
  /** The request as it is stored. */
  readonly request: MovieRequest;
  /** With the requested field of view. */
  readonly scene: Scene;
  readonly startMs: number;
  readonly endMs: number;
  readonly maxFrames: number | null;
  readonly playback: PlaybackRequest;
  readonly size: SizePreset;
  readonly followViewport: boolean;
  /** Time at which the rotating field of view is the requested one; null: that of the first frame. */
  readonly viewedAtMs: number | null;
  /** Deviations from the request and remarks on it, as sentences. */
  readonly adjustments: readonly string[];
}

/** Field of view of a request that names none, pixels around the Sun's centre. */
const DEFAULT_FIELD = { x0: 0, y0: 0, width: 1920, height: 1200 };

/** A viewport time outside the movie is ignored, because the movie would never show that field of view. */
function viewport({
  startTime,
  endTime,
  followViewport,
  reqObservationDate,
}: MovieRequest): Pick<RequestedMovie, 'viewedAtMs' | 'adjustments'> {
  if (!followViewport || reqObservationDate === undefined) return { viewedAtMs: null, adjustments: [] };
  const isInside = reqObservationDate >= startTime && reqObservationDate <= endTime;
  if (isInside) return { viewedAtMs: Math.floor(reqObservationDate), adjustments: [] };
  const sentence = 'The viewport is that of the first frame: reqObservationDate is not between startTime and endTime.';
  return { viewedAtMs: null, adjustments: [sentence] };
}

/** The request with its events in their canonical form, because the form of the client may be of any length. */
function storable({ events, eventsState, eventLabels, eventsLabels, ...request }: MovieRequest, scene: Scene): MovieRequest {
  return scene.events.length > 0 ? { ...request, eventsState: eventsStateOf(scene.events) } : request;
}

/** @throws Failure naming the parameter at fault */
export function parseMovieRequest(request: MovieRequest): RequestedMovie {
  const { startTime, endTime, imageScale, size = 0, frameRate, movieLength } = request;
  if (startTime >= endTime) {
    const swapped = swappedTimes(startTime, endTime, ['startTime', 'endTime']);
    throw badParameter('endTime', 'a time after startTime', new Date(endTime).toISOString(), swapped);
  }
  const { scene, remarks } = sceneFromParameters(namesRegion(request) ? request : { ...request, ...DEFAULT_FIELD });
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
