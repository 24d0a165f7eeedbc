import { describe, expect, it } from 'vitest';
import {
  CLIENT_HEADER,
  clientKey,
  clientOf,
  IsolateRateLimit,
  limitRate,
  PlatformRateLimit,
  rateLimitHeaders,
} from '../../../src/http/rate-limit.ts';
import { testArchive } from '../../support/test-archive.ts';

const keyOf = (address: string) => clientOf(new Headers({ 'CF-Connecting-IP': address }));

describe('the key of a client', () => {
  it('uses the IPv4 address, also in the notation of IPv6', () => {
    expect([keyOf('192.0.2.7'), keyOf('::ffff:192.0.2.7'), clientOf(new Headers())]).toEqual(['192.0.2.7', '192.0.2.7', null]);
    expect(clientKey(new Headers())).toBe('local');
  });

  it.each([
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2'],
    ['2001:db8:1:2::', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:db8::7:8:9', '2001:db8:0:0'],
    ['2001:db8::2:3:4:5:6', '2001:db8:0:2'],
    ['::1', '0:0:0:0'],
    ['fe80::', 'fe80:0:0:0'],
  ])('reduces %s to the network %s', (address, network) => {
    expect(keyOf(address)).toBe(network);
  });
});

it('IsolateRateLimit counts each client in each period', async () => {
  let nowMs = 0;
  const limiter = new IsolateRateLimit({ name: 'few', quota: 2, seconds: 60 }, () => nowMs);
  const ask = async (key: string) => (await limiter.limit({ key })).success;
  expect([await ask('a'), await ask('a'), await ask('a'), await ask('b')]).toEqual([true, true, false, true]);
  nowMs = 59_999;
  expect(await ask('a')).toBe(false);
  nowMs = 60_000;
  expect(await ask('a')).toBe(true);
});

it('IsolateRateLimit says what is left, and for how long', async () => {
  let nowMs = 18_500;
  const limiter = new IsolateRateLimit({ name: 'few', quota: 2, seconds: 60 }, () => nowMs);
  expect(await limiter.limit({ key: 'a' })).toEqual({ success: true, remaining: 1, resetSeconds: 42 });
  nowMs = 59_999;
  expect(await limiter.limit({ key: 'a' })).toEqual({ success: true, remaining: 0, resetSeconds: 1 });
  expect(await limiter.limit({ key: 'a' })).toEqual({ success: false, remaining: 0, resetSeconds: 1 });
});

describe('PlatformRateLimit', () => {
  const policy = { name: 'few', quota: 2, seconds: 60 };
  const headersOf = (address: string) => new Headers({ [CLIENT_HEADER]: address });

  /** The limit over a binding that admits two units of a key in a minute. */
  function limited() {
    const time = { nowMs: 0 };
    const asked: string[] = [];
    const few = new IsolateRateLimit(policy, () => time.nowMs);
    const binding = {
      limit: async ({ key }: { key: string }) => {
        asked.push(key);
        return { success: (await few.limit({ key })).success };
      },
    };
    return { time, asked, limiter: new PlatformRateLimit(policy, binding, () => time.nowMs) };
  }

  it('does not ask the platform again for a client that it has refused, until the time that the client was told', async () => {
    const { time, asked, limiter } = limited();
    const send = (address: string) => limitRate(limiter, headersOf(address));
    await send('192.0.2.1');
    expect(await send('192.0.2.1')).toEqual({ success: true });
    await expect(send('192.0.2.1')).rejects.toMatchObject({ retryAfterSeconds: 60, exceeded: policy });
    time.nowMs = 20_400;
    await expect(send('192.0.2.1')).rejects.toMatchObject({ retryAfterSeconds: 40, exceeded: policy });
    await send('192.0.2.2');
    expect(asked).toEqual(['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2']);
    time.nowMs = 60_000;
    expect(await send('192.0.2.1')).toEqual({ success: true });
  });

  it('forgets the longest unseen of many refused clients', async () => {
    const { asked, limiter } = limited();
    const all = Array.from({ length: 10_001 }, (_, i) => `10.0.${i >> 8}.${i & 255}`);
    for (const key of all) for (let i = 0; i < 3; i += 1) await limiter.limit({ key });
    const { length } = asked;
    for (const key of all.slice(1)) await limiter.limit({ key });
    expect(asked.length).toBe(length);
    await limiter.limit({ key: all[0]! });
    expect(asked.length).toBe(length + 1);
  });

  it('counts down Retry-After in responses', async () => {
    const { time, limiter } = limited();
    const { get } = testArchive({ requestLimiter: limiter });
    const limits = async (day: number) => {
      const { status, headers } = await get(`/v2/getClosestImage/?sourceId=10&date=2024-01-0${day}`);
      return [status, headers.get('RateLimit'), headers.get('Retry-After')];
    };
    expect([await limits(1), await limits(2)]).toEqual(Array(2).fill([200, null, null]));
    expect(await limits(3)).toEqual([429, '"few";r=0;t=60', '60']);
    time.nowMs = 45_000;
    expect(await limits(4)).toEqual([429, '"few";r=0;t=15', '15']);
  });
});

describe('the headers of a rate limit', () => {
  const policy = { name: 'few', quota: 2, seconds: 60 };

  it('state the limit alone where the count is unknown', () => {
    expect(rateLimitHeaders(policy, {})).toEqual({ 'RateLimit-Policy': '"few";q=2;w=60' });
    expect(rateLimitHeaders(undefined, { remaining: 1, resetSeconds: 2 })).toEqual({});
  });

  it('state what is left where it is known', () => {
    const headers = rateLimitHeaders(policy, { remaining: 1, resetSeconds: 42 });
    expect(headers).toEqual({ 'RateLimit-Policy': '"few";q=2;w=60', RateLimit: '"few";r=1;t=42' });
  });

  it('state the limit of the service and an exceeded one, but not the limit of the client of a stored response', async () => {
    const requestLimiter = new IsolateRateLimit(policy, () => 0);
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
