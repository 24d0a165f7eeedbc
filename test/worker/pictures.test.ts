import { expect, it } from 'vitest';
import { peakMemoryBytes, resetPeakMemory } from '../../src/jp2/core/core.ts';
import { ingestLarge, send } from './service.ts';

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
