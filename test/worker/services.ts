// Versions of the service with different maps of the shards, for the tests of moves.
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { SHARDS } from '../../src/platform/storage/shards.ts';
import { composeWorker } from '../../src/worker/worker.ts';
import type { SampleFile } from './samples/provide-samples.ts';

export const SHARD = 10;
/** Map of the shards before the move of SHARD, and after it. */
export const BEFORE = SHARDS.map((shard) => (shard % 2 === 0 ? 'IMAGES' : 'IMAGES_ODD')).join(',');
export const AFTER = SHARDS.map((shard) => (shard === SHARD ? 'IMAGES_SPARE' : shard % 2 === 0 ? 'IMAGES' : 'IMAGES_ODD')).join(
  ',',
);

export type Send = (path: string, init?: RequestInit) => Promise<Response>;

/** A version of the service with this map of the shards, without the cache in front of it. */
export function service(SHARD_DATABASES: string): Send {
  const { app } = composeWorker({ ...env, SHARD_DATABASES }, { purge: async () => true });
  return async (path, init = {}) => {
    const context = createExecutionContext();
    const response = await app.fetch(new Request(`http://helioedge.test${path}`, init), env, context);
    await waitOnExecutionContext(context);
    return response;
  };
}

export const authorised = { Authorization: 'Bearer a-token-for-tests-only' };
/** `flags`: query of the upload. */
export const put = (send: Send, { name, base64 }: SampleFile, flags = '') =>
  send(`/admin/images/${name}${flags}`, { method: 'PUT', headers: authorised, body: Buffer.from(base64, 'base64') });
export const idOf = async (response: Response) => ((await response.json()) as { id: number }).id;
