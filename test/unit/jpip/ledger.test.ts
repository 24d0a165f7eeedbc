import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  LONGEST_PORTION_BYTES,
  MESSAGE_OVERHEAD_BYTES,
  planPortions,
  SentBins,
  type WantedBins,
} from '../../../src/domain/jpip/ledger.ts';

const lengths = fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 1, maxLength: 40 });

function wishFor(lengthsOfBins: readonly number[], bins: readonly number[], share: number): WantedBins {
  const own = bins.map((bin) => lengthsOfBins[bin] as number);
  return {
    group: 1,
    binsInAll: lengthsOfBins.length,
    bins: Uint32Array.from(bins),
    lengths: Uint32Array.from(own),
    wanted: Uint32Array.from(own, (length) => Math.ceil(length * share)),
  };
}

it('a channel that keeps its account as it is stored sends each byte once, in order, within every budget', () => {
  const request = fc.record({
    bins: fc.uniqueArray(fc.nat(39), { minLength: 1 }),
    share: fc.constantFrom(0.5, 1),
    budget: fc.integer({ min: 0, max: 9_000 }),
  });
  fc.assert(
    fc.property(lengths, fc.array(request, { maxLength: 12 }), (all, requests) => {
      let sent = new SentBins();
      const received = all.map(() => 0);
      for (const { bins, share, budget } of requests) {
        const wish = wishFor(
          all,
          bins.filter((bin) => bin < all.length),
          share,
        );
        const { portions, isWhole } = planPortions([wish], () => sent, budget);
        let bytes = 0;
        for (const { at, from, to } of portions) {
          const bin = wish.bins[at] as number;
          expect(from).toBe(received[bin]);
          received[bin] = to;
          bytes += to - from + MESSAGE_OVERHEAD_BYTES;
        }
        expect(bytes).toBeLessThanOrEqual(Math.max(0, budget));
        const missing = [...wish.bins].filter((bin, i) => (received[bin] as number) < (wish.wanted[i] as number));
        if (isWhole) expect(missing).toEqual([]);
        sent = new SentBins(sent.complete.slice(), [...sent.partial]);
      }
      all.forEach((length, bin) => {
        if (length > 0) expect(sent.has(bin) ? length : sent.sentBytes(bin)).toBe(received[bin]);
      });
    }),
  );
});

it('what did not arrive is sent again from where it was lost', () => {
  const wish = wishFor([100, 200, 300], [0, 1, 2], 1);
  const sent = new SentBins();
  planPortions([wish], () => sent, 100 + 50 + 2 * MESSAGE_OVERHEAD_BYTES);
  expect([sent.has(0), sent.sentBytes(1), sent.has(2)]).toEqual([true, 50, false]);
  sent.forget(1, 20);
  sent.forget(0, 0);
  sent.forget(2, 0);
  const { portions, isWhole } = planPortions([wish], () => sent, 10_000);
  expect([isWhole, portions.map(({ at, from, to }) => [at, from, to])]).toEqual([
    true,
    [
      [0, 0, 100],
      [1, 20, 200],
      [2, 0, 300],
    ],
  ]);
  expect(sent.completeCount).toBe(3);
});

it('long bins are cut into messages that fit the memory', () => {
  const length = 2 * LONGEST_PORTION_BYTES + 5;
  const { portions } = planPortions([wishFor([length], [0], 1)], () => new SentBins(), Number.POSITIVE_INFINITY);
  expect(portions.map(({ from, to }) => to - from)).toEqual([LONGEST_PORTION_BYTES, LONGEST_PORTION_BYTES, 5]);
});
