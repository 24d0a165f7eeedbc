import { describe, expect, it } from 'vitest';
import { expose } from '../../../demo/instruments/instrument.ts';
import { findInstrument } from '../../../demo/instruments/instruments.ts';
import { itRefuses } from '../../support/measurement/refusals.ts';
import {
  AIA_171,
  decodedSample,
  HMI,
  LASCO_C2,
  NOON,
  nameOf,
  openjpegSample,
  SIZE,
  valueOf171,
} from '../../support/measurement/samples.ts';
import { measuringService } from '../../support/measurement/service.ts';
import { servedApp, testServices } from '../../support/test-services.ts';

type Numbers<Name extends string> = Readonly<Record<Name, number>>;

interface Answer extends Numbers<'value' | 'lower' | 'upper'> {
  readonly place: { readonly pixel: Numbers<'x' | 'y'> };
  readonly statistics: Numbers<'mean' | 'median' | 'min' | 'max' | 'count' | 'noData'> | null;
}

/** A service with sample images that is asked for values. */
async function valueService(...options: Parameters<typeof measuringService>) {
  const service = await measuringService(...options);
  const ask = (parameters: Readonly<Record<string, unknown>>) => service.ask('getValue', parameters);
  const value = async (parameters: Readonly<Record<string, unknown>>) => (await (await ask(parameters)).json()) as Answer;
  return { ...service, ask, value };
}

/** The keys of the stored verdicts on laws. */
const lawsIn = ({ objects }: { readonly objects: ReadonlyMap<string, Uint8Array> }) =>
  [...objects.keys()].filter((key) => key.startsWith('derived/laws/'));

/** For requests that leave nothing behind. */
const { ask, ids, value } = await valueService();

