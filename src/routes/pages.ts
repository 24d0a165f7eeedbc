// Documents about the service itself: the root, its health, the OpenAPI document.
import { SERVICE_NAME, SERVICE_VERSION } from '../config/identity.ts';
import { CATALOGUE, HEALTH } from '../http/cache-policy.ts';
import { openApiDocument } from '../http/openapi/document.ts';
import { jsonReply, type Representation } from '../http/representation.ts';
import { operations } from './operations.ts';
import type { Services } from './services.ts';
import { TAGS } from './tags.ts';

export const OPENAPI_PATH = '/v2/openapi.json';

/** The document at `/` where no explorer is installed. */
export function homePage(): Promise<Representation> {
  const page = {
    service: SERVICE_NAME,
    version: SERVICE_VERSION,
    openapi: OPENAPI_PATH,
    operations: [...operations.keys()].map((name) => `/v2/${name}/`),
  };
  return jsonReply(page, { policy: CATALOGUE });
}

/** The document of the origin of the last request, because an isolate is asked under one name. */
let known: { readonly origin: string; readonly page: Promise<Representation> } | undefined;

/** @param origin Origin of the service, the address of the server in the document */
export function openApiPage(origin: string): Promise<Representation> {
  if (known?.origin !== origin) {
    known = { origin, page: jsonReply(openApiDocument(operations.values(), { origin, tags: TAGS }), { policy: CATALOGUE }) };
  }
  return known.page;
}

async function succeeds(check: () => Promise<unknown>): Promise<boolean> {
  try {
    await check();
    return true;
  } catch {
    return false;
  }
}

/** An id that does not exist: the check only needs a response. */
const NO_IMAGE = 0;

/**
 * The version, whether the index (D1) and the archive (R2) respond, and `sample` while a sample archive is being added. The
 * status is 200 in every case.
 */
export async function healthPage({ index, sample: store }: Pick<Services, 'index' | 'sample'>): Promise<Representation> {
  const progress = store.read();
  const [indexResponds, archiveResponds] = await Promise.all([succeeds(() => index.byId(NO_IMAGE)), succeeds(() => progress)]);
  const sample = archiveResponds ? await progress : null;
  const status = indexResponds && archiveResponds ? 'ok' : 'degraded';
  const health = {
    status,
    version: SERVICE_VERSION,
    index: indexResponds,
    archive: archiveResponds,
    ...(sample ? { sample } : {}),
  };
  return jsonReply(health, { policy: HEALTH });
}
