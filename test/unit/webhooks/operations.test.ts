import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WEBHOOKS } from '../../../src/platform/limits/webhooks.ts';
import type { WebhookReceiver, WebhookService } from '../../support/webhooks/webhook-service.ts';
import { ADMIN_TOKEN, expectSigned, webhookReceiver, webhookService } from '../../support/webhooks/webhook-service.ts';

const ADDRESS = 'https://hooks.example.org/sun';

/** For requests that change nothing. */
const shared = webhookService();
let service: WebhookService;
const begin = (): void => {
  service = webhookService();
};

describe('the registration of a webhook', () => {
  beforeEach(begin);

  it('shows the secret once, and the database does not have it', async () => {
    const response = await service.call('POST', '', { address: ADDRESS, sources: [10, 10, 8], eventTypes: ['FL'] });
    const { secret, ...shown } = (await response.json()) as { secret: string };
    expect([response.status, shown]).toEqual([
      201,
      {
        id: 1,
        address: ADDRESS,
        sources: [10, 8],
        eventTypes: ['FL'],
        created: '2024-06-01T00:00:00Z',
        state: 'active',
        paused: null,
        failingSince: null,
        lastReceived: null,
        sentence: null,
      },
    ]);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await service.json(service.call('GET'))).toEqual({ webhooks: [shown] });
    const { results } = await service.services.databases.operations.prepare('SELECT * FROM webhooks').all();
    expect(JSON.stringify(results)).not.toContain(secret.slice(6));
    expect((await service.add(ADDRESS)).secret).not.toBe(secret);
  });

  it(`succeeds ${WEBHOOKS.count} times, and again after a removal`, async () => {
    for (let i = 0; i < WEBHOOKS.count; i += 1) await service.add(ADDRESS);
    const refused = await service.call('POST', '', { address: ADDRESS, sources: [10] });
    const sentence = `There are ${WEBHOOKS.count} webhooks, which is the most. Remove one first.`;
    expect([refused.status, await refused.json()]).toMatchObject([409, { error: sentence }]);
    expect((await service.call('DELETE', '/3')).status).toBe(200);
    expect(await service.add(ADDRESS)).toMatchObject({ id: WEBHOOKS.count + 1 });
  });

  it('refuses a member that it does not have, by its name', async () => {
    for (const name of ['eventType', '__proto']) {
      const response = await service.call('POST', '', { address: ADDRESS, sources: [10], [name]: ['FL'] });
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { error: expect.stringContaining(`The body has no member ${name}. It is {"address": `), parameter: name },
      ]);
    }
    expect(await service.json(service.call('GET'))).toEqual({ webhooks: [] });
  });

  it('needs the key that seals secrets', async () => {
    const { call } = webhookService({ variables: { SESSION_KEY: '', ADMIN_TOKEN, WEBHOOKS_TO_LOOPBACK: 'false' } });
    const response = await call('POST', '', { address: ADDRESS, sources: [10] });
    expect([response.status, await response.json()]).toMatchObject([501, { error: expect.stringContaining('SESSION_KEY') }]);
  });

  it('names the public origin in deliveries, whatever the host of the registration', async () => {
    const there = await webhookReceiver();
    const variables = { PUBLIC_ORIGIN: 'https://images.example.org' };
    const { add, addImages, minute } = webhookService({ variables });
    await add(there.address);
    await addImages(10, 0);
    await minute();
    await minute();
    expect(there.received[0]!.body).toContain('"header":"https://images.example.org/v2/getJP2Header/');
    await there.close();
  });
});

describe('a test of a webhook', () => {
  let there: WebhookReceiver;

  beforeEach(async () => {
    begin();
    there = await webhookReceiver();
  });
  afterEach(() => there.close());

  it('sends a signed message at once, and says that it was received', async () => {
    const { id, secret } = await service.add(there.address);
    const result = await service.json(service.call('POST', `/${id}/test`));
    expect(result).toEqual({ id: there.received[0]!.headers['webhook-id'], isReceived: true, status: 204, sentence: null });
    expectSigned(there.received[0]!, secret, service.time.nowMs);
    expect(JSON.parse(there.received[0]!.body)).toMatchObject({ type: 'test', data: { webhook: id } });
    expect(service.queue).toEqual([]);
  });

  it('says what is wrong with the receiver, and stores nothing', async () => {
    const { id } = await service.add(there.address);
    there.receiver.respond = (response) => void response.writeHead(403).end('<script>');
    const sentence = 'The receiver responded with status 403.';
    expect(await service.json(service.call('POST', `/${id}/test`))).toMatchObject({ isReceived: false, status: 403, sentence });
    expect(service.queue).toEqual([]);
    expect(await service.webhook(id)).toMatchObject({ failingSince: null });
  });
});

it('Changes of webhooks are in the audit log.', async () => {
  begin();
  await service.add(ADDRESS);
  await service.call('DELETE', '/1');
  expect(await service.services.audit.list({ before: 100, limit: 10 })).toMatchObject([
    { action: 'remove-webhook', subject: '1', operator: 'admin' },
    { action: 'add-webhook', subject: `1 ${ADDRESS}`, operator: 'admin' },
  ]);
});

describe('a bad request about webhooks', () => {
  beforeAll(() => shared.add(ADDRESS));

  it.each([
    [{ address: 'http://127.0.0.1.example.org/', sources: [10] }, 'address'],
    [{ address: 'https://169.254.169.254/', sources: [10] }, 'address'],
    [{ address: ADDRESS, sources: [10001] }, 'sources'],
    [{ address: ADDRESS, sources: [999] }, 'sources'],
    [{ address: ADDRESS, eventTypes: ['XX'] }, 'eventTypes'],
    [{ address: ADDRESS }, 'sources'],
    [{ address: ADDRESS, sources: Array.from({ length: WEBHOOKS.sources + 1 }, (_, i) => i) }, undefined],
    [{ address: ADDRESS, sources: ['10'] }, undefined],
    [{ sources: [10] }, undefined],
    [[], undefined],
  ])('names the part of the registration that is at fault in %j', async (body, parameter) => {
    const response = await shared.call('POST', '', body);
    const failure = (await response.json()) as { error: string; parameter?: string };
    expect([response.status, failure.parameter]).toEqual([400, parameter]);
    expect(failure.error).toMatch(parameter ? new RegExp(`^Expected .* for ${parameter}, got `) : /^The body has to be/);
  });

  it.each([
    ['DELETE', '/x', 400, 'id'],
    ['POST', '/2/test', 404, 'id'],
    ['POST', '/2/resume', 404, 'id'],
    ['DELETE', '/2', 404, 'id'],
  ])('%s %s is %i and names %s', async (method, path, status, parameter) => {
    const response = await shared.call(method, path);
    expect([response.status, ((await response.json()) as { parameter: string }).parameter]).toEqual([status, parameter]);
  });
});
