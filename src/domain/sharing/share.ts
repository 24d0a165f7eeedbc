// A movie on its way to the video host, and there.
import type { VideoDetails } from './video-details.ts';

/**
 * `pending` waits, `uploading` is with somebody, `done` is at the host, `failed` may be tried again, `gone` was done and has been
 * removed or hidden by its owner.
 */
export type ShareStatus = 'pending' | 'uploading' | 'done' | 'failed' | 'gone';

/** What lists and pictures show of a shared movie, as it was when it was shared. */
export interface MovieFacts {
  /** Layers and events in their notations. */
  readonly layers: string;
  readonly events: string;
  /** Of the layers, as a picture labels them. */
  readonly layerNames: string;
  readonly imageScaleArcsecPerPixel: number;
  /** Pixels of the video. */
  readonly width: number;
  readonly height: number;
  readonly durationSeconds: number;
  /** First and last frame. */
  readonly startMs: number;
  readonly endMs: number;
  /** Centre of the field of view in arcseconds from the centre of the Sun, y to the south. */
  readonly centreX: number;
  readonly centreY: number;
  /** Names the folder of its previews. */
  readonly createdAtMs: number;
}

export interface Share {
  readonly movieId: string;
  /** Hash of the browser session that shares it. */
  readonly session: string;
  readonly details: VideoDetails;
  readonly facts: MovieFacts;
  readonly status: ShareStatus;
  readonly createdAtMs: number;
  /** Bytes that the host has, of how many; 0 of 0 before the upload began. */
  readonly sentBytes: number;
  readonly totalBytes: number;
  /** Sentence for the user. */
  readonly reason: string | null;
  /** Id at the host. */
  readonly videoId: string | null;
  /** In whole seconds, since that is how it is shown and asked for. */
  readonly publishedAtMs: number | null;
}

const IN_THE_WAY: readonly ShareStatus[] = ['pending', 'uploading', 'done'];

/** Whether nobody can share the movie anew. */
export function isInTheWay({ status }: Pick<Share, 'status'>): boolean {
  return IN_THE_WAY.includes(status);
}

/** Milliseconds before the attempt after `attempts` that got nowhere: doubled each time. */
export function retryDelayMs(attempts: number, firstMs: number): number {
  return firstMs * 2 ** Math.max(0, attempts - 1);
}
