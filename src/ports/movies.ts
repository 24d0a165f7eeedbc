// Roles of the movie queue: register, claims, uploads, workers and nudge.
import type { MovieFileName } from '../domain/movies/formats.ts';
import type { Finish, Progress } from '../domain/movies/job.ts';
import type { MovieRecipe, PlannedFrame } from '../domain/movies/movie-recipe.ts';
import type { MovieRequest } from '../domain/movies/movie-request.ts';
import type { MovieStatus } from '../domain/movies/state.ts';
import type { Layer } from '../domain/recipe/layers.ts';
import type { StoredObject } from './objects.ts';

/** A build before it is queued. */
export interface BuildPlan {
  /** SHA-256 of render version, recipe and frames in hexadecimal. */
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
  /** Place in the queue, before `arrival`: clients take turns, weighted by cost. */
  readonly turn: number;
  readonly queuedAtMs: number;
  readonly startedAtMs: number | null;
  readonly finishedAtMs: number | null;
  readonly attempts: number;
  readonly framesDone: number;
  readonly framesSkipped: number;
  /** Event sources that failed for some frames. */
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
  /** Daily hash of the client's address. */
  readonly client: string;
  /** Megapixels charged to the client: few for a request that joined an existing build. */
  readonly cost: number;
  /** Last recorded use. */
  readonly usedAtMs: number;
}

/** A request before it is stored. */
export type NewMovie = Omit<Movie, 'buildId' | 'cost' | 'usedAtMs'>;

/** Limits of the queue, tested in the transaction that queues a movie. */
export interface QueueLimits {
  /** Queued builds; a movie that joins a build is not counted. */
  readonly queued: number;
  /** Hashes of the client's address since `sinceMs`. */
  readonly clients: readonly string[];
  readonly sinceMs: number;
  /** Megapixels charged to the client since then, this movie included. */
  readonly clientCost: number;
}

export interface QueueingOptions {
  readonly nowMs: number;
  /** Minimum charge, also for a request that joins a build. Unset: 0. */
  readonly minCost?: number;
  /** Unset: none. */
  readonly limits?: QueueLimits;
}

export interface AddOptions extends QueueingOptions {
  /** Starts a new generation in any case. Unset: false. */
  readonly fresh?: boolean;
}

export interface RequeueOptions extends QueueingOptions {
  /** Hash of the client that is charged. */
  readonly client: string;
}

export interface AddedMovie {
  readonly movie: Movie;
  readonly build: MovieBuild;
  /** Whether the movie has joined a build that was there. */
  readonly isShared: boolean;
}

/** `unchanged`: the build is queued, running or finished. `over-limit`: it would exceed one of the limits. */
export type Requeued = 'queued' | 'unchanged' | 'over-limit';

/** Stores movies and their builds. */
export interface MovieRegister {
  /**
   * Adds a request and, unless the newest build of the same key is queued, running or finished, appends its build to the queue.
   * An invalid build is queued again. Null when the movie would exceed one of the limits.
   */
  add(movie: NewMovie, plan: BuildPlan, options: AddOptions & { readonly limits: QueueLimits }): Promise<AddedMovie | null>;
  add(movie: NewMovie, plan: BuildPlan, options: AddOptions & { readonly limits?: undefined }): Promise<AddedMovie>;
  /** Whether a build of this key is queued, running or finished, which a request can join. */
  hasBuild(key: string): Promise<boolean>;
  find(id: string): Promise<{ movie: Movie; build: MovieBuild } | null>;
  /** Records the use of a movie. */
  use(id: string, nowMs: number): Promise<void>;
  /**
   * Assigns a movie the build of another plan, queued as by `add`; its id, token and client stay. The client of `options` is charged
   * for a new build. `unchanged` also for an unknown id.
   */
  replan(id: string, plan: BuildPlan, options: RequeueOptions & { readonly fresh?: boolean }): Promise<Requeued>;
  /** Queues a finished or invalid build again with the same plan, and charges the client. */
  requeue(buildId: number, options: RequeueOptions): Promise<Requeued>;
  queueLength(): Promise<{ queued: number; processing: number }>;
  /** Queued builds before a place in the queue, and the remaining cost of those and of the running ones. */
  ahead(place: Pick<MovieBuild, 'turn' | 'arrival'>): Promise<{ waiting: number; cost: number }>;
  /** Cost and duration of the most recently finished builds, newest first. */
  recentBuilds(limit: number): Promise<readonly { readonly cost: number; readonly seconds: number }[]>;
  /** Number of movie workers that have requested work since then. */
  workersSince(sinceMs: number): Promise<number>;
  /** Cost charged to a client since then. */
  costSince(client: string, sinceMs: number): Promise<number>;
}

