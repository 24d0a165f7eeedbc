// Movies of hvpy without a field of view, and files that SunPy writes.
import { describe, expect, it } from 'vitest';
import { addRows, ingest, sampleFiles } from './seeded-images.ts';
import { getPath } from './web-client.ts';

const json = async (path: string) => (await (await getPath(path)).json()) as Record<string, unknown>;

describe('queueMovie as createMovie of hvpy sends it, without a field of view', () => {
  const TIMES = 'startTime=2024-01-01T00%3A00%3A00.123456Z&endTime=2024-01-01T00%3A05%3A00.123456Z';
  const MOVIE = `${TIMES}&layers=%5B10%2C1%2C100%5D&events=%5BAR%2Call%2C1%5D&eventsLabels=True&imageScale=1.0&format=mp4&frameRate=15&watermark=True`;

  it('shows 1920x1200 pixels around the centre of the Sun', async () => {
    await addRows(
      10,
      Array.from({ length: 6 }, (_, i) => `2024-01-01T00:0${i}:00Z`),
    );
    const { id, token } = await json(`/v2/queueMovie/?${MOVIE}`);
    const status = await json(`/v2/getMovieStatus/?id=${id}&format=mp4&token=${token}&verbose=True`);
    expect(status).toMatchObject({ status: 0, numFrames: 5, x1: -960, y1: -600, x2: 960, y2: 600, imageScale: 1 });
  });

  it('gets status 200 for missing images, from which hvpy raises its own error', async () => {
    const response = await getPath(`/v2/queueMovie/?${MOVIE}`);
    expect([response.status, await response.json()]).toEqual([200, { error: expect.any(String), errno: 12 }]);
  });

  it('needs the rest of a field of view that is named in part', async () => {
    const response = await getPath(`/v2/queueMovie/?${MOVIE}&width=1000&height=1000`);
    expect([response.status, await response.json()]).toMatchObject([400, { errno: 23, parameter: 'x0' }]);
  });
});

/** The file with its FITS keywords in lower case, as SunPy writes them. */
function withLowerCaseKeywords(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  const [from, to] = [text.indexOf('<fits>'), text.indexOf('</fits>')];
  const keywords = text.slice(from, to).replace(/<\/?[\w-]+>/g, (tag) => tag.toLowerCase());
  expect(keywords).toContain('<naxis1>');
  const changed = text.slice(0, from) + keywords + text.slice(to);
  return Uint8Array.from(changed, (character) => character.charCodeAt(0));
}

it('a file of SunPy, with FITS keywords in lower case, is ingested like one in upper case', async () => {
  const [file] = sampleFiles();
  const { id, date } = await ingest({ ...file!, bytes: withLowerCaseKeywords(file!.bytes) });
  expect(date).toMatch(/^2024-05-10T12:00:/);
  const image = await json('/v2/getClosestImage/?sourceId=10&date=2024-05-10T12:00:00Z');
  expect(image).toMatchObject({ id, name: 'AIA 171', width: 256, height: 256 });
  expect(await (await getPath(`/v2/getJP2Header/?id=${id}`)).text()).toContain('<naxis1>');
});
