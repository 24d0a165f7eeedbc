// The ingest API: PUT /admin/images/<file name> adds a JP2 file to the archive, or replaces one with ?replace=true, or brings a withdrawn one
// back with ?restore=true, DELETE withdraws one, GET and HEAD look one up, and GET /admin/images lists the sources with the period that each covers.
import type { IngestResult } from '../archive/ingest/ingest-result.ts';
import { IMAGE_NAME_CHARACTERS, isImageName } from '../archive/keys.ts';
import { nothingAt } from '../platform/http/request.ts';
import { jsonResponse } from '../platform/http/response.ts';
import { UPLOAD } from '../platform/limits/images.ts';
import { JOB_BYTES, MEMORY_WAIT_MS } from '../platform/limits/memory.ts';
import { boundedBody, sha256Hex } from '../platform/util/bytes.ts';
import { badParameter, Failure, shown } from '../platform/util/errors.ts';
import type { ArchivedImage, WithdrawnImage } from '../sun/image.ts';
import { formatIso } from '../sun/time.ts';
import { importRoutes } from './admin-imports.ts';
import { auditRoute, flagOf, operatorRoute, permit } from './admin-scopes.ts';
import { upkeepRoutes } from './admin-upkeep.ts';

const SHA256_HEX = /^[0-9a-f]{64}$/i;

/** Seconds after which the objects of an earlier attempt are gone. */
const BUSY_RETRY_SECONDS = 2;

/** Refusals that concern the codestream; the others concern the XML header. */
const CODESTREAM_REASONS: readonly string[] = ['malformed', 'unsupported'];

export const operatorRoutes = [
  auditRoute,
  ...importRoutes,
  ...upkeepRoutes,
  operatorRoute('POST /admin/statements', 'all', async ({ services }) => jsonResponse(await services.runStatements())),
  operatorRoute('GET /admin/images', 'ingest', async ({ services }) => {
    const extents = [...(await services.index.extents())].map(([sourceId, { startMs, endMs }]) => {
      return { sourceId, start: formatIso(startMs), end: formatIso(endMs) };
    });
    return jsonResponse({ sources: extents });
  }),
  operatorRoute('GET /admin/images/:name', 'ingest', async ({ services, request, groups }) => {
    const image = await services.index.byFileName(groups.name!);
    if (!image) throw unknownName(groups.name!);
    const expected = request.headers.get('X-Content-SHA256')?.toLowerCase();
    if (expected !== undefined && expected !== image.sha256) {
      throw new Failure('conflict', 'X-Content-SHA256 is not the hash of the archived file.');
    }
    return jsonResponse(imageJson(image));
  }),
  operatorRoute('PUT /admin/images/:name', 'ingest', async ({ services, request, url, groups, operator, changed }) => {
    const fileName = checkedFileName(groups.name!);
    const [replace, restore] = [flagOf(url, 'replace'), flagOf(url, 'restore')];
    // Both change what has been withdrawn.
    if (replace || restore) permit(operator, 'withdraw');
    const expectedHash = request.headers.get('X-Content-SHA256');
    if (expectedHash !== null && !SHA256_HEX.test(expectedHash)) {
      throw badParameter('X-Content-SHA256', '64 hexadecimal digits', expectedHash);
    }
    const announced = announcedBytes(request);
    const upload = async () => {
      const jp2 = await uploadedFile(request, announced);
      if (expectedHash !== null && expectedHash.toLowerCase() !== (await sha256Hex(jp2))) {
        throw new Failure('bad-parameter', 'X-Content-SHA256 is not the hash of the body.');
      }
      return services.ingest({ fileName, jp2, replace, restore });
    };
    const bytes = JOB_BYTES.perFileByte * (announced ?? UPLOAD.bodyBytes) + JOB_BYTES.survey;
    const result = await services.memory.run(bytes, MEMORY_WAIT_MS.background, upload);
    if (result.outcome === 'added') {
      const action = result.replacedId === undefined ? (restore ? 'restore' : 'ingest') : 'replace';
      changed({ action, subject: fileName, imageId: result.image.id });
    }
    return ingestResponse(result);
  }),
  operatorRoute('DELETE /admin/images/:name', 'withdraw', async ({ services, groups, changed }) => {
    const fileName = checkedFileName(groups.name!);
    const result = await services.withdraw(fileName);
    if (result.outcome === 'unknown') throw unknownName(fileName);
    if (result.outcome === 'busy') throw busy(result.sentence);
    changed({ action: 'withdraw', subject: fileName, imageId: result.image.id });
    return jsonResponse(withdrawnJson(result.image));
  }),
  // What is not here is closed to tokens with scopes.
  operatorRoute('ALL /admin(/[^]*)?', 'all', ({ url }) => Promise.reject(nothingAt(url))),
];

const unknownName = (name: string) => new Failure('unknown-path', `No archived image has the name ${shown(name)}.`);

const busy = (sentence: string) => new Failure('busy', sentence, { retryAfterSeconds: BUSY_RETRY_SECONDS });

function checkedFileName(name: string): string {
  if (isImageName(name)) return name;
  const what = `letters, digits, dots, dashes and underscores ending in .jp2, at most ${IMAGE_NAME_CHARACTERS} in all,`;
  throw new Failure('bad-parameter', `Expected ${what} for the file name, got ${shown(name)}.`);
}

/** The body of an upload. @throws Failure `body-too-large` as soon as it is, or `bad-parameter` for another length than Content-Length */
async function uploadedFile({ body }: Request, announced: number | null): Promise<Uint8Array> {
  const bytes = await boundedBody(body, { maxBytes: announced ?? UPLOAD.bodyBytes, preallocate: true });
  if (bytes && (announced === null || bytes.length === announced)) return bytes;
  if (announced === null) throw tooLarge();
  throw new Failure('bad-parameter', `The file does not have the ${announced} bytes that Content-Length announces.`);
}

/** Content-Length; null without one. @throws Failure `body-too-large` */
function announcedBytes({ headers }: Request): number | null {
  const contentLength = headers.get('Content-Length');
  if (contentLength === null) return null;
  if (!(Number(contentLength) <= UPLOAD.bodyBytes)) throw tooLarge();
  return Number(contentLength);
}

const tooLarge = () => new Failure('body-too-large', `The file has more than ${UPLOAD.bodyBytes} bytes.`);

/** @throws Failure unless the image is in the archive now */
function ingestResponse(result: IngestResult): Response {
  switch (result.outcome) {
    case 'added':
      return jsonResponse({ ...imageJson(result.image), replaces: result.replacedId, warning: result.warning }, { status: 201 });
    case 'known':
      return jsonResponse(imageJson(result.image));
    case 'conflict':
      throw new Failure('conflict', result.sentence);
    case 'busy':
      throw busy(result.sentence);
    case 'refused': {
      const kind = CODESTREAM_REASONS.includes(result.reason) ? 'refused-codestream' : 'refused-header';
      throw new Failure(kind, result.sentence, { reason: result.reason });
    }
  }
}

function imageJson({ id, sourceId, takenAtMs, fileName, byteLength, sha256 }: ArchivedImage) {
  return { id, sourceId, date: formatIso(takenAtMs), name: fileName, bytes: byteLength, sha256 };
}

function withdrawnJson({ id, sourceId, takenAtMs, fileName, withdrawnAtMs, replacedBy }: WithdrawnImage) {
  const withdrawn = formatIso(withdrawnAtMs);
  return { id, sourceId, date: formatIso(takenAtMs), name: fileName, withdrawn, replacedBy };
}
