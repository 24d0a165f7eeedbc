import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RequestedBins } from '../../../src/jp2/jpip/cache-model.ts';
import { CacheModel, MAX_MESSAGE_BYTES, MESSAGE_OVERHEAD_BYTES, planMessages } from '../../../src/jp2/jpip/cache-model.ts';

const inBytes = (bytes: number) => ({ bytes, messages: Number.POSITIVE_INFINITY });
const lengths = fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 1, maxLength: 40 });

function requestedBins(lengthsOfBins: readonly number[], bins: readonly number[], share: number): RequestedBins {
  const own = bins.map((bin) => lengthsOfBins[bin] as number);
  return {
    group: 1,
    binsInGroup: lengthsOfBins.length,
    bins: Uint32Array.from(bins),
    lengths: Uint32Array.from(own),
    requestedBytes: Uint32Array.from(own, (length) => Math.ceil(length * share)),
  };
}

it('a channel whose cache model is stored between requests sends each byte once, in order, within every budget', () => {
  const request = fc.record({
    bins: fc.uniqueArray(fc.nat(39), { minLength: 1 }),
    share: fc.constantFrom(0.5, 1),
    budget: fc.integer({ min: 0, max: 9_000 }),
  });
  fc.assert(
    fc.property(lengths, fc.array(request, { maxLength: 12 }), (all, requests) => {
      let model = new CacheModel();
      const received = all.map(() => 0);
      for (const { bins, share, budget } of requests) {
        const requested = requestedBins(
          all,
          bins.filter((bin) => bin < all.length),
          share,
        );
        const { messages, isComplete } = planMessages([requested], () => model, inBytes(budget));
        let bytes = 0;
        for (const { binIndex, from, to } of messages) {
          const bin = requested.bins[binIndex] as number;
          expect(from).toBe(received[bin]);
          received[bin] = to;
          bytes += to - from + MESSAGE_OVERHEAD_BYTES;
        }
        expect(bytes).toBeLessThanOrEqual(Math.max(0, budget));
        const missing = [...requested.bins].filter(
          (bin, i) => (received[bin] as number) < (requested.requestedBytes[i] as number),
        );
        if (isComplete) expect(missing).toEqual([]);
        model = new CacheModel(model.complete.slice(), [...model.partial]);
      }
      all.forEach((length, bin) => {
        if (length > 0) expect(model.isComplete(bin) ? length : model.partialBytes(bin)).toBe(received[bin]);
      });
    }),
  );
});

it('long bins are split into messages of bounded size', () => {
  const length = 2 * MAX_MESSAGE_BYTES + 5;
  const { messages } = planMessages([requestedBins([length], [0], 1)], () => new CacheModel(), inBytes(Number.POSITIVE_INFINITY));
  expect(messages.map(({ from, to }) => to - from)).toEqual([MAX_MESSAGE_BYTES, MAX_MESSAGE_BYTES, 5]);
});

it('a plan ends after its number of messages, and the next one continues there', () => {
  const requested = requestedBins([100, 200, 300], [0, 1, 2], 1);
  const model = new CacheModel();
  const of = (messages: number) => planMessages([requested], () => model, { bytes: 10_000, messages });
  expect(of(2)).toMatchObject({ isComplete: false, messages: [{ binIndex: 0 }, { binIndex: 1 }] });
  expect(of(2)).toMatchObject({ isComplete: true, messages: [{ binIndex: 2 }] });
});