/** Times before which movies and builds without a use expire. */
export interface MovieExpiry {
  readonly nowMs: number;
  readonly moviesBeforeMs: number;
  readonly buildsBeforeMs: number;
}

/** Deletes the rows of movies and builds that are not used any more. */
export interface ExpiringMovies {
  /**
   * Deletes some of the movies that have not been used since, except shared ones and those under way, and of the builds that no movie
   * has; returns their number.
   */
  expire(times: MovieExpiry): Promise<number>;
}

/** The frames of builds, by the keys of their plans. They expire. */
export interface MoviePlans {
  /** Null when they have expired. */
  find(key: string): Promise<readonly PlannedFrame[] | null>;
  /** Stores the frames, or renews them if they are stored. */
  keep(key: string, frames: readonly PlannedFrame[]): Promise<void>;
}

/** A build that a worker has claimed. */
export interface ClaimedBuild {
  readonly build: MovieBuild;
  readonly lease: string;
  /** Milliseconds without a report after which the lease is lost. */
  readonly leaseMs: number;
  /** Object names of the stored segments, in order. */
  readonly segments: readonly string[];
  /** Public id of the first request for it; null when none is left. */
  readonly movieId: string | null;
}

/** Assigns builds to workers. Every call but `claim` and `expire` has no effect and returns false when the lease is lost. */
export interface MovieClaims {
  /** The next queued build, for exactly one caller; null when none is queued. Expires leases first. */
  claim(worker: string, nowMs: number): Promise<ClaimedBuild | null>;
  /** The claimed build; null when the lease is lost. Extends the lease. */
  claimed(buildId: number, lease: string, nowMs: number): Promise<ClaimedBuild | null>;
  /** Records progress and extends the lease. */
  progress(buildId: number, progress: Progress, nowMs: number): Promise<boolean>;
  /** Records failed event sources, which are kept until the build is queued again. */
  missEvents(buildId: number, lease: string, sources: readonly string[]): Promise<boolean>;
  /** Extends the lease. */
  extendLease(buildId: number, lease: string, nowMs: number): Promise<boolean>;
  /** Records a segment (`SEGMENT_NAME`) as stored. */
  storedSegment(buildId: number, lease: string, name: string): Promise<boolean>;
  /** Records a file as stored; a format is finished when its file and the previews are stored. */
  stored(buildId: number, lease: string, file: StoredMovieFile): Promise<boolean>;
  finish(buildId: number, finish: Finish, nowMs: number): Promise<boolean>;
  /** Queues the build again in its place, or ends it as invalid when the failure is final or no attempts remain. */
  fail(buildId: number, lease: string, failure: { reason: string; isFinal: boolean }, nowMs: number): Promise<boolean>;
  /** Hands the build back without counting the attempt. */
  release(buildId: number, lease: string): Promise<boolean>;
  /** Queues builds with expired leases again in their places, or ends them; returns their number. */
  expire(nowMs: number): Promise<number>;
}

/** Multipart uploads in progress and their uploaded parts: at most one upload for each file of a build. */
export interface MovieUploads {
  /** Records a new upload; returns the id of the upload that it replaces, or null. */
  begin(upload: MovieUpload): Promise<string | null>;
  /** The upload that was begun under this lease. */
  find(buildId: number, lease: string, name: string): Promise<(MovieUpload & { parts: readonly UploadedPart[] }) | null>;
  addPart(upload: MovieUpload, part: UploadedPart): Promise<void>;
  end(upload: MovieUpload): Promise<void>;
}

export interface MovieUpload {
  readonly buildId: number;
  readonly lease: string;
  /** Name of the file. */
  readonly name: string;
  /** Upload id of the object store. */
  readonly uploadId: string;
}

export interface UploadedPart {
  /** From 1. */
  readonly partNumber: number;
  readonly etag: string;
}

/** Writes objects from streams. Readers see the whole object or nothing; a failed body writes nothing. */
export interface IncomingObjects {
  /** `body`: a stream of known length, which R2 requires (services/jpx/fixed-length.ts). */
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
  /** Wakes `count` workers, or all where there are fewer; an awake worker claims movies until none is queued. Never rejects. */
  wake(count: number): Promise<void>;
}

/** Signals that movies may be waiting. */
export interface MovieNudge {
  nudge(): Promise<void>;
}
