// /internal: the HTTP interface of the movie workers, with the messages of movies/worker-protocol.ts and objects of the archive.
import type { z } from 'zod';
import { isArchiveKey, writableObject } from '../archive/keys.ts';
import { parsedPartA } from '../archive/reading/coefficients.ts';
import { isStatisticsFile } from '../archive/reading/image-statistics.ts';
import type { RateLimitBinding } from '../platform/admission/rate-limit.ts';
import type { Turns } from '../platform/admission/turns.ts';
import { tokenHolder } from '../platform/http/credentials.ts';
import { type Found, nothingAt, type Route, requestBody, rowAt } from '../platform/http/request.ts';
import { type ByteRange, contentRange, jsonResponse, NO_STORE, sized } from '../platform/http/response.ts';
import { TURNS } from '../platform/limits/admission.ts';
import { MOVIE_BUILDS } from '../platform/limits/movies.ts';
import type { ObjectStore } from '../platform/storage/r2-object-store.ts';
import { parsedJson } from '../platform/util/bytes.ts';
import { badParameter, Failure } from '../platform/util/errors.ts';
import { percentDecoded } from '../platform/util/url.ts';
import { segmentMediaType } from './movie.ts';
import { CLAIM, FAILED, FINISH, PROGRESS, RELEASE } from './worker-reports.ts';
import type { WorkerService } from './worker-service.ts';

const ROOT = '/internal/objects/';
const SIDECAR_TYPE = 'application/octet-stream';
const RANGE = /^bytes=(\d{1,15})-(\d{1,15})$/;

/** The key in the path, decoded once. The URL parser has already resolved dot segments. */
function keyIn({ pathname }: URL): string {
  const key = percentDecoded(pathname.slice(ROOT.length));
  if (key === null) throw new Failure('unknown-path', 'No image or sidecar has this key.');
  return key;
}

/** A range with both ends, the only form that workers send. Others select the whole (RFC 9110, section 14.2). */
function rangeOf(header: string | null): ByteRange | null {
  const [, first, last] = RANGE.exec(header ?? '') ?? [];
  if (first === undefined || Number(last) < Number(first)) return null;
  return { offset: Number(first), length: Number(last) + 1 - Number(first) };
}

/** An object or a part of it. @throws Failure `unknown-path` for other keys, `unsatisfiable-range` behind the end */
async function objectResponse(objects: Pick<ObjectStore, 'stream' | 'head'>, key: string, rangeHeader: string | null) {
  if (!isArchiveKey(key)) throw new Failure('unknown-path', 'Movie workers can read images and sidecars only.');
  const range = rangeOf(rangeHeader);
  const object = await objects.stream(key, range ?? undefined).catch(async (error: unknown) => {
    // Object stores report a range behind the end in different ways.
    const whole = range && (await objects.head(key));
    if (!whole || range.offset < whole.size) throw error;
    const sentence = `Expected a range of the ${whole.size} bytes for Range, got bytes=${range.offset}-.`;
    throw new Failure('unsatisfiable-range', sentence, { parameter: 'Range', sizeBytes: whole.size });
  });
  if (!object) throw new Failure('unknown-path', 'No object of the archive has this key.');
  const offset = range?.offset ?? 0;
  const length = Math.min(range?.length ?? object.size, object.size - offset);
  const headers = new Headers({
    'Content-Type': 'application/octet-stream',
    'Content-Length': String(length),
    'Cache-Control': NO_STORE,
    'Accept-Ranges': 'bytes',
    ETag: object.etag,
  });
  if (range) headers.set('Content-Range', contentRange({ offset, length }, object.size));
  return new Response(sized(object.body, length), { status: range ? 206 : 200, headers });
}

/** @throws Failure `unknown-path` for keys of other objects, `bad-parameter` for a body that is not what its key says */
async function putSidecar(objects: Pick<ObjectStore, 'put'>, key: string, sidecar: Uint8Array): Promise<void> {
  const object = writableObject(key);
  if (!object) throw new Failure('unknown-path', 'Movie workers can write sidecars only.');
  if (object === 'part A' && !parsedPartA(sidecar))
    throw new Failure('bad-parameter', 'The body is not part A of a coefficient sidecar.');
  if (object === 'annuli' && !isStatisticsFile(sidecar))
    throw new Failure('bad-parameter', 'The body has no statistics of annuli.');
  await objects.put(key, sidecar, SIDECAR_TYPE);
}

export interface MovieWorkerServices {
  readonly workerService: WorkerService;
  readonly objects: Pick<ObjectStore, 'stream' | 'head' | 'put'>;
  /** Bearer token of the movie workers; null disables the operations. */
  readonly movieToken: string | null;
  readonly requestLimiter: RateLimitBinding;
  readonly turns: Pick<Turns, 'turn'>;
}

/** Maximum number of parts of a multipart upload in R2. */
const MAX_PARTS = 10_000;
const WHOLE_NUMBER = /^\d{1,9}$/;

/** The name of the movie workers among the holders of tokens, and by which they take turns with clients. */
const MOVIE_WORKERS = 'movie workers';

/** A request of a movie worker. */
type Asked = Found & { readonly services: MovieWorkerServices; readonly request: Request };

