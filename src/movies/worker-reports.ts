// What movie workers report to the service by the messages of worker-protocol.ts. They import types alone: a drawing thread without the library of
// schemas has half the code.
import { z } from 'zod';
import { MOVIE_BUILDS } from '../platform/limits/movies.ts';
import { MOVIE_FILE_NAMES } from './movie.ts';

const lease = z.string().min(1).max(128);
const count = z.int().min(0).max(100_000);

const WORKER_NAME = /^[\w.:-]{1,100}$/;
/** Workers from before there was a version name none. */
export const CLAIM = z.object({ worker: z.string().regex(WORKER_NAME), version: z.string().max(100).optional() });
export const PROGRESS = z.object({
  lease,
  framesDone: count,
  framesSkipped: count,
  stage: z.enum(['drawing', 'encoding', 'uploading']),
});
export type Progress = z.output<typeof PROGRESS>;
export const FINISH = z.object({
  lease,
  framesSkipped: count,
  files: z.array(z.object({ name: z.enum(MOVIE_FILE_NAMES), size: z.int().min(0) })).max(MOVIE_FILE_NAMES.length),
  /** Milliseconds since the claim, from which later builds are estimated. */
  totalMs: z.number().min(0).max(1e9),
});
export type Finish = z.output<typeof FINISH>;
export const FAILED = z.object({
  lease,
  /** A sentence for the user. */
  reason: z
    .string()
    .min(1)
    .transform((reason) => reason.slice(0, MOVIE_BUILDS.reasonCharacters)),
  isFinal: z.boolean(),
});
export type Failed = z.output<typeof FAILED>;
export const RELEASE = z.object({ lease });
