import { describe, expect, it, vi } from 'vitest';
import { imageTag } from '../../../src/archive/keys.ts';
import { jpxArchive } from '../../support/jpx/jpx-archive.ts';
import { archivedImage } from '../../support/memory/archived-images.ts';
import { answered, testArchive } from '../../support/test-archive.ts';

/** The archive without image 26, and with image 90 under its file name. */
function replacedArchive() {
  const archive = testArchive();
  const key = 'jp2/AIA/2024/01/01/171/v2-0a1b2c3d/image_26.jp2';
  const replacement = archivedImage(90, 10, '2024-01-01T00:00:00Z', { fileName: 'image_26.jp2', key });
  archive.objects.objects.set(key, archive.jp2Bytes(90));
  archive.index.withdraw(26, replacement);
  archive.objects.objects.delete('jp2/AIA/2024/01/01/171/image_26.jp2');
  return archive;
}

const jsonOf = async (response: Response) => ({ status: response.status, ...((await response.json()) as object) });

const BY_ID = [
  'getTile/?id=26&x=0&y=0&imageScale=2.4',
  'getTile/?id=26&x=0&y=0&imageScale=2.4&difference=1&diffCount=1&diffTime=1',
  'getJP2Image/?id=26',
  'getJP2Image/?id=26&jpip=true',
  'getJP2Header/?id=26',
  'downloadImage/?id=26&width=512',
];

it.each(BY_ID)('an image that has been replaced or withdrawn answers 410 in %s, with the id of the new one', async (path) => {
  const withdrawn = testArchive();
  withdrawn.index.withdraw(26);
  for (const [{ get }, verdict, replacedBy] of [
    [replacedArchive(), 'replaced by image 90', 90],
    [withdrawn, 'withdrawn', null],
  ] as const) {
    const error = `Image 26 has been ${verdict}.`;
    expect(await jsonOf(await get(`/v2/${path}`))).toMatchObject({ status: 410, error, errno: 24, replacedBy });
  }
});

it('a file that is missing while the index does not say why answers 503', async () => {
  const { get, index, objects } = testArchive();
  objects.objects.delete('jp2/AIA/2024/01/01/171/image_26.jp2');
  expect(await jsonOf(await get('/v2/getJP2Header/?id=26'))).toMatchObject({ status: 500, errno: 50 });
  vi.spyOn(index, 'withdrawnByFileName').mockRejectedValue(new Error('D1_ERROR: Network connection lost.'));
  expect(await jsonOf(await get('/v2/getJP2Header/?id=26'))).toMatchObject({ status: 503, errno: 29 });
});

it('an image that has been replaced answers 410 at its path, and the new one has another path', async () => {
  const { get, jp2Bytes } = replacedArchive();
  expect(await jsonOf(await get('/jp2/AIA/2024/01/01/171/image_26.jp2'))).toMatchObject({ status: 410, replacedBy: 90 });
  const address = await (await get('/v2/getJP2Image/?id=90&jpip=true')).text();
  expect(address).toBe('jpip://sun.test:80/AIA/2024/01/01/171/v2-0a1b2c3d/image_26.jp2');
  const response = await get('/jp2/AIA/2024/01/01/171/v2-0a1b2c3d/image_26.jp2');
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(jp2Bytes(90));
});

it('an image that has been replaced gives way to the new one as the closest image', async () => {
  const { get } = replacedArchive();
  expect(await answered(get('/v2/getClosestImage/?sourceId=10&date=2024-01-01T00:00:01Z'))).toMatchObject([200, { id: 90 }]);
  expect(await (await get('/v2/getTile/?id=90&x=0&y=0&imageScale=2.4')).text()).toMatch(/^PNG 90 /);
});

it('an image that has been replaced points to the newest version after a second replacement', async () => {
  const { get, index } = replacedArchive();
  index.withdraw(90, archivedImage(106, 10, '2024-01-01T00:00:00Z', { fileName: 'image_26.jp2' }));
  for (const id of [26, 90]) {
    expect(await jsonOf(await get(`/v2/getJP2Header/?id=${id}`))).toMatchObject({ status: 410, replacedBy: 106 });
  }
});

it('an image that has been withdrawn gives way to an earlier one in a difference', async () => {
  const { get, index } = testArchive();
  const difference = '/v2/getTile/?id=58&x=0&y=0&imageScale=2.4&difference=1&diffCount=1&diffTime=1';
  expect(await (await get(difference)).text()).toMatch(/^PNG 58 minus 42 /);
  index.withdraw(42);
  const another = difference.replace('x=0', 'x=1');
  expect(await (await get(another)).text()).toMatch(/^PNG 58 minus 26 /);
});

