// Versions of the service with other bindings than those of its tests, each in a new isolate, without the cache in front of it.
import { createExecutionContext, runInDurableObject, waitOnExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect } from 'vitest';
import type { ReconciledStep } from '../../src/operator/reconciliation/reconcile.ts';
import { SHARDS } from '../../src/platform/storage/shards.ts';
import { composeWorker, type createApp } from '../../src/worker/worker.ts';
import type { SampleFile } from './samples/provide-samples.ts';

export const SHARD = 10;
/** Map of the shards before the move of SHARD, and after it. */
export const BEFORE = SHARDS.map((shard) => (shard % 2 === 0 ? 'IMAGES' : 'IMAGES_ODD')).join(',');
export const AFTER = SHARDS.map((shard) => (shard === SHARD ? 'IMAGES_SPARE' : shard % 2 === 0 ? 'IMAGES' : 'IMAGES_ODD')).join(
  ',',
);

export type Send = (path: string, init?: RequestInit) => Promise<Response>;

/** Sends requests to an app, and waits for its work behind them. */
export function sender(app: ReturnType<typeof createApp>, bindings: object = env): Send {
  return async (path, init = {}) => {
    const context = createExecutionContext();
    const response = await app.fetch(new Request(`http://helioedge.test${path}`, init), bindings, context);
    await waitOnExecutionContext(context);
    return response;
  };
}

/** @param changed Bindings in place of those of the tests */
export function isolate(changed: object, purge = async () => true) {
  const bindings = { ...env, ...changed };
  const { app, services } = composeWorker(bindings, { purge });
  return { services, send: sender(app, bindings) };
}

/** A version of the service with this map of the shards. */
export const service = (SHARD_DATABASES: string): Send => isolate({ SHARD_DATABASES }).send;

export const authorised = { Authorization: 'Bearer a-token-for-tests-only' };
/** `flags`: query of the upload. */
export const put = (send: Send, { name, base64 }: SampleFile, flags = '') =>
  send(`/admin/images/${name}${flags}`, { method: 'PUT', headers: authorised, body: Buffer.from(base64, 'base64') });
export const idOf = async (response: Response) => ((await response.json()) as { id: number }).id;
export const jsonOf = async <T>(response: Response) => (await response.json()) as T;

/** The steps of a comparison to its end. */
export async function* reconciled(send: Send, mend: boolean, from: unknown = null): AsyncGenerator<ReconciledStep> {
  for (let cursor = from, steps = 0; steps === 0 || cursor !== null; steps += 1) {
    expect(steps).toBeLessThan(300);
    const body = JSON.stringify({ cursor, mend });
    const response = await send('/admin/reconciliation', { method: 'POST', headers: authorised, body });
    expect(response.status).toBe(200);
    const step = await jsonOf<ReconciledStep>(response);
    yield step;
    cursor = step.next;
  }
}

/** The faults of a whole comparison. */
export async function reconcile(send: Send, mend: boolean): Promise<ReconciledStep['faults'][number][]> {
  return (await Array.fromAsync(reconciled(send, mend))).flatMap(({ faults }) => faults);
}

/** Loses the sequence of the ids of AIA 171. */
export const loseSequence = () =>
  runInDurableObject(env.ID_SEQUENCES.getByName('images-10'), (_, { storage }) => storage.deleteAll());
