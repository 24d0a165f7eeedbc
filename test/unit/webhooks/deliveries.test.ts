import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WebhookMessage } from '../../../src/operator/webhooks/d1-webhooks.ts';
import { postMessage } from '../../../src/operator/webhooks/webhooks.ts';
import { WEBHOOKS } from '../../../src/platform/limits/webhooks.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/platform/util/durations.ts';
import type { WebhookReceiver, WebhookService } from '../../support/webhooks/webhook-service.ts';
import { ADMIN_TOKEN, expectSigned, webhookReceiver, webhookService } from '../../support/webhooks/webhook-service.ts';

let there: WebhookReceiver;
let service: WebhookService;

beforeEach(async () => {
  there = await webhookReceiver();
  service = webhookService();
});
afterEach(() => there.close());

const imagesOf = ({ body }: { readonly body: string }): { id: number }[] => JSON.parse(body).data.images;
const idsReceived = () => there.received.flatMap(imagesOf).map(({ id }) => id);

/** A webhook with one delivery that the receiver has answered. */
async function tried(respond: (response: ServerResponse) => void) {
  there.receiver.respond = respond;
  const hook = await service.add(there.address);
  await service.addImages(10, 0);
  await service.minute();
  await service.minute();
  expect(there.received).toHaveLength(1);
  return { ...hook, state: (await service.webhook(hook.id)) as Record<string, unknown> };
}

