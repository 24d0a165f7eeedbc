// /internal/objects/<key>: archive objects for the movie workers, whole or in ranges.
import { type Context, Hono } from 'hono';
import { MOVIE_JOBS } from '../../config/limits/movies.ts';
import { Failure } from '../../domain/errors.ts';
import { NO_STORE } from '../../http/cache-policy.ts';
import { contentRange } from '../../http/ranges.ts';
import { requestBody } from '../../http/request-parameters.ts';
import { sized } from '../../http/send.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import { openArchiveObject, putSidecar } from '../../services/movies/worker-objects.ts';

const ROOT = '/internal/objects/';
const RANGE = /^bytes=(\d{1,15})-(\d{1,15})$/;

export function internalObjectRoutes(objects: Pick<ObjectStore, 'stream' | 'head' | 'put'>): Hono {
  return new Hono()
    .get('*', (c) => objectResponse(objects, keyOf(c), c.req.header('Range')))
    .put('*', async (c) => {
      await putSidecar(objects, keyOf(c), await requestBody(c.req.raw, MOVIE_JOBS.sidecarBytes));
      return c.body(null, 204);
    });
}

/** The key in the path, decoded once. The URL parser has already resolved dot segments. */
function keyOf(c: Context): string {
  const { pathname } = new URL(c.req.url);
  try {
    return decodeURIComponent(pathname.slice(ROOT.length));
  } catch {
    throw new Failure('unknown-path', 'No image or sidecar has this key.');
  }
}

/** A range with both ends, the only form that workers send. Others select the whole (RFC 9110, section 14.2). */
function rangeOf(header: string | undefined): { offset: number; length: number } | null {
  const [, first, last] = RANGE.exec(header ?? '') ?? [];
  if (first === undefined || Number(last) < Number(first)) return null;
  return { offset: Number(first), length: Number(last) + 1 - Number(first) };
}

async function objectResponse(objects: Pick<ObjectStore, 'stream' | 'head'>, key: string, rangeHeader: string | undefined) {
  const range = rangeOf(rangeHeader);
  const object = await openArchiveObject(objects, key, range);
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
