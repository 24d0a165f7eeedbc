// Tags of cached responses, by which the addition or withdrawal of an image purges those that show it.
import { expect, it } from 'vitest';
import { additionsTag, timelineTagOf } from '../../../src/domain/archive/keys.ts';
import { operations } from '../../../src/routes/operations.ts';
import { requestableArchive } from '../../support/good-requests.ts';
import { archivedImage } from '../../support/memory/archived-images.ts';
import { MOVIE_TOKEN } from '../../support/movies/internal-service.ts';
import { testArchive } from '../../support/test-archive.ts';

/**
 * Operations that are cached and depend on images without a tag, with the seconds for which the edge cache sends a response: their images
 * are too many to tag, or all of a datasource. JPX files, for which the images of this archive are not real enough, have five minutes.
 */
const UNTAGGED = {
  downloadMovie: 60,
  getClosestImageDatesForSources: 60,
  getDataGaps: 60,
  getDataSources: 660,
  getStatus: 660,
  listImages: 60,
};

/** Objects that are images, or made of some. */
const OF_IMAGES = /^(jp2|idx|derived|jpx)\//;

it('every cached response that depends on images has tags, or ends within minutes', async () => {
  const archive = await requestableArchive({ variables: { MOVIE_TOKEN, PUBLIC_ORIGIN: 'https://sun.test' } });
  const untagged: Record<string, number> = {};
  const tagged: string[] = [];
  for (const [name, parameters] of Object.entries(archive.good)) {
    if (operations.get(name)!.hasSideEffects) continue;
    archive.cache.entries.clear();
    archive.objects.reads = [];
    archive.index.searches = 0;
    const response = await archive.app.request(`https://sun.test/v2/${name}/?${new URLSearchParams(parameters)}`);
    await response.arrayBuffer();
    const [entry] = archive.cache.entries.values();
    const isOfImages = archive.index.searches > 0 || archive.objects.reads.some(({ key }) => OF_IMAGES.test(key));
    if (!entry || !isOfImages) continue;
    if (entry.tags.length > 0) tagged.push(name);
    else untagged[name] = (entry.staleUntilMs - entry.storedAtMs) / 1000;
  }
  expect(untagged).toEqual(UNTAGGED);
  expect(tagged).toEqual(
    expect.arrayContaining([
      'getTile',
      'getClosestImage',
      'getImagesAtTimes',
      'getDataCoverage',
      'downloadImage',
      'downloadScreenshot',
    ]),
  );
});

/** Half an hour of images, and the days around it. */
const RANGES = ['2024-01-01T00:00:00Z/2024-01-01T00:30:00Z', '2023-12-25T00:00:00Z/2024-01-04T00:00:00Z'];

it.each(RANGES)('the timeline of %s is counted again after the addition of an image of its instrument', async (range) => {
  const { get, index, cache } = testArchive();
  const [startMs, endMs] = range.split('/').map((time) => Date.parse(time));
  const counts = async () => {
    const path = `/v2/getDataCoverage/?imageLayers=[10,1,100]&startDate=${startMs}&endDate=${endMs}`;
    const response = await get(path);
    const [series] = (await response.json()) as { data: [number, number][] }[];
    return [
      response.headers.get('Cache-Control'),
      series!.data.filter(([, count]) => count > 0).reduce((sum, [, n]) => sum + n, 0),
    ];
  };
  const [policy, before] = await counts();
  expect(policy).toBe('public, max-age=86400');
  const added = archivedImage(90, 10, '2024-01-01T00:20:00Z');
  index.images.push(added);
  expect(await counts()).toEqual([policy, before]);
  await cache.purge({ tags: [timelineTagOf(archivedImage(91, 13, '2010-01-01T00:00:00Z'))] });
  expect((await counts())[1]).toBe(Number(before) + 1);
});

it('a difference is drawn again after the addition of an image that it would subtract', async () => {
  const { get, index, cache } = testArchive();
  const path = '/v2/getTile/?id=74&x=0&y=0&imageScale=2.4&difference=2&baseDiffTime=2024-01-02T12:00:00Z';
  const tile = await get(path);
  expect([await tile.text(), tile.headers.get('Cache-Control')]).toEqual([
    expect.stringMatching(/^PNG 74 minus 58 /),
    'public, max-age=86400',
  ]);
  const added = archivedImage(90, 10, '2024-01-02T11:00:00Z', { key: 'jp2/AIA/2024/01/02/171/image_90.jp2' });
  index.images.push(added);
  index.images.sort((a, b) => a.takenAtMs - b.takenAtMs);
  await cache.purge({ tags: [additionsTag(added)] });
  expect(await (await get(path)).text()).toMatch(/^PNG 74 minus 90 /);
});

it('a difference from an image of the last days is kept for a minute, because a nearer one may follow', async () => {
  const { get } = testArchive();
  const tile = await get('/v2/getTile/?id=74&x=0&y=0&imageScale=2.4&difference=1&diffCount=1&diffTime=1');
  expect([tile.status, tile.headers.get('Cache-Control')]).toEqual([200, 'public, max-age=60']);
});
