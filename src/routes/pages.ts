// Pages about the service itself: the root, its health, its OpenAPI document.
import { SERVICE_NAME, SERVICE_VERSION } from '../config/identity.ts';
import { CATALOGUE, NO_STORE } from '../http/cache-policy.ts';
import { openApiDocument } from '../http/openapi.ts';
import { jsonReply, type Representation } from '../http/representation.ts';
import { operations } from './operations.ts';
import type { Services } from './services.ts';

export const OPENAPI_PATH = '/v2/openapi.json';

/** What `/` answers where no page is installed. */
export function homePage(): Promise<Representation> {
  const page = {
    service: SERVICE_NAME,
    version: SERVICE_VERSION,
    openapi: OPENAPI_PATH,
    operations: [...operations.keys()].map((name) => `/v2/${name}/`),
  };
  return jsonReply(page, { policy: CATALOGUE });
}

let document: object | undefined;

export function openApiPage(): Promise<Representation> {
  document ??= openApiDocument(operations.values());
  return jsonReply(document, { policy: CATALOGUE });
}

async function answers(question: () => Promise<unknown>): Promise<boolean> {
  try {
    await question();
    return true;
  } catch {
    return false;
  }
}

/** No object has this key: only that the bucket answers counts. */
const NO_OBJECT = 'health';
const NO_IMAGE = 0;

/** The version, and whether the index (D1) and the archive (R2) answer. The status is 200 either way. */
export async function healthPage({ index, objects }: Pick<Services, 'index' | 'objects'>): Promise<Representation> {
  const [indexAnswers, archiveAnswers] = await Promise.all([
    answers(() => index.byId(NO_IMAGE)),
    answers(() => objects.head(NO_OBJECT)),
  ]);
  const status = indexAnswers && archiveAnswers ? 'ok' : 'degraded';
  return jsonReply({ status, version: SERVICE_VERSION, index: indexAnswers, archive: archiveAnswers }, { policy: NO_STORE });
}
