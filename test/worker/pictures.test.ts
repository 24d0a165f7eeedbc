import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { peakMemoryBytes, resetPeakMemory } from '../../src/jp2/core/core.ts';
import { forgetWorker } from '../../src/worker/worker.ts';
import { readPng } from '../support/imaging/read-png.ts';
import { ingest, ingestLarge, samples, send } from './service.ts';

const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());

const PICTURE = 'date=2024-05-10T12:00:00Z&imageScale=9.6&layers=[10,1,100]&x0=0&y0=0&width=320&height=240';

it('a screenshot enters R2 when it is downloaded by its id, and is drawn again when its file has expired', async () => {
  await ingest(samples[0]!);
  const taken = await send(`/v2/takeScreenshot/?${PICTURE}&scale=true&watermark=true`);
  const { id } = await taken.json<{ id: number }>();
  expect(await (await send(`/v2/takeScreenshot/?${PICTURE}`)).json()).not.toEqual({ id });
  const loaded = await send(`/v2/downloadScreenshot/?id=${id}`);
  expect(loaded.headers.get('Content-Disposition')).toBe('attachment; filename="2024_05_10_12_00_00_AIA_171.png"');
  const bytes = await bytesOf(loaded);
  expect(readPng(bytes).width).toBe(320);
  const { objects } = await env.ARCHIVE.list({ prefix: 'derived/screenshots/' });
  expect(objects).toHaveLength(1);
  await env.ARCHIVE.delete(objects.map(({ key }) => key));
  forgetWorker();
  const again = await send(`/v2/downloadScreenshot/?id=${id}`);
  expect(again.headers.get('ETag')).toBe(loaded.headers.get('ETag'));
  expect(Buffer.compare(await bytesOf(again), bytes)).toBe(0);
  expect((await env.ARCHIVE.list({ prefix: 'derived/screenshots/' })).objects).toHaveLength(1);
});

const FIELD = 'imageScale=0.6&x0=0&y0=0&width=4096&height=4096';

it.each([
  ['itself', (id: number) => `downloadImage/?id=${id}`],
  ['a screenshot', () => `takeScreenshot/?date=2024-05-10T12:00:00Z&layers=[10,1,100]&${FIELD}&display=true`],
])('an image of 4096x4096 pixels fits into the memory of an isolate as %s', async (_, pathOf) => {
  const { id } = await ingestLarge();
  resetPeakMemory();
  const response = await send(`/v2/${pathOf(id)}`);
  expect(response.status).toBe(200);
  const header = new DataView(await response.arrayBuffer());
  expect([header.getUint32(16), header.getUint32(20)]).toEqual([4096, 4096]);
  expect(peakMemoryBytes).toBeGreaterThan(1 << 20);
  expect(peakMemoryBytes).toBeLessThan(40 << 20);
});
