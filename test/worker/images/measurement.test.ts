import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { peakMemoryBytes, resetPeakMemory } from '../../../src/jp2/core/core.ts';
import { ingestLarge, send } from '../service.ts';

const FIELD = 'imageScale=0.6&x0=0&y0=0&width=4096&height=4096';

interface Answer extends Readonly<Record<'value' | 'lower' | 'upper', number>> {
  readonly statistics: { readonly mean: number; readonly count: number } | null;
}

it('an image of 4096x4096 pixels is measured at a place, over a box and as a whole, and drawn within the memory of an isolate', async () => {
  const { id, sourceId, date } = await ingestLarge();
  const measured = async (parameters: string) => {
    const response = await send(`/v2/getValue/?id=${id}&${parameters}`);
    expect(response.status).toBe(200);
    return (await response.json()) as Answer;
  };
  const place = await measured('x=100&y=-250');
  expect(place).toMatchObject({ status: 'exact', unit: 'DN/s', statistics: null });
  expect(place.lower).toBeLessThan(place.value);
  expect(place.upper).toBeGreaterThan(place.value);
  const laws = await env.ARCHIVE.list({ prefix: 'derived/laws/' });
  expect(laws.objects).toHaveLength(1);
  const box = await measured('x=100&y=-250&size=60.6');
  expect(box.statistics!.count).toBe(101 * 101);
  const whole = await measured('frame=pixel&x=2048&y=2048&size=5000');
  expect(whole.statistics!.count).toBe(4096 * 4096);
  expect(whole.statistics!.mean).toBeGreaterThan(50);
  const range = `sourceId=${sourceId}&startTime=${date}&endTime=${date}`;
  const fromGrid = async () => {
    const response = await send(`/v2/getLightCurve/?${range}&grid=true`);
    expect(response.status).toBe(200);
    return (await response.json()) as { curve: readonly { mean: number; count: number }[] };
  };
  // From the grid that ingest left, of which the first request makes the object of the day.
  const first = await fromGrid();
  expect(first.curve).toEqual([expect.objectContaining({ id, count: 4096 * 4096, reason: null })]);
  expect(first.curve[0]!.mean / whole.statistics!.mean).toBeCloseTo(1, 3);
  const { objects } = await env.ARCHIVE.list({ prefix: 'derived/grids/days/', include: ['customMetadata'] });
  expect(objects.map(({ customMetadata }) => customMetadata?.lengths)).toEqual([expect.stringMatching(/^\w+(\.\w+){29}$/)]);
  expect(await fromGrid()).toEqual(first);
  for (const path of [
    `downloadImage/?id=${id}`,
    `takeScreenshot/?date=2024-05-10T12:00:00Z&layers=[10,1,100]&${FIELD}&display=true`,
  ]) {
    resetPeakMemory();
    const response = await send(`/v2/${path}`);
    expect(response.status, path).toBe(200);
    const header = new DataView(await response.arrayBuffer());
    expect([header.getUint32(16), header.getUint32(20)], path).toEqual([4096, 4096]);
    expect(peakMemoryBytes, path).toBeGreaterThan(1 << 20);
    expect(peakMemoryBytes, path).toBeLessThan(40 << 20);
  }
});