describe('getValue', () => {
  it('returns the value of the pixel of a place with its interval, and as a script', async () => {
    const asked = { sourceId: AIA_171, date: '2024-05-10T12:00:00Z', x: 100, y: 200 };
    const response = await ask(asked);
    expect([response.status, response.headers.get('X-Image-Distance')]).toEqual([200, '0']);
    const answer = (await response.json()) as Answer;
    const { x, y } = answer.place.pixel;
    const byte = (await openjpegSample(AIA_171))[(SIZE - Math.round(y)) * SIZE + Math.round(x) - 1]!;
    expect(answer).toMatchObject({ id: ids.get(AIA_171), byte, unit: 'DN/s', status: 'exact', censored: null, statistics: null });
    expect(answer.value).toBeCloseTo(valueOf171(byte), 9);
    expect(answer.lower).toBeCloseTo(valueOf171(byte - 5, 0), 9);
    expect(answer.upper).toBeCloseTo(valueOf171(byte + 5, 1), 9);
    const scale = expose(findInstrument(AIA_171)!, { sourceId: AIA_171, timeMs: NOON, size: SIZE }).framing.scaleArcsecPerPixel;
    expect([(x - 256.5) * scale, (y - 256.5) * scale].map((arcsec) => Math.round(arcsec * 100))).toEqual([10_000, 20_000]);
    const script = await (await ask({ ...asked, callback: 'show' })).text();
    expect(script).toMatch(/^show\(\{.*"byte":/);
  });

  it('returns statistics of a box, of inverted values at full resolution', async () => {
    const answer = await value({ id: ids.get(AIA_171), frame: 'pixel', x: 200, y: 300, size: 48 });
    const decoded = await openjpegSample(AIA_171);
    const half = 48 / ((4096 * 0.6) / SIZE) / 2;
    const inverted: number[] = [];
    for (let y = Math.ceil(300 - half); y <= 300 + half; y++)
      for (let x = Math.ceil(200 - half); x <= 200 + half; x++) inverted.push(valueOf171(decoded[(SIZE - y) * SIZE + x - 1]!));
    inverted.sort((a, b) => a - b);
    const mean = inverted.reduce((sum, one) => sum + one, 0) / inverted.length;
    expect(answer.statistics).toMatchObject({ count: inverted.length, noData: 0 });
    expect(answer.statistics!.mean).toBeCloseTo(mean, 6);
    expect(answer.statistics!.median).toBeCloseTo(inverted[(inverted.length - 1) / 2]!, 6);
    expect([answer.statistics!.min, answer.statistics!.max]).toEqual([inverted[0], inverted.at(-1)]);
  });

  it('counts the pixels of a box that lie off the disc of a magnetogram as no data', async () => {
    const { statistics } = await value({ id: ids.get(HMI), x: 0, y: 0, size: 4000 });
    expect(statistics!.count + statistics!.noData).toBe(SIZE * SIZE);
    expect(statistics!.noData).toBeGreaterThan(SIZE * SIZE * 0.1);
    expect(Math.abs(statistics!.median)).toBeLessThan(10);
  });

  it('gives the level of a pixel, and levels of a box, with raw=true', async () => {
    for (const source of [LASCO_C2, AIA_171]) {
      const found = await value({ id: ids.get(source), frame: 'pixel', x: 400, y: 300, size: 100, raw: true });
      const byte = (await decodedSample(source))[(SIZE - 300) * SIZE + 399]!;
      const ends = { value: byte, lower: byte - 0.5, upper: byte + 0.5 };
      expect(found).toMatchObject({ byte, ...ends, unit: 'level', law: null, status: null, censored: null });
      expect(found.statistics!.min).toBeLessThanOrEqual(found.statistics!.mean);
      expect(found.statistics!.max).toBeLessThanOrEqual(255);
    }
  });

  itRefuses(
    (parameters) => ask('sourceId' in parameters ? { date: '2024-05-10T12:00:00Z', ...parameters } : parameters),
    [
      [
        'an image without a law',
        { sourceId: LASCO_C2, x: 0, y: 0 },
        422,
        /no physical values\. .* levels are given\. See \/docs\/#guide-measure\.$/,
      ],
      ['a place off the disc of a magnetogram', { sourceId: HMI, x: 1010, y: 0 }, 404, /no data at this place/],
      ['a box off the disc', { sourceId: HMI, x: 1020, y: 0, size: 10 }, 404, /no data in this box/],
      [
        'a place off the image',
        { sourceId: AIA_171, x: 5000, y: 0 },
        400,
        /^Expected a place in the image, .* for x, got 5000\.$/,
      ],
      [
        'a place behind the limb',
        { sourceId: AIA_171, frame: 'stonyhurst', x: 150, y: 0 },
        400,
        /observer of this image saw for x/,
      ],
      ['a source without images', { sourceId: 13, x: 0, y: 0 }, 404, /No data/],
      ['no image', { x: 0, y: 0 }, 400, /for date/],
    ],
  );

  it('refuses an image whose statistics contradict the law of its header', async () => {
    const doubled = (jp2: Uint8Array) => {
      const text = Buffer.from(jp2)
        .toString('latin1')
        .replace(/<DATAMEDN>(\d)/, (_: string, digit: string) => `<DATAMEDN>${(Number(digit) + 5) % 10 || 1}`);
      return new Uint8Array(Buffer.from(text, 'latin1'));
    };
    const { ask, objects, ids } = await valueService({}, doubled);
    expect(lawsIn(objects)).toHaveLength(2);
    for (let attempt = 0; attempt < 2; attempt++) {
      const response = await ask({ id: ids.get(AIA_171), x: 0, y: 0 });
      expect(response.status).toBe(422);
      expect(await response.json()).toMatchObject({
        reason: 'gate',
        error: expect.stringContaining('not confirmed for this file'),
      });
    }
  });

  it('needs no pixels of an image whose law was confirmed at ingest', async () => {
    const charged: string[] = [];
    const pictureLimiter = { limit: async ({ key }: { key: string }) => ({ success: charged.push(key) > 0 }) };
    const { value, ids, objects } = await valueService({ pictureLimiter });
    // The magnetogram has one as well; LASCO has no law.
    expect(lawsIn(objects)).toHaveLength(2);
    await value({ id: ids.get(AIA_171), x: 0, y: 0 });
    expect(charged).toEqual([]);
  });

  it('counts the pixels of another image once, charges the client, and keeps the verdict until the image is withdrawn', async () => {
    const charged: string[] = [];
    const pictureLimiter = { limit: async ({ key }: { key: string }) => ({ success: charged.push(key) < 4 }) };
    const { value, ask, objects, archive, ids } = await valueService({ pictureLimiter });
    const laws = () => lawsIn(objects);
    for (const key of laws()) await objects.delete(key);
    const id = ids.get(AIA_171);
    await value({ id, x: 0, y: 0 });
    expect([charged.length, laws().length]).toEqual([1, 1]);
    await value({ id, x: 50, y: 0 });
    expect(charged).toHaveLength(1);
    await value({ id, x: 0, y: 0, size: 100 });
    expect(charged).toHaveLength(2);
    await value({ id, x: 0, y: 0, size: 200 });
    const refused = await ask({ id, x: 0, y: 0, size: 300 });
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '60']);
    expect(await refused.json()).toMatchObject({ errno: 29, error: expect.stringContaining('too large regions') });
    await archive.withdraw(nameOf(AIA_171));
    expect(laws()).toEqual([]);
  });

  it('refuses a client without units alone, and not another one that waits for the law of the same image', async () => {
    const { objects, ids, services } = await valueService();
    for (const key of lawsIn(objects)) await objects.delete(key);
    const pictureLimiter = { limit: async ({ key }: { key: string }) => ({ success: key !== '192.0.2.1' }) };
    const { request } = servedApp(testServices({ objects, index: services.index, pictureLimiter }));
    const statusOf = async (client: string, x: number) => {
      const headers = { 'CF-Connecting-IP': client };
      return (await request(`http://sun.test/v2/getValue/?id=${ids.get(AIA_171)}&x=${x}&y=10`, { headers })).status;
    };
    expect(await Promise.all([statusOf('192.0.2.1', 0), statusOf('192.0.2.2', 10)])).toEqual([429, 200]);
  });

  it('reads the stored verdict in another isolate', async () => {
    const { objects, value, ids, services } = await valueService();
    const first = await value({ id: ids.get(AIA_171), x: 10, y: 10 });
    const charges: string[] = [];
    const pictureLimiter = { limit: async ({ key }: { key: string }) => ({ success: charges.push(key) > 0 }) };
    const other = servedApp(testServices({ objects, index: services.index, pictureLimiter }));
    const again = await other.request(`http://sun.test/v2/getValue/?id=${ids.get(AIA_171)}&x=10&y=10`);
    expect(await again.json()).toEqual(first);
    expect(charges).toEqual([]);
  });
});