it('cached responses disappear with the tag of an image that they depend on', async () => {
  const { get, cache, cachedKeys } = testArchive();
  const paths = [
    'getTile/?id=26&x=0&y=0&imageScale=2.4',
    'getTile/?id=42&x=0&y=0&imageScale=2.4',
    'getTile/?id=42&x=0&y=0&imageScale=2.4&difference=1&diffCount=1&diffTime=1',
    'getJP2Header/?id=26',
    'getJP2Image/?id=26',
    'getClosestImage/?sourceId=10&date=2024-01-01T00:00:01Z',
  ];
  for (const path of paths) {
    const response = await get(`/v2/${path}`);
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  }
  expect(cachedKeys()).toHaveLength(paths.length);
  await cache.purge({ tags: [imageTag(archivedImage(26, 10, '2024-01-01T00:00:00Z'))] });
  expect(cachedKeys()).toEqual(['/getTile?id=42&imageScale=2.4&x=0&y=0']);
});

const SCREENSHOT = 'date=2024-01-01T00:00:10Z&imageScale=2.4&layers=[10,1,100]&x1=-960&y1=-480&x2=960&y2=480';

it('a screenshot of a replaced image answers 410, and a new one shows the new image', async () => {
  const archive = testArchive();
  const { id } = (await (await archive.get(`/v2/takeScreenshot/?${SCREENSHOT}`)).json()) as { id: number };
  expect((await archive.get(`/v2/downloadScreenshot/?id=${id}`)).status).toBe(200);
  const old = (await archive.index.byId(26))!;
  archive.index.withdraw(26, archivedImage(90, 10, '2024-01-01T00:00:00Z', { fileName: 'image_26.jp2' }));
  await archive.cache.purge({ tags: [imageTag(old)] });
  expect(await jsonOf(await archive.get(`/v2/downloadScreenshot/?id=${id}`))).toMatchObject({
    status: 410,
    error: `Screenshot ${id} has an image (26) that has been withdrawn or replaced. Request a new one.`,
    errno: 24,
  });
  const again = await archive.get(`/v2/takeScreenshot/?${SCREENSHOT}&display=true`);
  expect(await again.text()).toMatch(/^PNG 90 /);
});

describe('a JPX file of a replaced image', () => {
  const QUERY = '/v2/getJPX/?startTime=2024-05-10T11:00:00Z&endTime=2024-05-10T13:00:00Z&sourceId=10&verbose=true';
  const pathOf = async (response: Response) => new URL(((await response.json()) as { uri: string }).uri).pathname;

  it.each([false, true])('answers 410 by its name, linked %s, and the same request gives another name', async (linked) => {
    const archive = await jpxArchive(3);
    const path = await pathOf(await archive.get(`${QUERY}&linked=${linked}`));
    expect((await (await archive.get(path)).arrayBuffer()).byteLength).toBeGreaterThan(100);
    await archive.settle();
    const [, second] = archive.images;
    const replacement = {
      ...second!,
      id: second!.id + 160,
      key: `${second!.key.replace(/[^/]+$/, '')}v2-0a1b2c3d/${second!.fileName}`,
    };
    archive.objects.objects.set(replacement.key, archive.objects.objects.get(second!.key)!);
    archive.objects.objects.delete(second!.key);
    archive.index.withdraw(second!.id, replacement);
    // The edge cache keeps the file for five minutes.
    archive.cache.entries.clear();
    expect(await jsonOf(await archive.get(path))).toMatchObject({
      status: 410,
      error: expect.stringMatching(
        /^The movie .*\.jpx has an image \(\d+\) that has been withdrawn or replaced\. Request a new one\.$/,
      ),
      errno: 24,
    });
    const newPath = await pathOf(await archive.get(`${QUERY}&linked=${linked}`));
    expect(newPath).not.toBe(path);
    expect((await archive.get(newPath)).status).toBe(200);
  });

  it('answers 410 over JPIP, also for a client that has read of it before', async () => {
    const { index, objects, images } = await jpxArchive(3);
    const archive = testArchive({ index, objects });
    const path = await pathOf(await archive.get(QUERY));
    const window = (i: number) => `${path}?fsiz=64,64&roff=0,0&rsiz=64,64&stream=${i}`;
    expect((await archive.get(window(0))).status).toBe(200);
    const [, second] = images;
    const linked = await (await archive.get(`${QUERY}&linked=true&jpip=true`)).text();
    const metadata = `/${/movies\/[\w.-]+\.jpx/.exec(linked)![0]}?metareq=[*]!!`;
    expect((await archive.get(metadata)).status).toBe(200);
    objects.objects.delete(second!.key);
    index.withdraw(second!.id);
    expect((await archive.get(metadata)).status).toBe(410);
    expect((await archive.get(window(1))).status).toBe(410);
    expect((await archive.get(window(1))).status).toBe(410);
    const image = `/${second!.key.replace('jp2/', '')}?fsiz=64,64&roff=0,0&rsiz=64,64`;
    expect(await jsonOf(await archive.get(image))).toMatchObject({ status: 410, replacedBy: null });
  });
});
