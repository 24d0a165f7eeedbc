// The ingest API: PUT /admin/images/<file name> adds a JP2 file to the archive, or replaces one with ?replace=true, or brings a withdrawn one
// back with ?restore=true, DELETE withdraws one, GET and HEAD look one up, and GET /admin/images lists the sources with the period that each covers.
import { type Context, Hono } from 'hono';
import { UPLOAD } from '../../config/limits/images.ts';
import { JOB_BYTES, MEMORY_WAIT_MS } from '../../config/limits/memory.ts';
import type { IngestResult } from '../../domain/archive/ingest-result.ts';
import { IMAGE_NAME_CHARACTERS, isImageName } from '../../domain/archive/keys.ts';
import { badParameter, Failure, shown } from '../../domain/errors.ts';
import type { ArchivedImage, WithdrawnImage } from '../../domain/image.ts';
import { formatIso } from '../../domain/time.ts';
import { jsonResponse } from '../../http/response.ts';
import type { AuditLog } from '../../ports/audit.ts';
import type { RhessiFlares } from '../../ports/events.ts';
import type { ImageIndex, ResponseCaches } from '../../ports/images.ts';
import type { StatementCount } from '../../ports/status.ts';
import type { Clock, Log } from '../../ports/timing.ts';
import type { StateTables } from '../../services/bodies/state-tables.ts';
import type { IngestedFile } from '../../services/images/ingest.ts';
import type { SampleProgressStore } from '../../services/images/sample-progress.ts';
import type { WithdrawalResult } from '../../services/images/withdraw.ts';
import type { Webhooks } from '../../services/webhooks/webhooks.ts';
import { boundedBody, sha256Hex } from '../../util/bytes.ts';
import type { MemoryBudget } from '../../util/memory-budget.ts';
import { auditRoutes } from './admin-audit.ts';
import {
  coefficientRoutes,
  ephemerisRoutes,
  type FindKnownNames,
  knownRoutes,
  type MakeCoefficients,
  rhessiRoutes,
  sampleRoutes,
} from './admin-imports.ts';
import { type MirrorCommands, mirrorRoutes } from './admin-mirror.ts';
import { type AdminVariables, flagOf, needs, type Operators, operatorFor, permit } from './admin-scopes.ts';
import {
  type DeadLetterServices,
  deadLetterRoutes,
  type ObjectServices,
  objectRoutes,
  purgeRoutes,
  type ReconciliationServices,
  reconciliationRoutes,
} from './admin-upkeep.ts';
import { webhookRoutes } from './admin-webhooks.ts';

export interface AdminServices extends ObjectServices, ReconciliationServices, DeadLetterServices, Operators {
  readonly index: Pick<ImageIndex, 'byFileName' | 'extents'>;
  readonly ingest: (file: IngestedFile) => Promise<IngestResult>;
  readonly withdraw: (fileName: string) => Promise<WithdrawalResult>;
  readonly flares: Pick<RhessiFlares, 'add' | 'count'>;
  readonly sample: SampleProgressStore;
  readonly stateTables: Pick<StateTables, 'list' | 'put' | 'delete'>;
  readonly makeCoefficients: MakeCoefficients;
  readonly knownNames: FindKnownNames;
  readonly mirrorCommands: MirrorCommands;
  readonly webhooks: Webhooks;
  readonly audit: AuditLog;
  readonly caches: ResponseCaches;
  /** Runs more statements of D1 than an invocation is documented to have. */
  readonly runStatements: () => Promise<StatementCount>;
  readonly clock: Clock;
  readonly log: Log;
  readonly memory: MemoryBudget;
}

const SHA256_HEX = /^[0-9a-f]{64}$/i;

/** Seconds after which the objects of an earlier attempt are gone. */
const BUSY_RETRY_SECONDS = 2;

/** Refusals that concern the codestream; the others concern the XML header. */
const CODESTREAM_REASONS: readonly string[] = ['malformed', 'unsupported'];

