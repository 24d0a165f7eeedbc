import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MESSAGE_OVERHEAD_BYTES, type RequestedBins } from '../../../src/domain/jpip/cache-model.ts';
import type { ChannelRequest } from '../../../src/domain/jpip/channel.ts';
import { MemoryChannels } from '../../support/memory/channels.ts';

const TARGET = { name: 'image', tid: '1' };

function window(bins: readonly number[], lengthOf: (bin: number) => number, binsInGroup = 100): RequestedBins {
  const lengths = Uint32Array.from(bins, lengthOf);
  return { group: 1, binsInGroup, bins: Uint32Array.from(bins), lengths, requestedBytes: lengths };
}

const request = (response: string, requested: RequestedBins, more: Partial<ChannelRequest> = {}): ChannelRequest => ({
  response,
  window: [...requested.bins].join(),
  requestId: null,
  statements: [],
  requested: [requested],
  budget: 100_000,
  ...more,
});

async function binsOf(channels: MemoryChannels, asked: ChannelRequest): Promise<number[]> {
  const plan = await channels.plan('a', TARGET, asked);
  return (plan?.messages ?? []).map(({ binIndex }) => asked.requested[0]?.bins[binIndex] as number);
}

describe('a response under way', () => {
  const length = () => 50;

  it('plans the bins of an undelivered response again, and those of a delivered one no more', async () => {
    const channels = new MemoryChannels();
    expect(await binsOf(channels, request('first', window([1, 2, 3], length)))).toEqual([1, 2, 3]);
    expect(await binsOf(channels, request('second', window([2, 3, 4], length)))).toEqual([2, 3, 4]);
    await channels.delivered('a', 'second');
    expect(await binsOf(channels, request('third', window([1, 2, 3, 4], length)))).toEqual([1]);
    await channels.delivered('a', 'first');
    expect(await binsOf(channels, request('fourth', window([1, 2, 3, 4, 5], length)))).toEqual([5]);
  });

  it('counts as lost when the channel has many younger ones', async () => {
    const channels = new MemoryChannels();
    for (let n = 0; n < 50; n++) await binsOf(channels, request(`${n}`, window([n], length)));
    for (const response of ['0', '49']) await channels.delivered('a', response);
    expect(await binsOf(channels, request('last', window([0, 49], length)))).toEqual([0]);
  });
});

it('a client that repeats the request ID of each response that it lost holds every window whole in the end', async () => {
  const asked = fc.record({
    bins: fc.uniqueArray(fc.nat(29), { minLength: 1, maxLength: 10 }),
    losses: fc.array(fc.constantFrom('none', 'in the service', 'behind it'), { maxLength: 6 }),
    budget: fc.integer({ min: 60, max: 400 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(asked, { maxLength: 5 }), async (requests) => {
      const channels = new MemoryChannels();
      const lengthOf = (bin: number) => 1 + ((bin * 37) % 200);
      const held = new Map<number, number>();
      let [response, requestId] = [0, 0];
      for (const { bins, losses, budget } of requests) {
        const requested = window(bins, lengthOf);
        const losing = [...losses];
        for (let isDone = false; !isDone; response++) {
          const plan = await channels.plan('a', TARGET, request(String(response), requested, { requestId, budget }));
          const loss = losing.shift() ?? 'none';
          if (loss !== 'in the service') await channels.delivered('a', String(response));
          if (loss !== 'none') continue;
          requestId++;
          isDone = plan?.isComplete === true;
          expect(isDone || budget > MESSAGE_OVERHEAD_BYTES).toBe(true);
          for (const { binIndex, from, to } of plan?.messages ?? []) {
            const bin = bins[binIndex] as number;
            expect(from).toBeLessThanOrEqual(held.get(bin) ?? 0);
            held.set(bin, Math.max(to, held.get(bin) ?? 0));
          }
        }
        for (const bin of bins) expect(held.get(bin)).toBe(lengthOf(bin));
      }
    }),
  );
});
