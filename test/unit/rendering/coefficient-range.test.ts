import { expect, it } from 'vitest';
import { Jp2Error } from '../../../src/jp2/errors.ts';
import type { Jp2Index } from '../../../src/jp2/sidecar.ts';
import { type CoefficientRange, makeCoefficientsOfRange } from '../../../src/operator/coefficient-range.ts';
import { createApp } from '../../../src/worker/worker.ts';
import { makeImage } from '../../support/imaging/images.ts';
import { MemoryImageIndex } from '../../support/memory/image-index.ts';
import { testServices } from '../../support/test-services.ts';

const MINUTE = 60_000;
const IMAGES = Array.from({ length: 20 }, (_, i) => ({ ...makeImage(10, i * MINUTE), id: 26 + 16 * i }));

const unread = () => Promise.reject(new Error('Expected no samples to be read.'));

/** Calls until the period is done; the times of the images that were asked for. */
async function makeAll(range: Omit<CoefficientRange, 'fromMs'>, damaged: readonly number[] = [], images = IMAGES) {
  const asked: number[] = [];
  const totals = { made: 0, kept: 0, none: 0, surveyed: 0, days: 0, calls: 0 };
  const noDays = { days: async () => [], fold: async () => null };
  const ports = {
    index: new MemoryImageIndex(images),
    reader: {
      openIndex: async (key: string) => {
        if (damaged.some((i) => IMAGES[i]!.key === key)) throw new Jp2Error('malformed', 'Expected SOC, got the end.');
        return {} as Jp2Index;
      },
      open: unread,
      strips: unread as never,
    },
    grids: { values: noDays, levels: noDays },
    surveys: {
      make: async ({ takenAtMs }: { takenAtMs: number }) => (takenAtMs % (3 * MINUTE) ? 'none' : 'made') as 'none' | 'made',
    },
    coefficients: {
      make: async ({ takenAtMs }: { takenAtMs: number }) => {
        asked.push(takenAtMs / MINUTE);
        return takenAtMs % (2 * MINUTE) ? ('made' as const) : ('kept' as const);
      },
    },
  };
  for (let next: number | null = 0; next !== null; ) {
    const { nextMs, ...counts } = await makeCoefficientsOfRange(ports, { ...range, fromMs: next });
    for (const key of ['made', 'kept', 'none', 'surveyed', 'days'] as const) totals[key] += counts[key];
    totals.calls += 1;
    next = nextMs;
  }
  return { asked, totals };
}

const RANGE = { sourceId: 10, toMs: 1e9, parts: new Set(['A'] as const), renew: false };

it('making coefficient sidecars of a period passes over every image once, four in each call', async () => {
  const { asked, totals } = await makeAll(RANGE);
  expect(asked).toEqual(IMAGES.map((_, i) => i));
  expect(totals).toEqual({ made: 10, kept: 10, none: 0, surveyed: 7, days: 0, calls: 6 });
});

it('making coefficient sidecars of a period passes over all images of an instant, of which a group of sources can have several', async () => {
  const pairs = IMAGES.map((image, i) => ({ ...image, sourceId: 38 + (i % 2), takenAtMs: Math.floor((i + 1) / 2) * MINUTE }));
  const { asked, totals } = await makeAll({ ...RANGE, sourceId: 10_001 }, [], pairs);
  expect(asked).toEqual(pairs.map(({ takenAtMs }) => takenAtMs / MINUTE));
  expect(totals.calls).toBe(5);
});

it('making coefficient sidecars of a period passes over all images of a millisecond, the last one included', async () => {
  const times = [0, 1, 2, 3.2, 3.7, 4, 5, 6, 7.5];
  const images = times.map((takenAtMs, i) => ({ ...IMAGES[i]!, takenAtMs }));
  const { asked } = await makeAll({ ...RANGE, toMs: 7 }, [], images);
  expect(asked.map((minutes) => minutes * MINUTE)).toEqual(times.map((ms) => expect.closeTo(ms, 6)));
});

it('making coefficient sidecars of a period ends at the end of the period, and passes over damaged files', async () => {
  const { asked, totals } = await makeAll({ ...RANGE, toMs: 4 * MINUTE }, [1, 2]);
  expect(asked).toEqual([0, 3, 4]);
  expect(totals).toEqual({ made: 1, kept: 2, none: 2, surveyed: 2, days: 0, calls: 2 });
});

const TOKEN = 'a-token-for-tests-only';

const request = async (body: string) => {
  const ranges: CoefficientRange[] = [];
  const services = testServices({
    variables: { ADMIN_TOKEN: TOKEN },
    makeCoefficients: async (range) => {
      ranges.push(range);
      return { made: 1, kept: 2, none: 3, surveyed: 4, days: 5, nextMs: 1234 };
    },
  });
  const headers = { Authorization: `Bearer ${TOKEN}` };
  const response = await createApp(services).request('/admin/coefficients', { method: 'POST', body, headers });
  return { status: response.status, body: await response.json(), ranges };
};

it('POST /admin/coefficients makes the parts of a period and says where the rest begins', async () => {
  const range = { sourceId: 10, from: '2024-05-10T00:00:00Z', to: '2024-05-10T00:00:01.999Z', parts: ['A', 'C'], renew: true };
  const { status, body, ranges } = await request(JSON.stringify(range));
  expect([status, body]).toEqual([200, { made: 1, kept: 2, none: 3, surveyed: 4, days: 5, next: '1970-01-01T00:00:01.234Z' }]);
  const fromMs = Date.UTC(2024, 4, 10);
  expect(ranges).toEqual([{ sourceId: 10, fromMs, toMs: fromMs + 1999, parts: new Set(['A', 'C']), renew: true }]);
});

it.each(['', '{}', '{"sourceId":10,"from":"yesterday","to":"2024-05-10T00:00:00Z","parts":["A"],"renew":false}'])(
  'POST /admin/coefficients refuses the body %j',
  async (text) => {
    const { status, body, ranges } = await request(text);
    expect([status, ranges]).toEqual([400, []]);
    expect(body).toMatchObject({ error: expect.stringMatching(/^The body has to be \{"sourceId"/) });
  },
);
