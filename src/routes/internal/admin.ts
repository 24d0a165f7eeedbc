// PUT /admin/images/<file name> takes a JP2 file into the archive; GET and HEAD say whether it is there already. GET
// /admin/images says which sources have images, from when to when.
import { Hono } from 'hono';
import { UPLOAD } from '../../config/limits/images.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import { formatIso } from '../../domain/time.ts';
import { bearsToken } from '../../http/credentials.ts';
import type { ImageIndex } from '../../ports/images.ts';
import type { IngestResult } from '../../services/images/ingest.ts';
import { boundedBody } from '../../util/bounded-body.ts';
import { sha256Hex } from '../../util/digest.ts';

export interface AdminServices {
  readonly index: Pick<ImageIndex, 'byFileName' | 'extents'>;
  readonly ingest: (fileName: string, jp2: Uint8Array) => Promise<IngestResult>;
  /** Null closes the operations. */
  readonly adminToken: string | null;
}

const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*\.jp2$/;
const SHA256_HEX = /^[0-9a-f]{64}$/i;

/** Numbers of the original where it has one: 13 header, 14 decoding, 25 bad parameter, 255 the rest. */
const ERRNO = { header: 13, decoding: 14, parameter: 25, other: 255 } as const;

/** What the application knows of every request. */
interface RequestVariables {
  Variables: { requestId: string };
}

export function adminRoutes<E extends RequestVariables>({ index, ingest, adminToken }: AdminServices): Hono<E> {
  const admin = new Hono<E>();

  // Failures say which request it was, as everywhere.
  admin.use('*', async (c, next) => {
    await next();
    const { status, headers } = c.res;
    if (status < 400) return;
    const body = (await c.res.json()) as object;
    headers.delete('Content-Length');
    c.res = Response.json({ ...body, requestId: c.get('requestId') }, { status, headers });
  });

  admin.use('*', async (c, next) => {
    if (await bearsToken(c.req.header('Authorization'), adminToken)) return next();
    return failure(401, ERRNO.other, 'Expected the admin token for Authorization, got another or none.', {
      'WWW-Authenticate': 'Bearer',
    });
  });

  admin.get('/images', async () => {
    const extents = [...(await index.extents())].map(([sourceId, { startMs, endMs }]) => {
      return { sourceId, start: formatIso(startMs), end: formatIso(endMs) };
    });
    return json(200, { sources: extents });
  });

  admin.get('/images/:name', async (c) => {
    const image = await index.byFileName(c.req.param('name'));
    if (!image) return failure(404, ERRNO.other, 'Expected the name of an archived image, got an unknown one.');
    const expected = c.req.header('X-Content-SHA256')?.toLowerCase();
    if (expected !== undefined && expected !== image.sha256) {
      return failure(409, ERRNO.other, 'Expected the hash of the archived content for X-Content-SHA256, got another.');
    }
    return json(200, card(image));
  });

  admin.put('/images/:name', async (c) => {
    const fileName = c.req.param('name');
    if (!FILE_NAME.test(fileName) || fileName.length > UPLOAD.fileNameCharacters) {
      const what = `letters, digits, dots, dashes and underscores ending in .jp2, at most ${UPLOAD.fileNameCharacters} in all,`;
      return failure(400, ERRNO.parameter, `Expected ${what} for the file name, got something else.`);
    }
    const expectedHash = c.req.header('X-Content-SHA256');
    if (expectedHash !== undefined && !SHA256_HEX.test(expectedHash)) {
      return failure(400, ERRNO.parameter, 'Expected 64 hexadecimal digits for X-Content-SHA256, got something else.');
    }
    const announced = c.req.header('Content-Length');
    const body = await readBody(c.req.raw.body, announced === undefined ? null : Number(announced));
    if (body === 'too-large') {
      return failure(413, ERRNO.parameter, `Expected at most ${UPLOAD.bodyBytes} bytes for the file, got more.`);
    }
    if (body === 'cut-off') {
      return failure(400, ERRNO.parameter, `Expected the ${announced} bytes of Content-Length for the file, got another number.`);
    }
    if (expectedHash !== undefined && expectedHash.toLowerCase() !== (await sha256Hex(body))) {
      return failure(400, ERRNO.parameter, 'Expected the content that X-Content-SHA256 names, got other bytes.');
    }
    return answer(await ingest(fileName, body));
  });

  return admin;
}

function answer(result: IngestResult): Response {
  switch (result.outcome) {
    case 'added':
      return json(201, card(result.image));
    case 'known':
      return json(200, card(result.image));
    case 'conflict':
      return failure(409, ERRNO.other, result.sentence);
    case 'busy':
      return failure(503, ERRNO.other, result.sentence, { 'Retry-After': '2' });
    case 'refused': {
      const errno = result.reason === 'malformed' || result.reason === 'unsupported' ? ERRNO.decoding : ERRNO.header;
      return json(422, { error: result.sentence, errno, reason: result.reason });
    }
  }
}

/** The whole body, given up as soon as it is longer than allowed or announced. `announced`: bytes, or null when unknown. */
async function readBody(
  body: ReadableStream<Uint8Array> | null,
  announced: number | null,
): Promise<Uint8Array | 'too-large' | 'cut-off'> {
  const limit = announced ?? UPLOAD.bodyBytes;
  if (limit > UPLOAD.bodyBytes) return 'too-large';
  const bytes = await boundedBody(body, { maxBytes: limit, preallocate: true });
  if (announced !== null) return bytes?.length === announced ? bytes : 'cut-off';
  return bytes ?? 'too-large';
}

function card(image: ArchivedImage) {
  const { id, sourceId, takenAtMs, fileName, byteLength, sha256 } = image;
  return { id, sourceId, date: formatIso(takenAtMs), name: fileName, bytes: byteLength, sha256 };
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers: { 'Cache-Control': 'no-store', ...headers } });
}

function failure(status: number, errno: number, error: string, headers: Record<string, string> = {}): Response {
  return json(status, { error, errno }, headers);
}
