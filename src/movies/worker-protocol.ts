// Protocol between the Worker and a movie worker: JSON over HTTP below /internal/movies. Every request carries
// `Authorization: Bearer <MOVIE_TOKEN>`; every request about a build carries its lease.
//
//   POST claim                          {worker, version}  200 BuildClaim | 204 no movie waits, or not for workers of this version
//   POST <build>/progress               Progress           204 | 409 the lease is lost: stop without further requests
//   GET  <build>/markers?lease&from&to                     200 FrameMarkers[] of the frames from..to-1 (at most 50)
//   GET  <build>/files/<name>?lease                        200 an encoded segment | 404
//   PUT  <build>/files/<name>?lease     bytes              204 | 409; idempotent; Content-Length is required
//   PUT  <build>/files/<name>?lease&part=<n>&of=<count>    204; parts of PART_BYTES of a larger file, from 1, in order
//   POST <build>/finish                 Finish             204 | 409 the lease is lost | 422 files are missing
//   POST <build>/fail                   Failed             204 | 409
//   POST <build>/release                {lease}            204; hands the build back, which is not counted as an attempt
//   GET  /internal/objects/<key>        Range              200 | 206 | 404; keys below jp2/ and idx/, and part A of coefficient sidecars
//   PUT  /internal/objects/<key>        bytes              204; keys below idx/ and part A only: a rebuilt sidecar

import { OPERATION_VERSIONS } from '../picture/operations/operations.ts';
import { RENDER_VERSION } from '../picture/raster/render-version.ts';
import { EVENT_DRAWING_VERSION } from '../sun/events/event-types.ts';
import type { ArchivedImage } from '../sun/image.ts';
import type { MovieMetadata } from './movie.ts';
import type { PlannedFrame } from './movie-recipe.ts';

/** Raised by hand with every change of these messages or of what a worker makes of them, except of pixels (`RENDER_VERSION`). */
export const PROTOCOL_VERSION = 4;

/** Bytes of each part of a multipart upload but the last, below the platform's limit for a request body. */
export const PART_BYTES = 32 << 20;

export interface BuildClaim {
  readonly build: number;
  readonly lease: string;
  /** Milliseconds without a report after which another worker can claim the build. */
  readonly leaseMs: number;
  /** From 1. */
  readonly attempt: number;
  readonly recipe: string;
  readonly frames: readonly PlannedFrame[];
  readonly images: readonly ArchivedImage[];
  /** Pixels of the video, in which smaller frames are centred on black. */
  readonly output: { readonly width: number; readonly height: number };
  readonly metadata: MovieMetadata;
  /** Object names (`SEGMENT_NAME`) of the segments that earlier attempts have stored, in order. */
  readonly segments: readonly string[];
}

/** Queue message that movies may be waiting; the queue itself is in D1. */
export const MOVIE_NUDGE = { kind: 'movies' } as const;

/** A worker may be older than the service, or newer after a rollback, and would draw with its own code what the service stores as its version. */
export const WORKER_VERSION = `protocol-${PROTOCOL_VERSION}.render-${RENDER_VERSION}.events-${EVENT_DRAWING_VERSION}.${OPERATION_VERSIONS}`;
