// Ports of sharing: sessions, shares, the video host, short links and news.
import type { NewsFeed } from '../domain/sharing/news-feed.ts';
import type { Share } from '../domain/sharing/share.ts';
import type { VideoDetails } from '../domain/sharing/video-details.ts';

/** A browser session. Grants are stored sealed. */
export interface SharingSession {
  /** SHA-256 of the token in the cookie. */
  readonly hash: string;
  readonly expiresAtMs: number;
  readonly sealedGrant: string | null;
}

/** An authorisation in progress: the user was redirected to the host. */
export interface Authorisation {
  /** SHA-256 of the OAuth state. */
  readonly stateHash: string;
  readonly session: string;
  readonly movieId: string;
  readonly details: VideoDetails;
  readonly sealedVerifier: string;
  readonly expiresAtMs: number;
}

export interface SharingSessions {
  create(session: SharingSession): Promise<void>;
  /** Null for an unknown or expired session. */
  find(hash: string, nowMs: number): Promise<SharingSession | null>;
  /** Stores the grant and extends the session to `expiresAtMs`. */
  keepGrant(hash: string, sealedGrant: string, expiresAtMs: number): Promise<void>;
  dropGrant(hash: string): Promise<void>;
  addAuthorisation(authorisation: Authorisation): Promise<void>;
  /** Removes and returns an authorisation; null when it is of another session, was taken before or has expired. */
  takeAuthorisation(stateHash: string, session: string, nowMs: number): Promise<Authorisation | null>;
  /** Deletes expired rows; returns their number. */
  expire(nowMs: number): Promise<number>;
}

export interface NewShare extends Pick<Share, 'movieId' | 'session' | 'details' | 'facts'> {
  readonly sealedGrant: string;
}

/** An upload leased to one run. */
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
export interface StartedUpload {
  readonly sealedAddress: string;
  readonly fileKey: string;
  readonly fileSize: number;
}

/** Register of shares. Methods that take a lease return false, and have no effect, when the lease is lost. */
export interface VideoShares {
  find(movieId: string): Promise<Share | null>;
  /** Adds a pending share, replacing one that failed or is gone; false when an active one exists. */
  begin(share: NewShare, nowMs: number): Promise<boolean>;
  /** Leases the longest pending share, or one with an expired lease, to exactly one caller. Counts an attempt. */
  claim(nowMs: number, leaseMs: number): Promise<ClaimedUpload | null>;
  /** Records that the upload was started at the host; nothing is sent so far. */
  recordStart(movieId: string, lease: string, upload: StartedUpload): Promise<boolean>;
  /** Records the received bytes and extends the lease; progress resets the attempts. */
  progress(movieId: string, lease: string, sentBytes: number, leaseUntilMs: number): Promise<boolean>;
  setGrant(movieId: string, lease: string, sealedGrant: string): Promise<boolean>;
  finish(movieId: string, lease: string, videoId: string, nowMs: number): Promise<boolean>;
  /** Releases the share for another attempt at `notBeforeMs`. */
  retry(movieId: string, lease: string, notBeforeMs: number, reason: string | null): Promise<boolean>;
  fail(movieId: string, lease: string, reason: string): Promise<boolean>;
  /** Listed videos published after `sinceMs`, newest first. */
  published(range: { readonly sinceMs: number; readonly skip: number; readonly limit: number }): Promise<readonly Share[]>;
  /** Listed videos whose frames span a time, newest first. */
  covering(atMs: number, limit: number): Promise<readonly Share[]>;
  /** Listed videos whose frames span a time, latest start first. */
  coveringByStart(range: { readonly atMs: number; readonly skip: number; readonly limit: number }): Promise<readonly Share[]>;
  /** Videos last checked before `beforeMs`: published ones, and gone ones published after `goneSinceMs`. */
  dueForCheck(beforeMs: number, goneSinceMs: number, limit: number): Promise<readonly Share[]>;
  checked(movieId: string, videoId: string, isAvailable: boolean, nowMs: number): Promise<void>;
}

/** OAuth tokens that the user granted at the host. */
export interface Grant {
  readonly accessToken: string;
  readonly expiresAtMs: number;
  readonly refreshToken: string | null;
}

/** State of an upload at the host: bytes received, or the id of the finished video. */
export type UploadState = { readonly sentBytes: number } | { readonly videoId: string };

/** OAuth at the video host. */
export interface HostAuthority {
  /** A new pair for PKCE, method S256. */
  newChallenge(): Promise<{ readonly verifier: string; readonly challenge: string }>;
  authorisationUrl(request: { readonly state: string; readonly challenge: string; readonly redirectUri: string }): string;
  /**
   * @param callback Query parameters of the redirect back from the host
   * @throws VideoHostError
   */
  exchange(callback: URLSearchParams, verifier: string, redirectUri: string): Promise<Grant>;
  /** @throws VideoHostError */
  refresh(refreshToken: string): Promise<Grant>;
}

/** Resumable uploads to the video host. Every method throws VideoHostError. */
export interface HostUploads {
  /** Starts an upload; returns the address for its bytes. */
  begin(accessToken: string, details: VideoDetails, bytes: number): Promise<string>;
  state(address: string, accessToken: string, totalBytes: number): Promise<UploadState>;
  send(
    address: string,
    accessToken: string,
    chunk: { readonly bytes: Uint8Array; readonly offset: number; readonly totalBytes: number },
  ): Promise<UploadState>;
}

export interface VideoHost {
  readonly authority: HostAuthority;
  readonly uploads: HostUploads;
  /** @throws VideoHostError when the host does not tell */
  isAvailable(videoId: string): Promise<boolean>;
}

/** Announces that an upload may be pending. */
export interface UploadNudge {
  nudge(): Promise<void>;
}

/** Register of short links. */
export interface LinkRegister {
  /**
   * Adds a link unless the key is taken; returns the address stored under the key. Null when the addresses added since `sinceMs` would
   * have more than `characters` with this one.
   */
  add(
    key: string,
    address: string,
    atMs: number,
    budget: { readonly sinceMs: number; readonly characters: number },
  ): Promise<{ readonly address: string; readonly isNew: boolean } | null>;
  /** The address of a link, which counts as used now. */
  use(key: string, nowMs: number): Promise<string | null>;
  /** Deletes some of the links that were not used since then; returns their number. */
  expire(unusedSinceMs: number): Promise<number>;
}

/** Register of the stored views of the web client, which bounds their number. */
export interface ClientStateRegister {
  /**
   * Registers a view unless it and the new ones since `sinceMs` have more than `maxBytes`; records a use of a registered one.
   * @returns false for one that is not registered
   */
  register(
    key: string,
    atMs: number,
    view: { readonly bytes: number; readonly sinceMs: number; readonly maxBytes: number },
  ): Promise<boolean>;
  /** Records a use, once in a month. */
  use(key: string, nowMs: number): Promise<void>;
  /** Keys of some views that have not been used since. */
  unused(sinceMs: number): Promise<readonly string[]>;
  /** Deletes these, unless they have been used since. */
  delete(keys: readonly string[], unusedSinceMs: number): Promise<void>;
}

export interface ExternalLink {
  readonly address: string;
  /** Last segment of the path. */
  readonly hash: string;
  readonly isNew: boolean;
}

/** An external URL shortener. */
export interface UrlShortener {
  /** @throws Error without a valid response in time */
  shorten(address: string): Promise<ExternalLink>;
}

/** A blog with news. */
export interface NewsSource {
  /** Identifies the source. */
  readonly address: string;
  /** @throws Error without a valid feed in time */
  load(): Promise<NewsFeed>;
}