const answer =
  (status: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(status, headers).end('no');

it('new images reach a webhook of their source within two minutes, signed, with their addresses', async () => {
  const { id, secret } = await service.add(there.address);
  const [image] = await service.addImages(10, 30);
  await service.addImages(11, 30);
  await service.minute();
  expect(there.received).toEqual([]);
  await service.minute();
  expect(there.received).toHaveLength(1);
  const [received] = there.received;
  expectSigned(received!, secret, service.time.nowMs);
  expect(received!.headers['content-type']).toBe('application/json');
  expect(JSON.parse(received!.body)).toEqual({
    type: 'images.added',
    timestamp: '2024-06-01T00:02:00.000Z',
    data: {
      images: [
        {
          id: image,
          sourceId: 10,
          name: 'AIA 171',
          date: '2024-05-01T00:00:30.000Z',
          file: 'image_of_10_30.jp2',
          size: 1000,
          sha256: expect.stringMatching(/^0+1000000030$/),
          jp2: 'http://sun.test/jp2/AIA/2024/05/01/171/image_of_10_30.jp2',
          header: `http://sun.test/v2/getJP2Header/?id=${image}`,
          preview: `http://sun.test/v2/downloadImage/?id=${image}&width=256&type=jpg`,
          page: 'http://sun.test/?date=2024-05-01T00:00:30Z&imageLayers=%5B10,1,100%5D',
        },
      ],
    },
  });
  expect(await service.webhook(id)).toMatchObject({ state: 'active', lastReceived: '2024-06-01T00:02:00Z' });
});

it('new images arrive once, in the order of their addition, and not those from before the webhook', async () => {
  await service.addImages(10, 0, 3);
  await service.add(there.address, { sources: [10, 8, 26] });
  const ids = [...(await service.addImages(10, 60, 2)), ...(await service.addImages(8, 0, 2))];
  for (let i = 0; i < 3; i += 1) await service.minute();
  const late = await service.addImages(10, 10, 2);
  for (let i = 0; i < 3; i += 1) await service.minute();
  expect(idsReceived()).toEqual([...ids, ...late]);
  expect(there.received).toHaveLength(2);
});

it('new images arrive when their row follows others with higher numbers', async () => {
  await service.add(there.address);
  // The row of the first number comes a moment after that of the second one.
  const [issued] = [await service.services.ids.next('images-10', 1, async () => 0)];
  const [after] = await service.addImages(10, 0);
  await service.minute(0);
  const images = service.services.databases.ofShard(10);
  const { results } = await images.prepare('SELECT * FROM images').all<Record<string, unknown>>();
  const row = { ...results[0], id: issued! * 16 + 10, taken_at_ms: 1000, file_name: 'late.jp2' };
  const marks = Object.keys(row).map(() => '?');
  await images
    .prepare(`INSERT INTO images (${Object.keys(row)}) VALUES (${marks})`)
    .bind(...Object.values(row))
    .run();
  await service.minute();
  expect(idsReceived()).toEqual([row.id, after]);
});

it.each<[string, Parameters<typeof service.addImages>, number[]]>([
  [`for each ${WEBHOOKS.items}`, [10, 0, 3 * WEBHOOKS.items + 50], [...Array(3).fill(WEBHOOKS.items), 50]],
  ['for fewer images of long paths', [10, 0, WEBHOOKS.items, 'folder/'.repeat(130)], Array(2).fill(WEBHOOKS.items / 2)],
])('new images make a delivery %s, one after the other', async (_, images, deliveries) => {
  await service.add(there.address);
  const ids = await service.addImages(...images);
  await service.minute();
  await service.minute();
  expect(there.received.map((each) => imagesOf(each).length)).toEqual(deliveries);
  expect(idsReceived()).toEqual(ids);
});

describe('a delivery', () => {
  it('that is received is not sent again when the next one cannot be made', async () => {
    const failing = vi.spyOn(service.services.databases.ofShard(3), 'prepare');
    await tried((response) => {
      failing.mockImplementation(() => {
        throw new Error('away');
      });
      answer(204)(response);
    });
    expect(service.queue).toEqual([]);
    expect(service.logged).toContainEqual({ webhook: 1, failed: expect.stringContaining('away') });
  });

  it('repeats under the same id, with the time of the attempt, after the receiver has failed', async () => {
    const { id, secret, state } = await tried(answer(500));
    const sentence = 'The receiver responded with status 500.';
    expect(state).toMatchObject({ failingSince: '2024-06-01T00:02:00Z', sentence });
    await service.minute(0);
    expect(there.received).toHaveLength(1);
    there.receiver.respond = answer(200);
    await service.minute(2);
    const [first, second] = there.received;
    expect([second!.headers['webhook-id'], second!.body]).toEqual([first!.headers['webhook-id'], first!.body]);
    expectSigned(second!, secret, service.time.nowMs);
    expect(await service.webhook(id)).toMatchObject({ failingSince: null, sentence: null, lastReceived: '2024-06-01T00:04:00Z' });
    expect(service.queue).toEqual([]);
  });

  it('counts as received when the status is 2xx, however long the body is', async () => {
    const { state } = await tried((response) => {
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && response.write(' '.repeat(65_536)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    expect(state).toMatchObject({ failingSince: null, lastReceived: '2024-06-01T00:02:00Z' });
  });

  it.each([301, 302, 307, 308])('fails, and follows no address, when the receiver redirects with %i', async (status) => {
    const other = await webhookReceiver();
    const { state } = await tried(answer(status, { Location: other.address }));
    expect(state).toMatchObject({
      sentence: `The receiver redirects (status ${status}), which is not followed.`,
    });
    expect(other.received).toEqual([]);
    await other.close();
  });

  it('fails when the connection is closed', async () => {
    const { state } = await tried((response) => void response.destroy());
    const sentence = 'The receiver could not be reached, or closed the connection.';
    expect(state).toMatchObject({ lastReceived: null, sentence });
  });

  it('fails when the receiver hangs', async () => {
    there.receiver.respond = () => undefined;
    const message = { body: '{}', headers: {}, nowMs: 0 };
    const sentence = 'The receiver did not respond within 0.1 seconds.';
    expect(await postMessage(new URL(there.address), message, 100)).toEqual({ status: null, sentence, retryAfterMs: null });
  });

  it('waits as long as Retry-After says, and an hour at most', async () => {
    await tried(answer(503, { 'Retry-After': '1800' }));
    const nextMs = () => service.queue[0]!.dueAtMs - service.time.nowMs;
    expect(nextMs()).toBe(HOUR_MS / 2);
    there.receiver.respond = answer(429, { 'Retry-After': String(365 * 86_400) });
    await service.minute(31);
    expect(nextMs()).toBe(HOUR_MS);
  });

  it(`becomes a dead letter after ${WEBHOOKS.attempts} attempts in 18 hours, which an operator sends again; what is new follows it`, async () => {
    const { id } = await tried(answer(500));
    const startMs = service.time.nowMs;
    const ids = await service.addImages(10, 1);
    for (let i = 0; i < 400 && (await service.deadLetters()).length === 0; i += 1) await service.minute(5);
    expect(there.received).toHaveLength(WEBHOOKS.attempts);
    expect((service.time.nowMs - startMs) / HOUR_MS).toBeGreaterThan(13);
    expect((service.time.nowMs - startMs) / HOUR_MS).toBeLessThan(25);
    const [dead] = await service.deadLetters();
    expect([dead, await service.webhook(id)]).toMatchObject([
      { webhook: id, body: there.received[0]!.body },
      { state: 'active' },
    ]);
    there.receiver.respond = answer(204);
    await service.minute();
    await service.minute();
    expect(there.received.slice(WEBHOOKS.attempts).flatMap(imagesOf)).toMatchObject([{ id: ids[0] }]);
    const replayed = await service.app(
      new Request('http://sun.test/admin/dead-letters', { method: 'POST', headers: { Authorization: `Bearer ${ADMIN_TOKEN}` } }),
    );
    expect(await replayed.json()).toEqual({ sent: 1, left: 0 });
    await service.minute();
    expect(there.received.at(-1)!.headers['webhook-id']).toBe(dead!.id);
    expect(service.queue).toEqual([]);
  });

  it('waits behind one that fails, and does not hold up those of other webhooks', async () => {
    const other = await webhookReceiver();
    there.receiver.respond = answer(500);
    await service.add(there.address);
    await service.add(other.address);
    await service.addImages(10, 0, 3 * WEBHOOKS.items);
    await service.minute();
    await service.minute();
    expect([there.received.length, other.received.length]).toEqual([1, 3]);
    await other.close();
  });

  it.each([
    ['for an address that is not permitted any more', { WEBHOOKS_TO_LOOPBACK: 'false' }, 'not permitted'],
    ['without the key that opens its secret', { SESSION_KEY: 'other'.repeat(8) }, 'SESSION_KEY has changed'],
  ])('stops %s', async (_, variables, sentence) => {
    await tried(answer(500));
    const changed = webhookService({ databases: service.services.databases, variables });
    changed.time.nowMs = service.time.nowMs;
    await changed.minute(15);
    expect(there.received).toHaveLength(1);
    expect(await changed.webhook(1)).toMatchObject({ sentence: expect.stringContaining(sentence) });
  });
});

it('a webhook pauses after three days of failures, says so, and continues when it is resumed', async () => {
  const { id } = await tried(answer(500));
  for (let day = 0; day < 4; day += 1) {
    await service.addImages(10, 100 + day);
    for (let i = 0; i < 10; i += 1) await service.minute((0.1 * DAY_MS) / MINUTE_MS);
  }
  const sentence =
    'Paused because nothing has been received for 3 days. The last failure: The receiver responded with status 500.';
  expect(await service.webhook(id)).toMatchObject({ state: 'paused', sentence });
  expect(service.logged).toContainEqual({ webhook: id, paused: sentence });
  const sent = there.received.length;
  const ids = await service.addImages(10, 200, 2);
  await service.minute(1000);
  expect(there.received).toHaveLength(sent);
  there.receiver.respond = answer(204);
  expect((await service.call('POST', `/${id}/resume`)).status).toBe(200);
  for (let i = 0; i < 5; i += 1) await service.minute();
  expect(await service.webhook(id)).toMatchObject({ state: 'active', sentence: null, failingSince: null });
  expect(idsReceived()).toEqual(expect.arrayContaining(ids));
});

it('a webhook pauses at once when its receiver is gone', async () => {
  const { state } = await tried(answer(410));
  expect(state).toMatchObject({ state: 'paused', sentence: 'Paused because the receiver says that it is gone (status 410).' });
});

it('a webhook stays active when its receiver is said to be gone by an attempt that another one has overtaken', async () => {
  const sent = vi.spyOn(service.queue, 'push');
  const { state } = await tried(async (response) => {
    there.receiver.respond = answer(204);
    await service.services.deliverWebhook(sent.mock.calls[0]![0]!.body as WebhookMessage, 2);
    there.received.pop();
    answer(410)(response);
  });
  expect(state).toMatchObject({ state: 'active', failingSince: null, sentence: null });
  expect(service.logged).toEqual([]);
});

it('a webhook keeps deliveries that an earlier version has left as dead letters, which reach the receiver when they are sent again', async () => {
  const { id } = await service.add(there.address);
  const row = `INSERT INTO webhook_deliveries (id, webhook_id, type, items, body, state, created_at_ms, attempts, due_at_ms)
      SELECT 'msg_' || value, ${id}, 'test', 0, '{"of":"' || value || '"}', value, 5, 0, 0 FROM json_each(?)`;
  await service.services.databases.operations.prepare(row).bind('["waiting", "dead", "received"]').run();
  await service.minute();
  const left = (await service.deadLetters()).map(({ id: message, body }) => [message, body]);
  expect(left.sort()).toEqual([
    ['msg_dead', '{"of":"dead"}'],
    ['msg_waiting', '{"of":"waiting"}'],
  ]);
  await service.services.send('WEBHOOKS', await service.deadLetters());
  await service.minute();
  expect(there.received.map(({ body }) => body).sort()).toEqual(['{"of":"dead"}', '{"of":"waiting"}']);
});
