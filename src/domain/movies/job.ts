// What the Worker and a movie worker say to each other, as JSON over HTTP below /internal/movies. Every request carries
// `Authorization: Bearer <MOVIE_TOKEN>`; every one about a build carries the lease under which it is worked on.
//
//   POST claim                          {worker}           200 MovieJob | 204 nothing to do
//   POST <build>/progress               Progress           204 | 409 the lease is lost: stop, and leave everything as it is
//   GET  <build>/markers?lease&from&to                       200 FrameMarkers[] of the frames from..to-1 (at most 50)
//   GET  <build>/files/<name>?lease                        200 an encoded segment | 404
//   PUT  <build>/files/<name>?lease     bytes              204 | 409; may be repeated; Content-Length is required
//   PUT  <build>/files/<name>?lease&part=<n>&of=<count>    204; parts of PART_BYTES of a larger file, from 1, in order
//   POST <build>/finish                 Finish             204 | 409 the lease is lost | 422 files are missing
//   POST <build>/fail                   Failed             204 | 409
//   POST <build>/release                {lease}            204; hands the job back unharmed, which is no attempt
//   GET  /internal/objects/<key>        Range              200 | 206 | 404; keys below jp2/ and idx/ only
//   PUT  /internal/objects/<key>        bytes              204; keys below idx/ only: a sidecar that had to be made again
import type { ArchivedImage } from '../image.ts';
import type { MovieFileName } from './formats.ts';
import type { PlannedFrame } from './movie-recipe.ts';

/** Bytes of a part of a multipart upload, below the body limit of the platform. Longer files are sent in parts; the last one may be shorter. */
export const PART_BYTES = 32 << 20;

export interface MovieJob {
  readonly build: number;
  /** Secret of this claim. */
  readonly lease: string;
  /** Milliseconds without progress after which somebody else gets the job. */
  readonly leaseMs: number;
  /** From 1. */
  readonly attempt: number;
  /** Canonical string of the movie recipe. */
  readonly recipe: string;
  readonly frames: readonly PlannedFrame[];
  /** Every image that the frames name, once. */
  readonly images: readonly ArchivedImage[];
  /** Pixels of the video; the frames, which may be smaller, stand in the middle of it on black. */
  readonly output: { readonly width: number; readonly height: number };
  readonly metadata: {
    readonly title: string;
    readonly description: string;
    readonly comment: string;
    readonly createdAtMs: number;
  };
  /** Object names (`SEGMENT_NAME`) of the segments that earlier attempts have stored. */
  readonly segments: readonly string[];
}

export interface Progress {
  readonly lease: string;
  /** Frames that are drawn or skipped. */
  readonly framesDone: number;
  readonly framesSkipped: number;
  readonly stage: 'drawing' | 'encoding' | 'uploading';
}

export interface Finish {
  readonly lease: string;
  readonly framesSkipped: number;
  readonly files: readonly { readonly name: MovieFileName; readonly size: number }[];
  /** Milliseconds from the claim: what the next estimates are made of. */
  readonly timings: { readonly totalMs: number; readonly drawingMs: number; readonly encodingMs: number };
}

export interface Failed {
  readonly lease: string;
  /** A sentence for the user. */
  readonly reason: string;
  /** Whether another attempt may do better. */
  readonly isFinal: boolean;
}
