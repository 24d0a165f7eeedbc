// Shares: movies that users publish at the video host.
import type { VideoDetails } from './video-details.ts';

/**
 * `pending`: waits for an upload run; `uploading`: leased by one; `done`: published; `failed`: may be retried; `gone`: published,
 * then removed or hidden by its owner.
 */
export type ShareStatus = 'pending' | 'uploading' | 'done' | 'failed' | 'gone';

/** Facts about a movie for lists and markers, recorded when it is shared. */
export interface MovieFacts {
  /** Layers and events in the notations of the API. */
  readonly layers: string;
  readonly events: string;
  /** Names of the layers, as in the watermark. */
  readonly layerNames: string;
  readonly imageScaleArcsecPerPixel: number;
  /** Pixels of the video. */
  readonly width: number;
  readonly height: number;
  readonly durationSeconds: number;
  /** Times of the first and the last frame. */
  readonly startMs: number;
  readonly endMs: number;
  /** Centre of the field of view: arcseconds from disk centre, x to the west, y to the SOUTH. */
  readonly centreX: number;
  readonly centreY: number;
  /** Determines the folder of the previews. */
  readonly createdAtMs: number;
}

export interface Share {
  readonly movieId: string;
  /** Token hash of the browser session that shares it. */
  readonly session: string;
  readonly details: VideoDetails;
  readonly facts: MovieFacts;
  readonly status: ShareStatus;
  readonly createdAtMs: number;
  /** Bytes received by the host, and size of the file; both 0 before the upload starts. */
  readonly sentBytes: number;
  readonly totalBytes: number;
  /** Reason of a failure, for the user. */
  readonly reason: string | null;
  /** Id of the video at the host. */
  readonly videoId: string | null;
  /** Whole seconds, because `published` and `since` of getUserVideos have no fraction. */
  readonly publishedAtMs: number | null;
}

const ACTIVE: readonly ShareStatus[] = ['pending', 'uploading', 'done'];

/** Whether the share excludes another share of the same movie. */
export function isActive({ status }: Pick<Share, 'status'>): boolean {
  return ACTIVE.includes(status);
}

/** Delay in milliseconds before the next attempt after `attempts` without progress: exponential backoff. */
export function retryDelayMs(attempts: number, firstMs: number): number {
  return firstMs * 2 ** Math.max(0, attempts - 1);
}

/** Queue message that announces a pending upload. Which one is read from D1. */
export const UPLOAD_NUDGE = { kind: 'uploads' } as const;

export function isUploadNudge(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'kind' in message && message.kind === UPLOAD_NUDGE.kind;
}
