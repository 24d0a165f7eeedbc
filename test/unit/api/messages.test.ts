// Sentences that tell the next step after a near miss, and notices on valid requests that are probably not meant as they are.
import { expect, test } from 'vitest';
import { MOVIE, movieArchive } from '../../support/movies/movie-archive.ts';
import { testArchive } from '../../support/test-archive.ts';

const it = test.extend('archive', () => movieArchive());

const { get } = testArchive();

async function failureOf(url: string) {
  const response = await get(url);
  return { status: response.status, ...((await response.json()) as { error: string; parameter?: string; suggestion?: string }) };
}

const SCENE = 'date=2024-01-01T00:00:00Z&imageScale=9.6&x0=0&y0=0&width=9&height=9';

it('a failure names the body for JSON in a query or in a form, and the seconds for dates of intervals', async () => {
  const json = '{"date":"2024-01-01T00:00:00Z","sourceId":10}';
  const sentence = expect.stringContaining('JSON is taken in the body of a POST with the Content-Type application/json.');
  expect(await failureOf(`/v2/getClosestImage/?${encodeURIComponent(json)}`)).toMatchObject({ status: 400, error: sentence });
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const response = await get('/v2/getClosestImage/', { method: 'POST', headers: form, body: json });
  expect([response.status, await response.json()]).toMatchObject([400, { error: sentence }]);
  const path = '/v2/getJPXClosestToMidPoint/?startTimes=2024-01-01T00:00:00Z,2024-01-01T00:02:00Z&endTimes=1,2&sourceId=10';
  expect(await failureOf(path)).toMatchObject({ parameter: 'startTimes', suggestion: '1704067200,1704067320' });
});

it.each([
  ['/v2/getClosestImages/', 'action', 'getClosestImage', 'Did you mean getClosestImage?'],
  ['/v2/getClosestImage/?date=2024-5-10+12:15&sourceId=10', 'date', '2024-05-10T12:15:00Z', 'Did you mean 2024-05-10T12:15:00Z?'],
  [
    '/v2/getClosestImage/?date=2024-01-01T00:00:00Z&sourceid=10',
    'sourceId',
    'sourceId',
    'got nothing. Did you mean sourceId (sourceid is unknown)?',
  ],
  [
    '/v2/getClosestImage/?date=2024-01-01T00:00:00Z&sourceId=171',
    'sourceId',
    '10',
    'There is no source 171. Did you mean AIA 171, sourceId 10?',
  ],
  ...['getClosestImage', 'getJP2Image', 'getJPX'].map((name): [string, string, string, string] => [
    `/v2/${name}/?date=2024-01-01T00:00:00Z&startTime=2024-01-01&endTime=2024-01-02&observatory=SDO&instrument=AIA&measurement=171`,
    'sourceId',
    '10',
    'got nothing. Did you mean AIA 171, sourceId 10?',
  ]),
  ['/index.php?action=getClosestImage&date=2024-01-01&instrument=LASCO&detector=C2', 'sourceId', '4', 'LASCO C2, sourceId 4?'],
  ['/v2/getClosestImage/?date=2024-01-01&amp;sourceId=10', 'sourceId', 'sourceId', 'sourceId (amp;sourceId is unknown)?'],
  ['/v2/getClosestImage/?date=2024-01-01&sourceId[]=10', 'sourceId', 'sourceId', 'sourceId (sourceId[] is unknown)?'],
  ['/v2/getJPX/?startTime=2024-01-01&endTime=2024-01-02&nickname=AIA+171', 'sourceId', '10', 'mean AIA 171, sourceId 10?'],
  ['/v2/events/?date=2024-01-01', 'startTime', 'startTime', 'Did you mean startTime (date is unknown)?'],
  ['/v2/getJP2Header/?imageId=26', 'id', 'id', 'Did you mean id (imageId is unknown)?'],
  ['/v2/getJP2Header/?id=image-26', 'id', '26', 'got image-26. Did you mean 26?'],
  ['/v2/getJP2Header/?id=26.0', 'id', '26', 'got 26.0. Did you mean 26?'],
  ['/v2/getClosestImage/?date=2024-01-01&sourceId=AIA_171', 'sourceId', '10', 'got AIA_171. Did you mean 10 (AIA 171)?'],
  ['/v2/events/?startTime=2024-01-01&sources=HEK,DONKI', 'sources', 'HEK,CCMC', 'got HEK,DONKI. Did you mean HEK,CCMC?'],
  [
    '/v2/getDataCoverage/?imageLayers=[10,1,100]&startDate=2024-01-01T00:00:00Z',
    'startDate',
    '1704067200000',
    'got 2024-01-01T00:00:00Z. Did you mean 1704067200000 (2024-01-01T00:00:00Z)?',
  ],
  [`/v2/takeScreenshot/?${SCENE}&layers=10,1,100`, 'layers', '[10,1,100]', 'Did you mean [10,1,100]?'],
  [
    `/v2/takeScreenshot/?${SCENE}&layers=(10,1,100)(4,1,50)`,
    'layers',
    '[10,1,100],[4,1,50]',
    'Did you mean [10,1,100],[4,1,50]?',
  ],
  [`/v2/takeScreenshot/?${SCENE}&layers=[AIA,171,1,100]`, 'layers', '10', 'got AIA,171. Did you mean 10 (AIA 171)?'],
  [
    '/v2/getFRMs/?startTime=2024-01-02T00:00:00Z&endTime=2024-01-01T00:00:00Z',
    'endTime',
    '2024-01-02T00:00:00Z',
    'Did you mean 2024-01-02T00:00:00Z (startTime and endTime swapped)?',
  ],
  ...['listImages/?sourceId=10', 'getHoldings/?sources=10', 'getDataGaps/?sourceId=10'].map(
    (operation): [string, string, string, string] => [
      `/v2/${operation}&startTime=2024-01-02T00:00:00Z&endTime=2024-01-01T00:00:00Z`,
      'endTime',
      '2024-01-02T00:00:00Z',
      'Did you mean 2024-01-02T00:00:00Z (startTime and endTime swapped)?',
    ],
  ),
  [
    '/v2/getDataCoverage/?eventLayers=[FL,all,1]&startDate=1704153600000&endDate=1704067200000',
    'endDate',
    '1704153600000',
    'Did you mean 1704153600000 (startDate and endDate swapped)?',
  ],
  [
    '/v1/getJP2Image/?date=2024-01-01T00:00:00Z&observatory=SDO&instrument=AIA&detector=AIA&measurement=17',
    'observatory',
    undefined,
    'got SDO, AIA, AIA, 17.',
  ],
  [
    '/v1/getJP2Image/?date=2024-01-01T00:00:00Z&observatory=SOHO&instrument=HMI&detector=HMI&measurement=magnetogram',
    'observatory',
    undefined,
    'got SOHO, HMI, HMI, magnetogram.',
  ],
  ['/v2/getJP2Header/?id=99999', 'id', undefined, 'No image has the id 99999. getClosestImage returns the ids of images.'],
])('a near miss: %s names the next step', async (url, parameter, suggestion, end) => {
  const failure = await failureOf(url);
  expect(failure).toMatchObject({ parameter, ...(suggestion === undefined ? {} : { suggestion }) });
  expect(failure.error.slice(-end.length)).toBe(end);
  if (suggestion === undefined) expect(failure).not.toHaveProperty('suggestion');
});

