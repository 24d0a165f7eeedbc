// The app over the images of memory/archived-images.ts, with renderers that print their arguments.
import { purgesBy } from '../../src/archive/purges.ts';
import type { RateLimitBinding } from '../../src/platform/admission/rate-limit.ts';
import { expectDescribed } from './described-responses.ts';
import { IMAGES, jp2Bytes, NOW_MS } from './memory/archived-images.ts';
import { MemoryImageIndex } from './memory/image-index.ts';
import { MemoryObjectStore } from './memory/object-store.ts';
import { memoryRenderers } from './memory/renderers.ts';
import { behindCache, type Overrides, servedApp, testServices } from './test-services.ts';

/** The app over the archive. `settle` waits for work that continues after responses. */
export function testArchive(overrides: Overrides = {}) {
  const index = new MemoryImageIndex(IMAGES);
  const objects = new MemoryObjectStore();
  for (const image of IMAGES) objects.objects.set(image.key, jp2Bytes(image.id));
  const renderers = memoryRenderers();
  const logged: Readonly<Record<string, unknown>>[] = [];
  const log = (record: Readonly<Record<string, unknown>>) => logged.push(record);
  const caches = purgesBy((what): Promise<boolean> => cache.purge(what));
  const services = testServices({ index, objects, renderers, caches, clock: () => NOW_MS, log, logFault: log, ...overrides });
  const { settle, cache, fills, ...app }: ReturnType<typeof servedApp> = servedApp(services);
  /** Requests a path of the app, and compares the response with the OpenAPI document. */
  const get = async (path: string, init?: RequestInit) => {
    const url = new URL(`http://sun.test${path}`);
    const response = await app.request(url.href, init);
    await expectDescribed(url, init?.method ?? 'GET', response);
    return response;
  };
  /** Keys in the edge cache, the least recently used first. */
  const cachedKeys = () => [...cache.entries.rkeys()];
  return { app, get, settle, services, index, objects, cache, cachedKeys, fills, ...renderers, logged, jp2Bytes };
}

/** Status and JSON of a response. */
export async function answered(pending: Response | Promise<Response>): Promise<[status: number, body: unknown]> {
  const response = await pending;
  return [response.status, await response.json()];
}

/** Hosts of one service. */
export const HOSTS = ['sun.test', 'helioedge.workers.test'] as const;

/** An archive behind a cache of its own, on several hosts. */
export function cachedArchive<Archive extends Pick<ReturnType<typeof testArchive>, 'app' | 'settle'>>(
  { app, ...archive }: Archive,
  clock = () => 0,
  limiter?: RateLimitBinding,
) {
  const { request, cache, fills } = behindCache(app.direct, { clock, ...(limiter ? { limiter } : {}) });
  const get = (path: string, init?: RequestInit, host: string = HOSTS[0]) => request(new Request(`https://${host}${path}`, init));
  return { ...archive, get, cache, fills };
}
