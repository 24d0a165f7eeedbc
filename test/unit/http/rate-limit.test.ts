import { describe, expect, it } from 'vitest';
import { clientKey, IsolateRateLimit } from '../../../src/http/rate-limit.ts';

const keyOf = (address: string) => clientKey(new Headers({ 'CF-Connecting-IP': address }));

describe('the key of a client', () => {
  it('is its IPv4 address, also in the notation of IPv6', () => {
    expect([keyOf('192.0.2.7'), keyOf('::ffff:192.0.2.7')]).toEqual(['192.0.2.7', '192.0.2.7']);
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
  const limiter = new IsolateRateLimit({ limit: 2, seconds: 60 }, () => nowMs);
  const ask = async (key: string) => (await limiter.limit({ key })).success;
  expect([await ask('a'), await ask('a'), await ask('a'), await ask('b')]).toEqual([true, true, false, true]);
  nowMs = 59_999;
  expect(await ask('a')).toBe(false);
  nowMs = 60_000;
  expect(await ask('a')).toBe(true);
});
