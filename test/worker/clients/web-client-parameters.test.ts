// Layers, movies and thumbnails of the web client: values and failures in the form in which it sends and reads them.
import { describe, expect, it } from 'vitest';
import { addRows, ingest, sampleFiles } from './seeded-images.ts';
import { clientGet, clientPost, getPath } from './web-client.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

const read = async (response: Response) => ({
  status: response.status,
  type: response.headers.get('Content-Type'),
  body: await response.json<Record<string, unknown>>(),
});

describe('getClosestImageDatesForSources, the buttons of a layer for the previous and next image', () => {
  const datesOf = async (source: number, date: string) =>
    (await read(await clientGet(`action=getClosestImageDatesForSources&sources=${source}&date=${date}`))).body[source];

  it.each(['11:30:03.000', '11:30:03.030', '11:30:03.999'])('skip the image shown, also for the time %s', async (time) => {
    await addRows(10, ['2024-01-01T11:29:51.030Z', '2024-01-01T11:30:03.030Z', '2024-01-01T11:30:15.030Z']);
    expect(await datesOf(10, `2024-01-01T${time}Z`)).toEqual({
      prev_date: '2024-01-01 11:29:51',
      next_date: '2024-01-01 11:30:15',
    });
  });

  it('step through the members of a group of sources', async () => {
    await addRows(38, ['2024-01-01T11:00:00Z']);
    await addRows(41, ['2024-01-01T13:00:00Z']);
    expect(await datesOf(10001, '2024-01-01T12:00:00.000Z')).toEqual({
      prev_date: '2024-01-01 11:00:00',
      next_date: '2024-01-01 13:00:00',
    });
  });

  it.each([9999, 10999])('switch off for the unknown source %d', async (source) => {
    expect(await datesOf(source, '2024-01-01T12:00:00.000Z')).toEqual({ prev_date: null, next_date: null });
  });
});

describe('postMovie', () => {
  const MOVIE = {
    imageScale: 2.42044088,
    layers: '[SDO,AIA,171,1,100,0,60,1,2024-01-01T00:00:00.000Z]',
    eventsState: {},
    startTime: '2024-01-01T00:00:00.000Z',
    endTime: '2024-01-01T01:00:00.000Z',
    x1: -1000.5,
    x2: 1000.5,
    y1: -800,
    y2: 800,
    format: 'mp4',
    size: '0',
    scale: true,
    scaleType: 'earth',
    scaleX: -950.25,
    scaleY: -750,
    movieIcons: 0,
    followViewport: 0,
    reqObservationDate: '2024-01-01T00:30:00.000Z',
    switchSources: false,
    celestialBodiesLabels: '',
    celestialBodiesTrajectories: '',
    frameRate: 15,
    movieLength: null,
  };
  const minutes = (count: number) => Array.from({ length: count }, (_, i) => `2024-01-01T00:0${i}:00Z`);

  it('fails for a time without images with the sentence that the client shows', async () => {
    const { status, type, body } = await read(await clientPost('postMovie', MOVIE));
    expect([status, type, body]).toEqual([
      500,
      JSON_TYPE,
      {
        error: 'No images found for requested time range. Please try a different time.',
        errno: 12,
        details: 'There are no images from 2024-01-01 00:00:00 to 2024-01-01 01:00:00 (SDO AIA 171, no other images).',
        docs: expect.stringMatching(/\/docs\/#postMovie$/),
        requestId: expect.any(String),
      },
    ]);
  });

  it('fails for three images with the sentence that the client shows', async () => {
    await addRows(10, minutes(3));
    expect(await read(await clientPost('postMovie', MOVIE))).toMatchObject({
      status: 500,
      body: { error: 'Too few images found for requested time range. Please try a different time.', errno: 16 },
    });
  });

  it.each([4, 9])('queues a movie of %d images', async (count) => {
    await addRows(10, minutes(count));
    const { status, body } = await read(await clientPost('postMovie', MOVIE));
    expect([status, body]).toEqual([200, expect.objectContaining({ id: expect.any(String), eta: expect.any(Number) })]);
    const verbose = await clientGet(`action=getMovieStatus&id=${body.id}&format=mp4&verbose=true&token=`);
    expect((await read(verbose)).body).toMatchObject({ status: 0, numFrames: count, x1: -1000.5, jobStatus: '' });
  });

  it('counts the images of all layers together', async () => {
    await addRows(10, minutes(2));
    await addRows(13, minutes(2));
    const both = { ...MOVIE, layers: '[SDO,AIA,171,1,100],[SDO,AIA,304,1,50]' };
    expect((await read(await clientPost('postMovie', both))).status).toBe(200);
  });

  it('fails as JSON for an invalid value', async () => {
    const { status, type, body } = await read(await clientPost('postMovie', { ...MOVIE, imageScale: 'wide' }));
    expect([status, type, body.errno, body.parameter]).toEqual([500, JSON_TYPE, 25, 'imageScale']);
  });
});

it('takeScreenshot takes the address of a thumbnail, with slashes in its date and empty and undefined values', async () => {
  await ingest(sampleFiles()[0]!);
  const region = 'x1=-1200&y1=-1200&x2=1200&y2=1200&x0=&y0=null&width=NaN&height=undefined';
  const query = `date=2024/05/10T12:00:00Z&layers=[10,1,100]&events=&eventLabels=false&display=true&watermark=false&${region}`;
  const response = await clientGet(`action=takeScreenshot&imageScale=24&${query}&callback=undefined`);
  expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'image/png']);
  expect(new DataView(await response.arrayBuffer()).getUint32(16)).toBe(100);
});

it('documents behind a doubled slash are at the address of the redirect', async () => {
  const redirect = await getPath('//v2/openapi.json');
  expect([redirect.status, redirect.headers.get('Location')]).toEqual([308, '/v2/openapi.json']);
  expect((await read(await getPath('/v2/openapi.json'))).status).toBe(200);
});
