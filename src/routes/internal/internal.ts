// /internal: the HTTP interface of the movie workers, with the messages of domain/movies/job.ts.
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { MOVIE_JOBS } from '../../config/limits/movies.ts';
import { badParameter, Failure } from '../../domain/errors.ts';
import { MOVIE_FILES, type MovieFileName, segmentMediaType } from '../../domain/movies/formats.ts';
import { NO_STORE } from '../../http/cache-policy.ts';
import { checkToken } from '../../http/credentials.ts';
import { requestBody } from '../../http/request-parameters.ts';
import { jsonResponse, sized } from '../../http/send.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import type { MovieJobs } from '../../services/movies/movie-jobs.ts';
import { internalObjectRoutes } from './internal-objects.ts';

export interface InternalServices {
  readonly jobs: MovieJobs;
  readonly objects: Pick<ObjectStore, 'stream' | 'head' | 'put'>;
  /** Bearer token of the movie workers; null disables the operations. */
  readonly movieToken: string | null;
}

/** Maximum number of parts of a multipart upload in R2. */
const MAX_PARTS = 10_000;
const WHOLE_NUMBER = /^\d{1,9}$/;

const lease = z.string().min(1).max(128);
const count = z.int().min(0).max(100_000);
const milliseconds = z.number().min(0).max(1e9);
const names = Object.keys(MOVIE_FILES) as [MovieFileName, ...MovieFileName[]];

const CLAIM = z.object({ worker: z.string().regex(/^[\w.:-]{1,100}$/) });
const PROGRESS = z.object({
  lease,
  framesDone: count,
  framesSkipped: count,
  stage: z.enum(['drawing', 'encoding', 'uploading']),
});
const FINISH = z.object({
  lease,
  framesSkipped: count,
  files: z.array(z.object({ name: z.enum(names), size: z.int().min(0) })).max(names.length),
  timings: z.object({ totalMs: milliseconds, drawingMs: milliseconds, encodingMs: milliseconds }),
});
const FAILED = z.object({
  lease,
  reason: z
    .string()
    .min(1)
    .transform((reason) => reason.slice(0, MOVIE_JOBS.reasonCharacters)),
  isFinal: z.boolean(),
});
const RELEASE = z.object({ lease });

export function internalRoutes({ jobs, objects, movieToken }: InternalServices): Hono {
  return new Hono()
    .use('*', async (c, next) => {
      await checkToken(c.req.header('Authorization'), movieToken, 'token of the movie workers');
      await next();
    })
    .route('/objects', internalObjectRoutes(objects))
    .post('/movies/claim', async (c) => {
      const { worker } = await report(c.req.raw, CLAIM);
      const job = await jobs.claim(worker);
      return job ? jsonResponse(job) : c.body(null, 204);
    })
    .get('/movies/:build/markers', async (c) => {
      const [from, to] = [wholeNumber('from', c.req.query('from')), wholeNumber('to', c.req.query('to'))];
      return jsonResponse(held(await jobs.markers(buildOf(c), leaseOf(c), from, to)));
    })
    .get('/movies/:build/files/:name', async (c) => {
      const name = c.req.param('name');
      const segment = await jobs.files.readSegment(buildOf(c), leaseOf(c), name);
      if (segment === 'lost') throw leaseLost();
      if (!segment) throw new Failure('unknown-path', `No segment of this movie has the name ${name}.`);
      const headers = {
        'Content-Type': segmentMediaType(name),
        'Content-Length': String(segment.size),
        'Cache-Control': NO_STORE,
      };
      return new Response(sized(segment.body, segment.size), { headers });
    })
    .put('/movies/:build/files/:name', async (c) => {
      const body = c.req.raw.body ?? new Blob([]).stream();
      const length = wholeNumber('Content-Length', c.req.header('Content-Length'));
      const file = { name: c.req.param('name'), body, length, part: partOf(c) };
      held(await jobs.files.store(buildOf(c), leaseOf(c), file));
      return c.body(null, 204);
    })
    .post('/movies/:build/progress', async (c) => {
      held(await jobs.progress(buildOf(c), await report(c.req.raw, PROGRESS)));
      return c.body(null, 204);
    })
    .post('/movies/:build/finish', async (c) => {
      const outcome = await jobs.finish(buildOf(c), await report(c.req.raw, FINISH));
      if (outcome === 'lost') throw leaseLost();
      if (outcome === 'finished') return c.body(null, 204);
      const missing = outcome.missing.join(', ');
      throw new Failure('incomplete', `These files of the movie are missing or have another size: ${missing}.`);
    })
    .post('/movies/:build/fail', async (c) => {
      held(await jobs.fail(buildOf(c), await report(c.req.raw, FAILED)));
      return c.body(null, 204);
    })
    .post('/movies/:build/release', async (c) => {
      const { lease } = await report(c.req.raw, RELEASE);
      held(await jobs.release(buildOf(c), lease));
      return c.body(null, 204);
    });
}

function leaseLost(): Failure {
  return new Failure('conflict', 'This lease of the movie has expired. Another worker may hold it now.');
}

/** @throws Failure `conflict` for false and null, which stand for a lost lease */
function held<T>(result: T | false | null): T {
  if (result === false || result === null) throw leaseLost();
  return result;
}

/**
 * The validated JSON body of a request.
 * @throws Failure `bad-parameter` with the name of the invalid member, `body-too-large`
 */
async function report<T>(request: Request, schema: z.ZodType<T>): Promise<T> {
  const body = await requestBody(request, MOVIE_JOBS.reportBytes);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(body));
  } catch {
    throw new Failure('bad-parameter', 'The request body is not JSON.');
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const member = parsed.error.issues[0]?.path.join('.') || 'the request body';
  throw new Failure('bad-parameter', `The worker protocol does not allow this value of ${member}.`, {
    parameter: member,
  });
}

function wholeNumber(name: string, text: string | undefined): number {
  if (text === undefined || !WHOLE_NUMBER.test(text)) throw badParameter(name, 'a whole number', text);
  return Number(text);
}

function buildOf(c: Context): number {
  return wholeNumber('build', c.req.param('build'));
}

function leaseOf(c: Context): string {
  const given = c.req.query('lease');
  if (!given) throw badParameter('lease', 'the lease of the movie', given);
  return given;
}

function partOf(c: Context): { partNumber: number; of: number } | null {
  const { part, of } = c.req.query();
  if (part === undefined && of === undefined) return null;
  const numbers = { partNumber: wholeNumber('part', part), of: wholeNumber('of', of) };
  if (numbers.of < 1 || numbers.of > MAX_PARTS) throw badParameter('of', `a number from 1 to ${MAX_PARTS}`, of);
  if (numbers.partNumber < 1 || numbers.partNumber > numbers.of)
    throw badParameter('part', `a number from 1 to ${numbers.of}`, part);
  return numbers;
}
