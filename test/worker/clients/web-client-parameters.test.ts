// Layers and thumbnails of the web client: values in the form in which it sends and reads them.
import { describe, expect, it } from 'vitest';
import { archivedImage } from '../../support/memory/archived-images.ts';
import { ingest, register, samples } from '../service.ts';
import { clientGet } from './web-client.ts';

const read = async (response: Response) => ({
  status: response.status,
  body: await response.json<Record<string, unknown>>(),
});

describe('getClosestImageDatesForSources, the buttons of a layer for the previous and next image', () => {
  const datesOf = async (source: number, date: string) =>
    (await read(await clientGet(`action=getClosestImageDatesForSources&sources=${source}&date=${date}`))).body[source];

  it.each(['11:30:03.000', '11:30:03.030', '11:30:03.999'])('skip the image shown, also for the time %s', async (time) => {
    const times = ['2024-01-01T11:29:51.030Z', '2024-01-01T11:30:03.030Z', '2024-01-01T11:30:15.030Z'];
    await register().addAll(times.map((shown, i) => archivedImage(16 * i + 26, 10, shown)));
    expect(await datesOf(10, `2024-01-01T${time}Z`)).toEqual({
      prev_date: '2024-01-01 11:29:51',
      next_date: '2024-01-01 11:30:15',
    });
  });
});

it('takeScreenshot takes the address of a thumbnail, with slashes in its date and empty and undefined values', async () => {
  await ingest(samples[0]!);
  const region = 'x1=-1200&y1=-1200&x2=1200&y2=1200&x0=&y0=null&width=NaN&height=undefined';
  const query = `date=2024/05/10T12:00:00Z&layers=[10,1,100]&events=&eventLabels=false&display=true&watermark=false&${region}`;
  const response = await clientGet(`action=takeScreenshot&imageScale=24&${query}&callback=undefined`);
  expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'image/png']);
  expect(new DataView(await response.arrayBuffer()).getUint32(16)).toBe(100);
});
