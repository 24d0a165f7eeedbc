// The roles of movies: who remembers them, who gives out work, who is told that there is some.
import type { MovieFileName } from '../domain/movies/formats.ts';
import type { Finish, Progress } from '../domain/movies/job.ts';
import type { MovieRecipe, PlannedFrame } from '../domain/movies/movie-recipe.ts';
import type { MovieRequest } from '../domain/movies/movie-request.ts';
import type { MovieStatus } from '../domain/movies/state.ts';
import type { Layer } from '../domain/recipe/layers.ts';
import type { StoredObject } from './objects.ts';

/** What a build is made of, before it has a place in the queue. */
export interface BuildPlan {
  /** SHA-256 of recipe and frames in hexadecimal. */
  readonly key: string;
  readonly recipe: MovieRecipe;
  readonly frames: readonly PlannedFrame[];
  readonly layerCount: number;
  /** Pixels of the video. */
  readonly width: number;
  readonly height: number;
  readonly frameRate: number;
  /** Megapixels to draw and to encode. */
  readonly cost: number;
}

export interface StoredMovieFile {
  readonly name: MovieFileName;
  readonly size: number;
  readonly etag: string;
}

export interface MovieBuild extends Omit<BuildPlan, 'frames'> {
  readonly id: number;
  readonly generation: number;
  readonly frameCount: number;
  readonly firstFrameMs: number;
  readonly lastFrameMs: number;
  readonly status: MovieStatus;
  readonly statusMp4: MovieStatus;
  readonly statusWebm: MovieStatus;
  readonly arrival: number;
  readonly queuedAtMs: number;
  readonly startedAtMs: number | null;
  readonly finishedAtMs: number | null;
  readonly attempts: number;
  readonly framesDone: number;
  readonly framesSkipped: number;
  /** Sources of events that did not answer for some frames. */
  readonly eventsMissing: readonly string[];
  readonly stage: Progress['stage'] | null;
  readonly error: string | null;
  readonly files: readonly StoredMovieFile[];
  readonly buildSeconds: number | null;
}

/** A request for a movie, with an id of its own. */
export interface Movie {
  /** Public id. */
  readonly id: string;
  readonly buildId: number;
  readonly createdAtMs: number;
  readonly token: string;
  /** Parameters of the request, for verbose status and for a new plan. */
  readonly request: MovieRequest;
  /** Layers of the request. */
  readonly layers: readonly Layer[];
  /** Hash of the client's address. */
  readonly client: string;
  /** What counts against the client's limit: little for a request that joined a build of others. */
  readonly cost: number;
}

/** A request before it is stored. */
export type NewMovie = Omit<Movie, 'buildId' | 'cost'>;

/** Remembers movies. */
export interface MovieRegister {
  /**
   * Adds the request and, unless a build of the same key waits, runs or is finished, its build, at the end of the queue.
   * The newest generation counts; one that is invalid is queued again. `fresh`: begins a new generation in any case.
   * `minCost`: what counts at least, also when nothing is built for it; 0 unless set.
   */
  add(
    movie: NewMovie,
    plan: BuildPlan,
    options: { readonly nowMs: number; readonly fresh?: boolean; readonly minCost?: number },
  ): Promise<{ movie: Movie; build: MovieBuild; isShared: boolean }>;
  /** Whether a build of this key waits, runs or is finished: a request for it has nothing built. */
  isThere(key: string): Promise<boolean>;
  find(id: string): Promise<{ movie: Movie; build: MovieBuild } | null>;
  /** Lets a movie lead to the build of this plan, as `add` does; its id, token and client stay. */
  replan(
    id: string,
    plan: BuildPlan,
    options: { readonly nowMs: number; readonly fresh?: boolean },
  ): Promise<{ build: MovieBuild; isShared: boolean } | null>;
  /** Queues a finished or invalid build again, with the same plan; false when it waits or runs already. */
  requeue(buildId: number, nowMs: number): Promise<boolean>;
  queueLength(): Promise<{ queued: number; processing: number }>;
  /** What is before a place in the queue: builds that wait, and the cost that is left of those and of the running ones. */
  ahead(arrival: number): Promise<{ waiting: number; cost: number }>;
  /** Cost and seconds of the last finished builds, newest first. */
  recentBuilds(limit: number): Promise<readonly { readonly cost: number; readonly seconds: number }[]>;
  /** Movie workers that asked for work since then. */
  workersSince(sinceMs: number): Promise<number>;
  /** Notes what a client has built again, and forgets what anybody had before `forgetBeforeMs`. */
  charge(client: string, cost: number, nowMs: number, forgetBeforeMs: number): Promise<void>;
  /** Cost that a client has had built since then. */
  costSince(client: string, sinceMs: number): Promise<number>;
}