export function adminRoutes(services: AdminServices): Hono {
  const { index, ingest, withdraw, flares, sample, stateTables, audit, clock, log, memory } = services;

  /** Records the change that a request has made. An entry that cannot be stored goes to the log, because the change stands. */
  async function record(c: Context<AdminVariables>): Promise<void> {
    const change = c.get('change');
    if (!change) return;
    const entry = { atMs: clock(), operator: c.get('operator').name, imageId: null, ...change };
    await audit.add(entry).catch((error: unknown) => log({ unrecorded: entry, cause: String(error) }));
  }

  const routes = new Hono<AdminVariables>()
    .use('*', async (c, next) => {
      c.set('operator', await operatorFor(c, services));
      await next();
      await record(c);
    })
    .route('/audit', auditRoutes(audit))
    .route('/rhessi', rhessiRoutes(flares))
    .route('/sample', sampleRoutes(sample))
    .route('/ephemeris', ephemerisRoutes(stateTables))
    .route('/coefficients', coefficientRoutes(services.makeCoefficients))
    .route('/objects', objectRoutes(services))
    .route('/known', knownRoutes(services.knownNames))
    .route('/mirror', mirrorRoutes(services.mirrorCommands))
    .route('/reconciliation', reconciliationRoutes(services))
    .route('/purge', purgeRoutes(services.caches))
    .route('/webhooks', webhookRoutes(services.webhooks))
    .route('/dead-letters', deadLetterRoutes(services))
    .post('/statements', needs('all'), async () => jsonResponse(await services.runStatements()))
    .get('/images', needs('ingest'), async () => {
      const extents = [...(await index.extents())].map(([sourceId, { startMs, endMs }]) => {
        return { sourceId, start: formatIso(startMs), end: formatIso(endMs) };
      });
      return jsonResponse({ sources: extents });
    })
    .get('/images/:name', needs('ingest'), async (c) => {
      const image = await index.byFileName(c.req.param('name'));
      if (!image) throw unknownName(c.req.param('name'));
      const expected = c.req.header('X-Content-SHA256')?.toLowerCase();
      if (expected !== undefined && expected !== image.sha256) {
        throw new Failure('conflict', 'X-Content-SHA256 is not the hash of the archived file.');
      }
      return jsonResponse(imageJson(image));
    })
    .put('/images/:name', needs('ingest'), async (c) => {
      const fileName = checkedFileName(c.req.param('name'));
      const [replace, restore] = [flagOf(c, 'replace'), flagOf(c, 'restore')];
      // Both change what has been withdrawn.
      if (replace || restore) permit(c.get('operator'), 'withdraw');
      const expectedHash = c.req.header('X-Content-SHA256');
      if (expectedHash !== undefined && !SHA256_HEX.test(expectedHash)) {
        throw badParameter('X-Content-SHA256', '64 hexadecimal digits', expectedHash);
      }
      const announced = announcedBytes(c.req.raw);
      const upload = async () => {
        const jp2 = await uploadedFile(c.req.raw, announced);
        if (expectedHash !== undefined && expectedHash.toLowerCase() !== (await sha256Hex(jp2))) {
          throw new Failure('bad-parameter', 'X-Content-SHA256 is not the hash of the body.');
        }
        return ingest({ fileName, jp2, replace, restore });
      };
      const bytes = JOB_BYTES.perFileByte * (announced ?? UPLOAD.bodyBytes) + JOB_BYTES.survey;
      const result = await memory.run(bytes, MEMORY_WAIT_MS.background, upload);
      if (result.outcome === 'added') {
        const action = result.replacedId === undefined ? (restore ? 'restore' : 'ingest') : 'replace';
        c.set('change', { action, subject: fileName, imageId: result.image.id });
      }
      return ingestResponse(result);
    })
    .delete('/images/:name', needs('withdraw'), async (c) => {
      const fileName = checkedFileName(c.req.param('name'));
      const result = await withdraw(fileName);
      if (result.outcome === 'unknown') throw unknownName(fileName);
      if (result.outcome === 'busy') throw busy(result.sentence);
      c.set('change', { action: 'withdraw', subject: fileName, imageId: result.image.id });
      return jsonResponse(withdrawnJson(result.image));
    })
    // What is not here is closed to tokens with scopes.
    .all('*', needs('all'));
  return new Hono().route('/', routes);
}

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
      return jsonResponse(
        { ...imageJson(result.image), ...replaces(result.replacedId), warning: result.warning },
        { status: 201 },
      );
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

const replaces = (id: number | undefined) => (id === undefined ? {} : { replaces: id });

function withdrawnJson({ id, sourceId, takenAtMs, fileName, withdrawnAtMs, replacedBy }: WithdrawnImage) {
  const withdrawn = formatIso(withdrawnAtMs);
  return { id, sourceId, date: formatIso(takenAtMs), name: fileName, withdrawn, replacedBy };
}