/** @param handle Returns the response, true for one without content, or false for a lost lease */
const row = (place: string, handle: (asked: Asked) => Promise<Response | boolean>): Route<Pick<Asked, 'services'>> => ({
  kind: 'worker',
  ...rowAt(place),
  async handle({ services }, found, request) {
    const { movieToken, requestLimiter, turns } = services;
    const holders = movieToken === null ? [] : [{ name: MOVIE_WORKERS, token: movieToken }];
    await tokenHolder(found.headers, holders, { what: 'token of the movie workers', requestLimiter });
    await turns.turn(MOVIE_WORKERS, request.method === 'GET' ? TURNS.requestMs : TURNS.changeMs);
    const done = held(await handle({ ...found, services, request }));
    return done === true ? new Response(null, { status: 204 }) : done;
  },
});

export const movieWorkerRoutes = [
  row('GET /internal/objects(/[^]*)?', ({ services, url, request }) =>
    objectResponse(services.objects, keyIn(url), request.headers.get('Range')),
  ),
  row('PUT /internal/objects(/[^]*)?', async ({ services, url, request }) => {
    await putSidecar(services.objects, keyIn(url), await requestBody(request, MOVIE_BUILDS.sidecarBytes));
    return true;
  }),
  row('POST /internal/movies/claim', async ({ services, request }) => {
    const { worker, version } = await report(request, CLAIM);
    const claim = await services.workerService.claim(worker, version);
    return claim ? jsonResponse(claim) : true;
  }),
  row('GET /internal/movies/:build/markers', async (asked) => {
    const [from, to] = [numberIn(asked, 'from'), numberIn(asked, 'to')];
    return jsonResponse(held(await asked.services.workerService.markers(buildOf(asked), leaseOf(asked), from, to)));
  }),
  row('GET /internal/movies/:build/files/:name', async (asked) => {
    const name = asked.groups.name!;
    const segment = await asked.services.workerService.uploads.readSegment(buildOf(asked), leaseOf(asked), name);
    if (segment === 'lost') return false;
    if (!segment) throw new Failure('unknown-path', `No segment of this movie has the name ${name}.`);
    const headers = { 'Content-Type': segmentMediaType(name), 'Content-Length': String(segment.size), 'Cache-Control': NO_STORE };
    return new Response(sized(segment.body, segment.size), { headers });
  }),
  row('PUT /internal/movies/:build/files/:name', async (asked) => {
    const { request, groups, services } = asked;
    const body = request.body ?? new Blob([]).stream();
    const length = wholeNumber('Content-Length', request.headers.get('Content-Length'));
    const file = { name: groups.name!, body, length, part: partOf(asked) };
    return services.workerService.uploads.store(buildOf(asked), leaseOf(asked), file);
  }),
  row('POST /internal/movies/:build/progress', async (asked) =>
    asked.services.workerService.progress(buildOf(asked), await report(asked.request, PROGRESS)),
  ),
  row('POST /internal/movies/:build/finish', async (asked) => {
    const outcome = await asked.services.workerService.finish(buildOf(asked), await report(asked.request, FINISH));
    if (typeof outcome === 'string') return outcome === 'finished';
    const missing = outcome.missing.join(', ');
    throw new Failure('incomplete', `These files of the movie are missing or have another size: ${missing}.`);
  }),
  row('POST /internal/movies/:build/fail', async (asked) =>
    asked.services.workerService.fail(buildOf(asked), await report(asked.request, FAILED)),
  ),
  row('POST /internal/movies/:build/release', async (asked) => {
    const { lease } = await report(asked.request, RELEASE);
    return asked.services.workerService.release(buildOf(asked), lease);
  }),
  row('ALL /internal(/[^]*)?', ({ url }) => Promise.reject(nothingAt(url))),
];

/** @throws Failure `conflict` for false and null, which stand for a lost lease */
function held<T>(result: T | false | null): T {
  if (result !== false && result !== null) return result;
  throw new Failure('conflict', 'This lease of the movie has expired. Another worker may hold it now.');
}

/** The validated JSON body of a request. @throws Failure `bad-parameter` with the name of the invalid member, `body-too-large` */
async function report<T>(request: Request, schema: z.ZodType<T>): Promise<T> {
  const body = await requestBody(request, MOVIE_BUILDS.reportBytes);
  const value = parsedJson(body);
  if (value === undefined) throw new Failure('bad-parameter', 'The request body is not JSON.');
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const member = parsed.error.issues[0]?.path.join('.') || 'the request body';
  throw new Failure('bad-parameter', `The worker protocol does not allow this value of ${member}.`, { parameter: member });
}

function wholeNumber(name: string, text: string | null | undefined): number {
  if (!WHOLE_NUMBER.test(text ?? '')) throw badParameter(name, 'a whole number', text ?? undefined);
  return Number(text);
}

const numberIn = ({ url }: Asked, name: string): number => wholeNumber(name, url.searchParams.get(name));

const buildOf = ({ groups }: Asked): number => wholeNumber('build', groups.build);

function leaseOf({ url }: Asked): string {
  const given = url.searchParams.get('lease') ?? undefined;
  if (!given) throw badParameter('lease', 'the lease of the movie', given);
  return given;
}

function partOf(asked: Asked): { partNumber: number; of: number } | null {
  const { searchParams } = asked.url;
  if (!searchParams.has('part') && !searchParams.has('of')) return null;
  const numbers = { partNumber: numberIn(asked, 'part'), of: numberIn(asked, 'of') };
  if (numbers.of < 1 || numbers.of > MAX_PARTS)
    throw badParameter('of', `a number from 1 to ${MAX_PARTS}`, searchParams.get('of'));
  if (numbers.partNumber < 1 || numbers.partNumber > numbers.of)
    throw badParameter('part', `a number from 1 to ${numbers.of}`, searchParams.get('part'));
  return numbers;
}