/** A build that somebody works on. */
export interface ClaimedBuild {
  readonly build: MovieBuild;
  readonly frames: readonly PlannedFrame[];
  readonly lease: string;
  /** Milliseconds without a word after which the lease is lost. */
  readonly leaseMs: number;
  /** Object names of the stored segments, in order. */
  readonly segments: readonly string[];
  /** Public id of the first request for it; null when there is none left. */
  readonly movieId: string | null;
}

/** Gives out work. Every call but `claim` and `expire` is conditional on the lease: false, and without effect, when it is lost. */
export interface MovieClaims {
  /** The oldest waiting build, to exactly one caller; null when none waits. Expired leases are dealt with before. */
  claim(worker: string, nowMs: number): Promise<ClaimedBuild | null>;
  /** The claimed build; null when the lease is lost. Prolongs the lease. */
  claimed(buildId: number, lease: string, nowMs: number): Promise<ClaimedBuild | null>;
  /** Notes progress and prolongs the lease. */
  progress(buildId: number, progress: Progress, nowMs: number): Promise<boolean>;
  /** Notes sources of events that did not answer; they stay noted until all is built again. */
  missEvents(buildId: number, lease: string, sources: readonly string[]): Promise<boolean>;
  /** Prolongs the lease: for as long as it lasts nobody else has the build. */
  prolong(buildId: number, lease: string, nowMs: number): Promise<boolean>;
  /** Records a segment (`SEGMENT_NAME`) as stored. */
  storedSegment(buildId: number, lease: string, name: string): Promise<boolean>;
  /** Notes a file as stored; a format is finished when its file and the previews are there. */
  stored(buildId: number, lease: string, file: StoredMovieFile): Promise<boolean>;
  finish(buildId: number, finish: Finish, nowMs: number): Promise<boolean>;
  /** Queues the build again in its place, or ends it as invalid when that is final or the attempts are used up. */
  fail(buildId: number, lease: string, failure: { reason: string; isFinal: boolean }, nowMs: number): Promise<boolean>;
  /** Hands the build back; no attempt is counted. */
  release(buildId: number, lease: string, nowMs: number): Promise<boolean>;
  /** Queues builds whose lease has run out in their places again, or ends them; how many. */
  expire(nowMs: number): Promise<number>;
}

/** Multipart uploads in progress and their uploaded parts: at most one upload for each file of a build. */
export interface MovieUploads {
  /** Begins anew; gives the upload that it replaces, if there was one. */
  begin(upload: MovieUpload): Promise<string | null>;
  /** The upload that this lease began. */
  find(buildId: number, lease: string, name: string): Promise<(MovieUpload & { parts: readonly UploadedPart[] }) | null>;
  addPart(upload: MovieUpload, part: UploadedPart): Promise<void>;
  end(upload: MovieUpload): Promise<void>;
}

export interface MovieUpload {
  readonly buildId: number;
  readonly lease: string;
  /** Of the file. */
  readonly name: string;
  /** What the object store calls the upload. */
  readonly uploadId: string;
}

export interface UploadedPart {
  /** From 1. */
  readonly partNumber: number;
  readonly etag: string;
}

/** Writes objects as their bytes come in. Readers see the whole object or none of it; when a body fails, nothing is written. */
export interface IncomingObjects {
  /** `body`: of a known length, as the platform wants it (services/fixed-length.ts). */
  putStream(key: string, body: ReadableStream<Uint8Array>, contentType: string): Promise<StoredObject>;
  /** Begins a multipart upload, whose parts have one length but for the last, and returns its id. Readers see nothing of it until it is completed. */
  createMultipart(key: string, contentType: string): Promise<string>;
  /** Returns the etag of the part; `partNumber` from 1. */
  putPart(key: string, uploadId: string, partNumber: number, body: ReadableStream<Uint8Array>): Promise<string>;
  completeMultipart(key: string, uploadId: string, parts: readonly UploadedPart[]): Promise<StoredObject>;
  abortMultipart(key: string, uploadId: string): Promise<void>;
}

/** The movie workers. */
export interface MovieWorkers {
  /** Wakes `count` of them, or all where there are fewer; they ask for work by themselves until there is none. Never fails: who is asleep is woken the next time. */
  wake(count: number): Promise<void>;
}

/** Told that there may be work. */
export interface MovieNudge {
  nudge(): Promise<void>;
}
