// The roles of sharing movies: what is remembered of sessions and shares, what is asked of movies and of the video host.
import type { MovieFacts, Share } from '../domain/sharing/share.ts';
import type { VideoDetails } from '../domain/sharing/video-details.ts';

/** A movie as sharing sees it. */
export interface ShareableMovie {
  readonly isFinished: boolean;
  readonly facts: MovieFacts;
  /** The mp4 of high quality; null when it is not there. */
  readonly file: MovieFile | null;
}

export interface MovieFile {
  /** Object key, bytes, and what differs when the same key holds other bytes. */
  readonly key: string;
  readonly size: number;
  readonly etag: string;
}

export interface ShareableMovies {
  /** Null for ids that nobody has. */
  find(id: string): Promise<ShareableMovie | null>;
}

/** A browser session. Grants are sealed before they come here. */
export interface SharingSession {
  /** SHA-256 of what the cookie holds. */
  readonly hash: string;
  readonly expiresAtMs: number;
  readonly sealedGrant: string | null;
}

/** A user who was sent to the host's page. */
export interface Authorisation {
  /** SHA-256 of the state. */
  readonly stateHash: string;
  readonly session: string;
  readonly movieId: string;
  readonly details: VideoDetails;
  readonly sealedVerifier: string;
  readonly expiresAtMs: number;
}

export interface SharingSessions {
  create(session: SharingSession): Promise<void>;
  /** Null when it has expired. */
  find(hash: string, nowMs: number): Promise<SharingSession | null>;
  /** The session lives until then. */
  keepGrant(hash: string, sealedGrant: string, expiresAtMs: number): Promise<void>;
  dropGrant(hash: string): Promise<void>;
  addAuthorisation(authorisation: Authorisation): Promise<void>;
  /** Removes it and gives it, once and only to its session; null when it is another's, was taken before or has expired. */
  takeAuthorisation(stateHash: string, session: string, nowMs: number): Promise<Authorisation | null>;
  /** Deletes what has expired; how many rows. */
  expire(nowMs: number): Promise<number>;
}

/** What is needed to share: the grant is sealed. */
export interface NewShare extends Pick<Share, 'movieId' | 'session' | 'details' | 'facts'> {
  readonly sealedGrant: string;
}

/** An upload that somebody works on. */
export interface ClaimedUpload {
  readonly share: Share;
  readonly sealedGrant: string | null;
  readonly lease: string;
  /** Attempts in a row that got nowhere, this one included. */
  readonly attempts: number;
  /** Null before the host took it on. */
  readonly begun: BegunUpload | null;
}

/** Where the host takes the bytes, sealed, and of which file: its key with its ETag. */
export interface BegunUpload {
  readonly sealedAddress: string;
  readonly fileKey: string;
  readonly fileSize: number;
}

/** Remembers shares. Everything about a claimed one is conditional on its lease: false, and without effect, when it is lost. */
export interface VideoShares {
  find(movieId: string): Promise<Share | null>;
  /** Adds a share that waits, in the place of one that failed or is gone; false when another one is in the way. */
  begin(share: NewShare, nowMs: number): Promise<boolean>;
  /** The share that waits longest, or that was left, to exactly one caller. An attempt is counted. */
  claim(nowMs: number, leaseMs: number): Promise<ClaimedUpload | null>;
  /** Notes that the host took the upload on; nothing is sent so far. */
  begun(movieId: string, lease: string, upload: BegunUpload): Promise<boolean>;
  /** Notes how much the host has and prolongs the lease; attempts count anew when it is more than before. */
  progress(movieId: string, lease: string, sentBytes: number, leaseUntilMs: number): Promise<boolean>;
  setGrant(movieId: string, lease: string, sealedGrant: string): Promise<boolean>;
  finish(movieId: string, lease: string, videoId: string, nowMs: number): Promise<boolean>;
  /** Hands it back for a further attempt at `notBeforeMs`. */
  retry(movieId: string, lease: string, notBeforeMs: number, reason: string | null): Promise<boolean>;
  fail(movieId: string, lease: string, reason: string): Promise<boolean>;
  /** Shared ones at the host, published after `sinceMs`, newest first. */
  published(range: { readonly sinceMs: number; readonly skip: number; readonly limit: number }): Promise<readonly Share[]>;
  /** Shared ones at the host whose frames are around a time, newest first. */
  covering(atMs: number, limit: number): Promise<readonly Share[]>;
  /** Those at the host, or gone and published after `goneSinceMs`, that were last looked for before `beforeMs`. */
  dueForCheck(beforeMs: number, goneSinceMs: number, limit: number): Promise<readonly Share[]>;
  checked(movieId: string, videoId: string, isThere: boolean, nowMs: number): Promise<void>;
}

/** What the user granted us at the host. */
export interface Grant {
  readonly accessToken: string;
  readonly expiresAtMs: number;
  readonly refreshToken: string | null;
}

/** An upload at the host: how many bytes it has, or the id of the finished video. */
export type UploadState = { readonly sentBytes: number } | { readonly videoId: string };

/** The video host. Everything that asks it throws VideoHostError. */
export interface VideoHost {
  /** A new pair for PKCE, S256. */
  newChallenge(): Promise<{ readonly verifier: string; readonly challenge: string }>;
  authorisationUrl(request: { readonly state: string; readonly challenge: string; readonly redirectUri: string }): string;
  /** `callback`: what the host sent the user back with. */
  exchange(callback: URLSearchParams, verifier: string, redirectUri: string): Promise<Grant>;
  refresh(refreshToken: string): Promise<Grant>;
  /** The address that takes the bytes. */
  beginUpload(accessToken: string, details: VideoDetails, bytes: number): Promise<string>;
  uploadState(address: string, accessToken: string, totalBytes: number): Promise<UploadState>;
  send(
    address: string,
    accessToken: string,
    chunk: { readonly bytes: Uint8Array; readonly offset: number; readonly totalBytes: number },
  ): Promise<UploadState>;
  isThere(videoId: string): Promise<boolean>;
}

/** Told that there may be an upload. */
export interface UploadNudge {
  nudge(): Promise<void>;
}
