import { describe, expect, it } from 'vitest';
import {
  CLIENT_HEADER,
  clientKey,
  clientOf,
  clientRateLimit,
  isolateRateLimit,
  limitRate,
  platformRateLimit,
  rateLimitHeaders,
  unitsOf,
} from '../../../src/platform/admission/rate-limit.ts';
import { identifiedClient } from '../../../src/platform/http/credentials.ts';
import { CLIENT_VARIABLES } from '../../../src/platform/settings/clients.ts';
import { readVariables } from '../../../src/platform/settings/variable.ts';
import { testArchive } from '../../support/test-archive.ts';

const keyOf = (address: string) => clientOf(new Headers({ 'CF-Connecting-IP': address }));

it('the key of a client uses the IPv4 address, also in the notation of IPv6', () => {
  expect([keyOf('192.0.2.7'), keyOf('::ffff:192.0.2.7'), clientOf(new Headers())]).toEqual(['192.0.2.7', '192.0.2.7', null]);
  expect(clientKey(new Headers())).toBe('local');
});

it.each([
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:db8::2:3:4:5:6', '2001:db8:0:2'],
  ['::1', '0:0:0:0'],
])('the key of a client reduces %s to the network %s', (address, network) => {
  expect(keyOf(address)).toBe(network);
});

it('isolateRateLimit says what is left, and for how long', async () => {
  let nowMs = 18_500;
  const limiter = isolateRateLimit({ name: 'few', quota: 2, seconds: 60 }, () => nowMs);
  expect(await limiter.limit({ key: 'a' })).toEqual({ success: true, remaining: 1, resetSeconds: 42 });
  nowMs = 59_999;
  expect(await limiter.limit({ key: 'a' })).toEqual({ success: true, remaining: 0, resetSeconds: 1 });
  expect(await limiter.limit({ key: 'a' })).toEqual({ success: false, remaining: 0, resetSeconds: 1 });
});

const policy = { name: 'few', quota: 2, seconds: 60 };
const headersOf = (address: string) => new Headers({ [CLIENT_HEADER]: address });

/** The limit over a binding that admits the units of a key in a minute. */
function limited(stated = policy) {
  const time = { nowMs: 0 };
  const asked: string[] = [];
  const few = isolateRateLimit(stated, () => time.nowMs);
  const binding = {
    limit: async ({ key }: { key: string }) => {
      asked.push(key);
      return { success: (await few.limit({ key })).success };
    },
  };
  return { time, asked, limiter: platformRateLimit(stated, binding, () => time.nowMs) };
}

it('platformRateLimit does not ask the platform again for a client that it has refused, until the time that the client was told', async () => {
  const { time, asked, limiter } = limited();
  const send = (address: string) => limitRate(limiter, headersOf(address));
  await send('192.0.2.1');
  expect(await send('192.0.2.1')).toEqual(rateLimitHeaders(policy, {}));
  await expect(send('192.0.2.1')).rejects.toMatchObject({ retryAfterSeconds: 60, exceeded: policy });
  time.nowMs = 20_400;
  await expect(send('192.0.2.1')).rejects.toMatchObject({ retryAfterSeconds: 40, exceeded: policy });
  await send('192.0.2.2');
  expect(asked).toEqual(['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2']);
  time.nowMs = 60_000;
  expect(await send('192.0.2.1')).toEqual(rateLimitHeaders(policy, {}));
});

it('platformRateLimit forgets the longest unseen of many refused clients', async () => {
  const { asked, limiter } = limited();
  const all = Array.from({ length: 10_001 }, (_, i) => `10.0.${i >> 8}.${i & 255}`);
  for (const key of all) for (let i = 0; i < 3; i += 1) await limiter.limit({ key });
  const { length } = asked;
  for (const key of all.slice(1)) await limiter.limit({ key });
  expect(asked.length).toBe(length);
  await limiter.limit({ key: all[0]! });
  expect(asked.length).toBe(length + 1);
});

