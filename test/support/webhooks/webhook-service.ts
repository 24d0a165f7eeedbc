// The service with webhooks to this machine, at a time that tests set, and a receiver of their deliveries.
import { createHmac, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import { expect } from 'vitest';
import { experimental_readRawConfig } from 'wrangler';
import { D1ImageRegister } from '../../../src/archive/image-index/d1-image-register.ts';
import type { WebhookMessage } from '../../../src/operator/webhooks/d1-webhooks.ts';
import { MINUTE_MS, SECOND_MS } from '../../../src/platform/util/durations.ts';
import type { NewImage } from '../../../src/sun/image.ts';
import { consumeQueue } from '../../../src/worker/background.ts';
import { archivedImage } from '../memory/archived-images.ts';
import { localServer } from '../system/local-server.ts';
import { type Overrides, servedApp, testServices } from '../test-services.ts';

export const ADMIN_TOKEN = 'the-token-of-the-operator';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver whose response is `respond`, which tests replace. */
export async function webhookReceiver() {
  const received: Received[] = [];
  const accept = (response: ServerResponse): void => void response.writeHead(204).end();
  const receiver = { respond: accept };
  const server = await localServer(async (request, response) => {
    received.push({ headers: request.headers, body: String(Buffer.concat(await Array.fromAsync<Uint8Array>(request))) });
    receiver.respond(response);
  });
  return { ...server, received, receiver, address: `${server.url}/hook` };
}

export type WebhookReceiver = Awaited<ReturnType<typeof webhookReceiver>>;

/** Checks the signature of a delivery with the means of Node alone. */
export function expectSigned({ headers, body }: Received, secret: string, nowMs: number): void {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  expect(key).toHaveLength(32);
  const timestamp = String(headers['webhook-timestamp']);
  expect(Number(timestamp)).toBe(Math.floor(nowMs / 1000));
  const signed = `${headers['webhook-id']}.${timestamp}.${body}`;
  expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
}

interface Registered {
  readonly id: number;
  readonly secret: string;
}

const { rawConfig } = experimental_readRawConfig({ config: resolve(import.meta.dirname, '..', '..', '..', 'wrangler.toml') });
const consumer = rawConfig.queues!.consumers!.find(({ queue }: { queue: string }) => queue === 'helioedge-webhooks')!;

interface Queued {
  readonly id: string;
  readonly body: unknown;
  attempts: number;
  dueAtMs: number;
}

/** `minute`: what the clock does each minute, after a minute has passed, and then what is due in the queue, until nothing is. */
export function webhookService(overrides: Overrides = {}) {
  const time = { nowMs: Date.UTC(2024, 5, 1) };
  const variables = { SESSION_KEY: 'k'.repeat(32), ADMIN_TOKEN, WEBHOOKS_TO_LOOPBACK: 'true', ...overrides.variables };
  const logged: object[] = [];
  const queue: Queued[] = [];
  const services = testServices({
    clock: () => time.nowMs,
    send: async (_, bodies) =>
      void queue.push(...bodies.map((body) => ({ id: randomUUID(), body, attempts: 0, dueAtMs: time.nowMs }))),
    log: (record) => void logged.push(record),
    ...overrides,
    variables,
  });
  const { direct } = servedApp(services);
  const register = new D1ImageRegister(services);
  const call = (method: string, path = '', body?: unknown) =>
    direct(`http://sun.test/admin/webhooks${path}`, {
      method,
      headers: { Authorization: `Bearer ${ADMIN_TOKEN}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const json = async (response: Response | Promise<Response>) => (await response).json() as Promise<Record<string, unknown>>;
  const minute = async (minutes = 1) => {
    time.nowMs += minutes * MINUTE_MS;
    await services.sendWebhooks();
    for (let due = queue.find(isDue); due; due = queue.find(isDue)) await work(due);
  };
  const isDue = ({ dueAtMs }: Queued) => dueAtMs <= time.nowMs;
  /** A delivery of a message by the queue, which drops it, repeats it later, or makes a dead letter of it. */
  const work = async (queued: Queued): Promise<void> => {
    queue.splice(queue.indexOf(queued), 1);
    queued.attempts += 1;
    const message = {
      ...queued,
      ack: () => undefined,
      retry: async ({ delaySeconds = consumer.retry_delay ?? 0 } = {}) => {
        if (queued.attempts <= (consumer.max_retries ?? 0))
          queue.push({ ...queued, dueAtMs: time.nowMs + delaySeconds * SECOND_MS });
        else await consumeQueue({ queue: 'jobs-dead', messages: [queued] } as unknown as MessageBatch, services);
      },
    };
    await consumeQueue({ queue: 'webhooks', messages: [message] } as unknown as MessageBatch, services);
  };
  return {
    services,
    app: direct as (request: Request) => Promise<Response>,
    time,
    logged,
    call,
    json,
    minute,
    add: async (address: string, order: object = { sources: [10] }) => {
      const response = await call('POST', '', { address, ...order });
      expect(response.status).toBe(201);
      return (await response.json()) as Registered;
    },
    webhook: async (id: number) => {
      const { webhooks } = (await json(call('GET'))) as { webhooks: { id: number }[] };
      return webhooks.find((hook) => hook.id === id);
    },
    queue,
    deadLetters: async () => (await services.deadLetters.letters()).map(({ body }) => JSON.parse(body) as WebhookMessage),
    /** Adds images of a source, one each second from this second on; returns their ids. */
    addImages: async (sourceId: number, fromSecond: number, count = 1, folder = 'AIA/2024/05/01/171') => {
      const images = Array.from({ length: count }, (_, i): NewImage => {
        const second = fromSecond + i;
        const fileName = `image_of_${sourceId}_${second}.jp2`;
        const { id: _id, ...image } = archivedImage(0, sourceId, new Date(Date.UTC(2024, 4, 1, 0, 0, second)).toISOString());
        return { ...image, fileName, key: `jp2/${folder}/${fileName}`, sha256: String(1e9 + second).padStart(64, '0') };
      });
      const results = await register.addAll(images);
      return results.map((result) => {
        if (result.outcome !== 'added') throw new Error(`The image was not added: ${result.outcome}.`);
        return result.image.id;
      });
    },
  };
}

export type WebhookService = ReturnType<typeof webhookService>;
