// Tags of cached responses, by which the addition or withdrawal of an image purges those that show it.
import { expect, it } from 'vitest';
import { additionsTag, timelineTagOf } from '../../../src/archive/keys.ts';
import { KNOWN_IMAGES } from '../../../src/platform/limits/images.ts';
import { readingPaths, requestableArchive } from '../../support/good-requests.ts';
import { archivedImage } from '../../support/memory/archived-images.ts';
import { MOVIE_TOKEN } from '../../support/movies/internal-service.ts';
import { OPERATOR } from '../../support/resource-examples.ts';
import { testArchive } from '../../support/test-archive.ts';

/** Revision of a Zarr store: a hash of its images. */
const REVISION = /\b[0-9a-f]{16}\b/;

const DIFFERENCE = '/v2/getTile/?id=74&x=0&y=0&imageScale=2.4&difference=2&baseDiffTime=2024-01-02T12:00:00Z';

/**
 * Addresses that are cached and depend on images without a tag, with the seconds for which the edge cache sends a response: their images
 * are too many to tag, or all of a datasource. JPX files, for which the images of this archive are not real enough, have five minutes.
 */
const UNTAGGED = {
  '/v2/downloadMovie/': 60,
  '/v2/getClosestImageDatesForSources/': 60,
  '/v2/getDataGaps/': 60,
  '/v2/getDataSources/': 660,
  '/v2/getStatus/': 660,
  '/v2/listImages/': 60,
  '/hapi/catalog': 60,
  '/hapi/data': 60,
  '/hapi/info': 60,
  '/hapi/Helioviewer/hapi/data': 60,
  '/hapi/Helioviewer/hapi/info': 60,
  '/hapi/jhelioviewer/info': 60,
  '/stac/collections/source-10': 660,
  '/stac/collections/source-10/items': 60,
  '/stac/search': 60,
  '/zarr/10/2024-05-10T10:00:00Z/2024-05-10T14:00:00Z/3600/.zmetadata': 60,
};

/** Addresses whose response depends on which images there are at a time, with what purges it when one is added, because it is kept for longer. */
const CHOSEN = {
  '/v2/getClosestImage/': 'additions',
  '/v2/getJP2Image/': 'additions',
  '/v2/getValue/': 'additions',
  '/v2/getImageData/': 'additions',
  '/v2/getDataCoverage/': 'timeline',
  '/v2/getSolarMap/': 'timeline',
  '/tiles/10/11/1023/1023.png': 'additions',
  '/tiles/carrington/10/0/0/0.png': 'timeline',
  '/tiles/10.json': 'additions',
  '/tiles/10/1.0.0/WMTSCapabilities.xml': 'additions',
  '/tiles/unwrapped/10/8/127/127.png': 'additions',
  '/tiles/radial,0/10.json': 'additions',
  '/tiles/polar,north/10/1.0.0/WMTSCapabilities.xml': 'additions',
  '/zarr/10/2024-05-10T10:00:00Z/2024-05-10T14:00:00Z/all/revision/zarr.json': 'timeline',
  [DIFFERENCE]: 'additions',
};

/** Seconds for which a response may be stale because no addition of an image purges it. */
const MINUTES = 660;

/** Objects that are images, or made of some. */
const OF_IMAGES = /^(jp2|idx|derived|jpx)\//;

/** Requests that name their images: those of an id, of a screenshot, and chunks of images in a revision. A difference has another one. */
const NAMES_IMAGES = /[?&]ids?=(?!.*&difference=)|^\/(?!tiles).*image-\d|^\/zarr\/.*\/(?:bytes|values)\//;

it('every cached response that depends on images has tags that an addition of one purges, or ends within minutes', async () => {
  // Images of the examples are settled.
  let nowMs = Date.UTC(2025, 0, 1);
  const variables = { MOVIE_TOKEN, ...OPERATOR, PUBLIC_ORIGIN: 'https://sun.test' };
  const archive = await requestableArchive({ variables, clock: () => nowMs });
  const untagged: Record<string, number> = {};
  const chosen: Record<string, string> = {};
  for (const path of [...readingPaths(archive), DIFFERENCE]) {
    archive.cache.entries.clear();
    archive.objects.reads = [];
    archive.index.searches = 0;
    // The rows of images that the isolate keeps expire.
    nowMs += 2 * KNOWN_IMAGES.freshMs;
    const response = await archive.app.request(`https://sun.test${path}`);
    await response.arrayBuffer();
    const [entry] = archive.cache.entries.values();
    const isOfImages = archive.index.searches > 0 || archive.objects.reads.some(({ key }) => OF_IMAGES.test(key));
    if (!entry || !isOfImages) continue;
    const seconds = (entry.staleUntilMs - entry.storedAtMs) / 1000;
    const name = path === DIFFERENCE ? path : decodeURIComponent(path.split('?')[0]!).replace(REVISION, 'revision');
    if (entry.tags.length === 0) untagged[name] = seconds;
    else if (seconds > MINUTES && !NAMES_IMAGES.test(path))
      chosen[name] = /(?:additions|timeline)(?=-)/.exec(entry.tags.join())?.[0] ?? 'none';
  }
  expect(untagged).toEqual(UNTAGGED);
  expect(chosen).toEqual(CHOSEN);
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
  const tile = await get(DIFFERENCE);
  expect([await tile.text(), tile.headers.get('Cache-Control')]).toEqual([
    expect.stringMatching(/^PNG 74 minus 58 /),
    'public, max-age=86400',
  ]);
  const added = archivedImage(90, 10, '2024-01-02T11:00:00Z', { key: 'jp2/AIA/2024/01/02/171/image_90.jp2' });
  index.images.push(added);
  index.images.sort((a, b) => a.takenAtMs - b.takenAtMs);
  await cache.purge({ tags: [additionsTag(added)] });
  expect(await (await get(DIFFERENCE)).text()).toMatch(/^PNG 74 minus 90 /);
});

it('a difference from an image of the last days is kept for a minute, because a nearer one may follow', async () => {
  const { get } = testArchive();
  const tile = await get('/v2/getTile/?id=74&x=0&y=0&imageScale=2.4&difference=1&diffCount=1&diffTime=1');
  expect([tile.status, tile.headers.get('Cache-Control')]).toEqual([200, 'public, max-age=60']);
});
