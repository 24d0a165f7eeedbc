// What a request says of a movie. It is kept as text, so that the movie can be planned anew when there are new images.
import { badParameter } from '../errors.ts';
import { type SceneParameters, sceneFromParameters } from '../recipe/from-parameters.ts';
import type { Scene } from '../recipe/recipe.ts';
import type { Pace } from './frame-rate.ts';
import type { SizePreset } from './movie-recipe.ts';

/** Parameters of the right types. Times: milliseconds since 1970. */
export interface MovieRequest extends SceneParameters, Pace {
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
  readonly request: MovieRequest;
  /** With the field of view as it was asked for. */
  readonly scene: Scene;
  readonly startMs: number;
  readonly endMs: number;
  readonly maxFrames: number | null;
  readonly pace: Pace;
  readonly size: SizePreset;
  readonly followViewport: boolean;
  /** When the field of view is right; null: at the first frame. */
  readonly viewedAtMs: number | null;
  /** What of the request could not be done as it was said, as sentences. */
  readonly adjustments: readonly string[];
}

interface Viewing {
  readonly viewedAtMs: number | null;
  readonly adjustment: readonly string[];
}

/** A viewport at a time outside the movie would be a place that the movie never shows. */
function viewing({ startTime, endTime, followViewport, reqObservationDate }: MovieRequest): Viewing {
  if (!followViewport || reqObservationDate === undefined) return { viewedAtMs: null, adjustment: [] };
  const isInside = reqObservationDate >= startTime && reqObservationDate <= endTime;
  if (isInside) return { viewedAtMs: Math.floor(reqObservationDate), adjustment: [] };
  const sentence = 'The viewport is that of the first frame: reqObservationDate is not between startTime and endTime.';
  return { viewedAtMs: null, adjustment: [sentence] };
}

/** @throws Failure naming the parameter at fault */
export function parseMovieRequest(request: MovieRequest): RequestedMovie {
  const { startTime, endTime, imageScale, size = 0, frameRate, movieLength } = request;
  if (startTime >= endTime) throw badParameter('endTime', 'a time after startTime', new Date(endTime).toISOString());
  const scene = sceneFromParameters(request);
  const { viewedAtMs, adjustment } = viewing(request);
  const isCoarser = size === 0 && scene.imageScaleArcsecPerPixel !== imageScale;
  const coarser = `The scale is ${scene.imageScaleArcsecPerPixel} arcseconds per pixel: finer, a side would be too long.`;
  return {
    request,
    scene,
    startMs: Math.floor(startTime),
    endMs: Math.floor(endTime),
    maxFrames: request.maxFrames ?? null,
    pace: { frameRate, movieLength },
    size: size as SizePreset,
    followViewport: request.followViewport ?? false,
    viewedAtMs,
    adjustments: [...(isCoarser ? [coarser] : []), ...adjustment],
  };
}