it.each([
  '/v2/getEverything/',
  '/v2/getClosestImage/?date=yesterday&sourceId=10',
  '/v2/getClosestImage/?date=2024-01-01T00:00:00Z&sourceId=999999',
  '/v2/getClosestImage/?date=2024-01-01T00:00:00Z&id=10',
  `/v2/takeScreenshot/?${SCENE}&layers=moon`,
  `/v2/takeScreenshot/?${SCENE}&layers=[<b>`,
])('a near miss: %s suggests nothing where nothing is close', async (url) => {
  const failure = await failureOf(url);
  expect(failure).not.toHaveProperty('suggestion');
  expect(failure.error).not.toContain('Did you mean');
});

it('a near miss passes as a date where it can mean one time only', async () => {
  const timeOf = async (date: string) => {
    const response = await get(`/v2/getClosestImage/?date=${encodeURIComponent(date)}&sourceId=10`);
    return [response.status, await response.text()];
  };
  const expected = await timeOf('2024-01-01T00:00:00Z');
  expect(expected[0]).toBe(200);
  for (const date of ['2024-01-01 00:00Z', '2024-01-01T02:00:00+02:00', '2023/12/31T19:00-0500']) {
    expect(await timeOf(date)).toEqual(expected);
  }
});

it('a notice says that of several values of a list the last counts', async () => {
  const response = await get('/v2/getHoldings/?sources=10&sources=4&format=json');
  expect(await response.json()).toMatchObject({ files: [{ sourceId: 4 }] });
  expect(response.headers.get('X-Notice')).toBe(
    'The parameter sources has several values, of which the last counts. Separate the values of a list by commas.',
  );
  expect((await get('/v2/getHoldings/?sources=4&sources=4')).headers.has('X-Notice')).toBe(false);
});

it('a notice remarks on the layers and events of a screenshot', async () => {
  const response = await get(`/v2/takeScreenshot/?${SCENE}&layers=[10,1,0.5]&events=[ZZ,all,1]&watermrk=false`);
  expect(response.status).toBe(200);
  expect(response.headers.get('X-Notice')).toBe(
    'The opacity 0.5 of layers is a percentage: 100 is opaque. No type of events has the pin ZZ. ' +
      'The parameter watermrk is unknown and ignored. Did you mean watermark?',
  );
});

it('a notice stands in the message of a queued movie', async ({ archive }) => {
  const response = await archive.get(`/v2/queueMovie/?${new URLSearchParams({ ...MOVIE, events: '[ZZ,all,1]' })}`);
  expect(await response.json()).toMatchObject({ message: expect.stringContaining('No type of events has the pin ZZ.') });
});

const { events: _events, eventsLabels: _labels, ...withoutEvents } = MOVIE;

it('a movie needs no events and no word on their labels', async ({ archive }) => {
  const response = await archive.get(`/v2/queueMovie/?${new URLSearchParams(withoutEvents)}`);
  expect(await response.json()).toMatchObject({ id: expect.stringMatching(/^\w+$/) });
});

it('a movie gives its status a file name of its own until it is finished', async ({ archive }) => {
  const id = await archive.queue();
  const response = await archive.get(`/v2/downloadMovie/?id=${id}&format=mp4`);
  expect([response.status, response.headers.get('Content-Disposition')]).toEqual([202, `inline; filename="${id}.status.json"`]);
});