describe('the limit of a client, its network and its location', () => {
  const policy = { name: 'few', quota: 3, seconds: 60 };
  const TOKEN = 'a-token-of-a-mirror';
  const settings = readVariables(CLIENT_VARIABLES, {
    NETWORK_FACTOR: '2',
    LOCATION_FACTOR: '5',
    TRUSTED_NETWORKS: '198.51.100.0/25=4,2001:db8:ca::/48=4,198.51.100.7/32=2',
    CLIENT_TOKENS: `mirror:${TOKEN}:3`,
  });
  /** The limit over the counts of isolates, or over a binding of the platform, which knows three units of a key. */
  const counters = { isolate: () => isolateRateLimit(policy, () => 0), platform: () => limited(policy).limiter };
  const limitOf = (counter: keyof typeof counters, hasLocation = true) =>
    clientRateLimit(counters[counter](), settings, hasLocation);
  /** Units of each client that are admitted, in the order of the clients, until none is. */
  const admitted = async (limiter: ReturnType<typeof clientRateLimit>, clients: readonly string[], purpose = '') => {
    const counts = clients.map(async (client) => {
      let count = 0;
      while ((await limiter.limit({ key: purpose + client })).success) count += 1;
      return count;
    });
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  };

  describe.each(['isolate', 'platform'] as const)('by the %s', (counter) => {
    it.each([
      ['an address', ['192.0.2.1'], 3],
      ['a network of IPv4', ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'], 6],
      ['a /48 of IPv6', ['2001:db8:1:1', '2001:db8:1:2', '2001:db8:1:ffff', '2001:db8:1:0'], 6],
      ['several networks', ['192.0.2.1', '192.0.3.1', '2001:db8:1:1', '2001:db8:2:1'], 12],
      ['a location', ['192.0.2.1', '192.0.3.1', '192.0.4.1', '192.0.5.1', '192.0.6.1', '192.0.7.1'], 15],
      ['an address of a trusted network', ['198.51.100.9'], 12],
      ['the larger of two factors', ['198.51.100.7'], 12],
      ['an address beside a trusted network', ['198.51.100.129'], 3],
      ['a trusted /64', ['2001:db8:ca:7'], 12],
      ['a token, whose networks are not counted', ['@mirror'], 9],
      ['a token that is not known', ['@other'], 3],
      ['no address', ['local'], 3],
    ])('admits the units of %s', async (_, clients, units) => {
      expect(await admitted(limitOf(counter), clients)).toBe(units);
    });

    it('leaves neighbours and strangers what clients with a factor, who use up the location of theirs, do not share with them', async () => {
      const limiter = limitOf(counter);
      expect(await admitted(limiter, ['198.51.100.9', '@mirror'])).toBe(15);
      expect(await admitted(limiter, ['198.51.100.129', '192.0.2.1'])).toBe(6);
    });

    it('counts what is named before the client apart, and all clients of a location only where it is told to', async () => {
      const limiter = limitOf(counter, false);
      expect([await admitted(limiter, ['192.0.2.1']), await admitted(limiter, ['192.0.2.1'], 'frames ')]).toEqual([3, 3]);
      const many = Array.from({ length: 20 }, (_, i) => `10.0.${i}.1`);
      expect(await admitted(limiter, many)).toBe(60);
    });
  });

  it('appears in the refusal: 429 for client and network, 503 for the location, which the cache does not need', async () => {
    const limited = { requestLimiter: limitOf('isolate') };
    const { get } = testArchive(limited);
    let days = 0;
    const send = async (client: string, ofDay?: number) => {
      days += 1;
      const path = `/v2/getClosestImage/?sourceId=10&date=2024-01-${String(ofDay ?? days).padStart(2, '0')}`;
      const { status, headers } = await get(path, { headers: { 'CF-Connecting-IP': client } });
      return [status, headers.get('RateLimit-Policy'), headers.get('Retry-After')];
    };
    const own = '"few";q=3;w=60';
    for (const client of ['192.0.2.1', '192.0.2.2']) {
      for (let i = 0; i < 3; i += 1) expect(await send(client)).toEqual([200, own, null]);
      expect(await send(client)).toEqual([429, own, '60']);
    }
    expect(await send('192.0.2.3')).toEqual([429, '"few-network";q=6;w=60', '60']);
    for (let i = 3; i < 12; i += 1) expect(await send(`192.0.${i}.1`)).toEqual([200, own, null]);
    expect(await send('192.0.12.1')).toEqual([503, '"few-location";q=15;w=60', '60']);
    expect(await send('192.0.12.1', 1)).toEqual([200, null, null]);
  });

  it('counts each part of a body without a length for the network as well', async () => {
    const [body, duplex] = [new ReadableStream(), 'half'];
    const request = new Request('http://sun.test/', { method: 'POST', body, duplex } as RequestInit);
    const units = unitsOf(request, { bodyBytes: 6, bodyUnitBytes: 1 });
    const limiter = clientRateLimit(counters.isolate(), { ...settings, NETWORK_FACTOR: 1, TRUSTED_NETWORKS: [] }, false);
    await expect(limitRate(limiter, new Headers({ [CLIENT_HEADER]: '192.0.2.1' }), units)).rejects.toThrow('from this address');
    await expect(limitRate(limiter, new Headers({ [CLIENT_HEADER]: '192.0.2.2' }))).rejects.toThrow('network of this address');
  });

  it.each([
    [`Bearer ${TOKEN}`, '@mirror'],
    [`bearer ${TOKEN}`, '@mirror'],
    ['Bearer another', '192.0.2.1'],
    [`Basic ${TOKEN}`, '192.0.2.1'],
    [null, '192.0.2.1'],
  ])('identifies a client with the header %s as %s', async (authorization, client) => {
    const headers = new Headers({ 'CF-Connecting-IP': '192.0.2.1', ...(authorization ? { Authorization: authorization } : {}) });
    expect(await identifiedClient(headers, settings.CLIENT_TOKENS)).toBe(client);
  });

  it.each([
    ['TRUSTED_NETWORKS', '192.0.2.0/33=2'],
    ['TRUSTED_NETWORKS', '192.0.2.0/24=0'],
    ['TRUSTED_NETWORKS', '192.0.256.0/24=2'],
    ['TRUSTED_NETWORKS', '2001:db8::1::/48=2'],
    ['TRUSTED_NETWORKS', '2001:db8::1/65=2'],
    ['TRUSTED_NETWORKS', 'campus=2'],
    ['CLIENT_TOKENS', 'mirror:short:2'],
    ['CLIENT_TOKENS', `mirror:${TOKEN}:1001`],
    ['CLIENT_TOKENS', `mirror:${TOKEN}:2,other:${TOKEN}:2`],
    ['NETWORK_FACTOR', '0'],
  ])('rejects the setting %s=%s', (name, value) => {
    expect(() => readVariables(CLIENT_VARIABLES, { [name]: value })).toThrow(`for ${name}`);
  });
});

describe('the headers of a rate limit', () => {
  it('state the limit alone where the count is unknown, and what is left where it is known', () => {
    expect(rateLimitHeaders(policy, {})).toEqual({ 'RateLimit-Policy': '"few";q=2;w=60' });
    expect(rateLimitHeaders(undefined, { remaining: 1, resetSeconds: 2 })).toEqual({});
    const headers = rateLimitHeaders(policy, { remaining: 1, resetSeconds: 42 });
    expect(headers).toEqual({ 'RateLimit-Policy': '"few";q=2;w=60', RateLimit: '"few";r=1;t=42' });
  });

  it('state the limit of the service and an exceeded one, but not the limit of the client of a stored response', async () => {
    const requestLimiter = isolateRateLimit(policy, () => 0);
    const { get } = testArchive({ requestLimiter });
    const limits = async (day: number) => {
      const { status, headers } = await get(`/v2/getClosestImage/?sourceId=10&date=2024-01-0${day}`);
      return [status, headers.get('RateLimit-Policy'), headers.get('RateLimit'), headers.get('Retry-After')];
    };
    expect(await limits(1)).toEqual([200, '"few";q=2;w=60', '"few";r=1;t=60', null]);
    expect(await limits(1)).toEqual([200, null, null, null]);
    expect(await limits(2)).toEqual([200, '"few";q=2;w=60', '"few";r=0;t=60', null]);
    expect(await limits(3)).toEqual([429, '"few";q=2;w=60', '"few";r=0;t=60', '60']);
  });
});
