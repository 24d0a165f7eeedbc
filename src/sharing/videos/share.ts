// Shares: movies that users publish at the video host, their browser sessions, and the errors of the host.
import type { VideoDetails } from './video-details.ts';

/** `pending`: waits for a run; `uploading`: leased by one; `done`: published; `failed`: may be retried; `gone`: removed or hidden later. */
export type ShareStatus = 'pending' | 'uploading' | 'done' | 'failed' | 'gone';

/** Facts about a movie for lists and markers, recorded when it is shared. */
export interface MovieFacts {
  /** Layers and events in the notations of the API. */
  readonly layers: string;
  readonly events: string;
  readonly layerNames: string;
  readonly imageScaleArcsecPerPixel: number;
  readonly width: number;
  readonly height: number;
  readonly durationSeconds: number;
  /** Times of the first and the last frame. */
  readonly startMs: number;
  readonly endMs: number;
  /** Centre of the field of view: arcseconds from disk centre, x to the west, y to the SOUTH. */
  readonly centreX: number;
  readonly centreY: number;
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
  readonly reason: string | null;
  readonly videoId: string | null;
  /** Whole seconds, because `published` and `since` of getUserVideos have no fraction. */
  readonly publishedAtMs: number | null;
}

export interface NewShare extends Pick<Share, 'movieId' | 'session' | 'details' | 'facts'> {
  readonly sealedGrant: string;
}

export interface ClaimedUpload {
  readonly share: Share;
  readonly sealedGrant: string | null;
  readonly lease: string;
  /** Consecutive attempts without progress, this one included. */
  readonly attempts: number;
  /** Null before the upload was started at the host. */
  readonly started: StartedUpload | null;
}

/** An upload started at the host. `fileKey`: key and ETag of its file. */
export type StartedUpload = { readonly sealedAddress: string; readonly fileKey: string; readonly fileSize: number };

/** State of an upload at the host: bytes received, or the id of the finished video. */
export type UploadState = { readonly sentBytes: number } | { readonly videoId: string };

const ACTIVE: readonly ShareStatus[] = ['pending', 'uploading', 'done'];

export const isActive = ({ status }: Pick<Share, 'status'>): boolean => ACTIVE.includes(status);

/** Queue message that announces a pending upload. Which one is read from D1. */
export const UPLOAD_NUDGE = { kind: 'uploads' } as const;

/** A browser session. Grants are stored sealed. */
export interface SharingSession {
  /** SHA-256 of the token in the cookie. */
  readonly hash: string;
  readonly expiresAtMs: number;
  readonly sealedGrant: string | null;
}

/** An authorisation in progress: the user was redirected to the host. */
export interface Authorisation {
  readonly stateHash: string;
  readonly session: string;
  readonly movieId: string;
  readonly details: VideoDetails;
  readonly sealedVerifier: string;
  readonly expiresAtMs: number;
}

export type Grant = { readonly accessToken: string; readonly expiresAtMs: number; readonly refreshToken: string | null };

export type HostErrorReason =
  /** The user denied the permission, or the authorisation code is invalid. */
  | 'not-granted'
  | 'revoked'
  /** The access token is rejected; a refreshed one may be accepted. */
  | 'token-refused'
  /** The daily quota of the user or of this service is used up. */
  | 'quota'
  /** The host rejects this video, or the account may not upload. */
  | 'refused'
  /** The host no longer knows the upload. */
  | 'upload-lost'
  /** No response, an invalid one, or a temporary failure. */
  | 'unavailable';

export class VideoHostError extends Error {
  readonly reason: HostErrorReason;

  constructor(reason: HostErrorReason) {
    super(`The video host: ${reason}.`);
    this.name = 'VideoHostError';
    this.reason = reason;
  }
}

const MESSAGES: Readonly<Record<HostErrorReason, string>> = {
  'not-granted': 'The video host did not give the permission to upload.',
  revoked: 'The permission to upload was withdrawn or has ended. Authorise again.',
  'token-refused': 'The video host does not accept the permission to upload. Authorise again.',
  quota: 'The video host takes no more uploads today. Try again tomorrow.',
  refused: 'The video host refused this video or this account.',
  'upload-lost': 'The video host lost the upload. Try again.',
  unavailable: 'The video host could not be reached. Try again later.',
};

export const hostMessage = (reason: HostErrorReason): string => MESSAGES[reason];
