import { expect, it } from 'vitest';
import { archiveFolder } from '../../../src/archive/archive-folders.ts';
import { timelineTag } from '../../../src/archive/keys.ts';
import { readIndexPage } from '../../../src/operator/mirror/upstream/tree-upstream.ts';
import { LISTS, SETTLED_AFTER_MS } from '../../../src/platform/limits/images.ts';
import { archiveDirectory } from '../../../src/sun/catalogue/datasource.ts';
import { findSource } from '../../../src/sun/catalogue/sources.ts';
import type { ArchivedImage } from '../../../src/sun/image.ts';
import { archivedImage, NOW_MS } from '../../support/memory/archived-images.ts';
import { MemoryImageIndex } from '../../support/memory/image-index.ts';
import { testArchive } from '../../support/test-archive.ts';

/** An image where the archive has it, or below in `version`. */
function filed(id: number, sourceId: number, takenAt: string, fileName: string, version = ''): ArchivedImage {
  const folder = archiveDirectory(findSource(sourceId)!, Date.parse(takenAt), fileName);
  return archivedImage(id, sourceId, takenAt, { fileName, key: `jp2/${folder}${version}/${fileName}`, byteLength: id });
}

const FILED = [
  filed(1, 10, '2024-01-01T00:00:00Z', 'a.jp2'),
  filed(2, 10, '2024-01-01T12:00:03.5Z', 'a-b.jp2', '/v2-0a1b2c3d'),
  filed(3, 9, '2024-01-01T00:00:00Z', 'other.jp2'),
  filed(8, 9, '2024-01-01T00:01:00Z', `odd & <b>"name'.jp2`),
  filed(4, 10, '2022-12-31T23:59:59Z', 'old.jp2'),
  filed(5, 38, '2024-01-01T01:00:00Z', 'x.jp2'),
  filed(6, 131, '2024-01-01T02:00:00Z', 'PUNCH_L3_CTM_20240101.jp2'),
  filed(7, 4, '2024-01-31T11:00:00Z', 'c2.jp2'),
];

const archive = (images: readonly ArchivedImage[] = FILED) => testArchive({ index: new MemoryImageIndex(images) });

/** Folders, and files by their addresses, that a reader of links finds. */
async function linksOf(path: string, { get } = archive()) {
  const response = await get(path);
  expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
  const html = await response.text();
  // Every address is of one line, and nothing beside the links ends in the name of a file.
  const hrefs = html.match(/href="[^"]*"/g) ?? [];
  expect(html.split('\n').filter((line) => line.includes('<a '))).toHaveLength(hrefs.length);
  expect(html.replace(/<a href="[^"]+">[^<]+<\/a>/g, '')).not.toMatch(/\.jp2|href/);
  expect(hrefs.filter((href) => href.includes('..'))).toEqual(path === '/jp2/' ? [] : ['href="../"']);
  const { folders, files } = readIndexPage(html, new URL(`http://sun.test${path}`))!;
  return [...folders.map((name) => `${name}/`), ...files];
}

it.each([
  ['/jp2/', ['AIA/', 'LASCO-C2/', 'PUNCH/', 'XRT/']],
  ['/jp2/AIA/', ['2022/', '2024/']],
  ['/jp2/AIA/2024/', ['01/']],
  ['/jp2/AIA/2024/01/', ['01/']],
  ['/jp2/AIA/2024/01/01/', ['131/', '171/']],
  ['/jp2/AIA/2024/01/01/171/', ['a.jp2', 'v2-0a1b2c3d/a-b.jp2']],
  ['/jp2/AIA/2024/01/01/171/v2-0a1b2c3d/', ['a-b.jp2']],
  ['/jp2/AIA/2024/01/01/131/', [`odd & <b>"name'.jp2`, 'other.jp2']],
  ['/jp2/XRT/2024/01/01/', ['Al_med/']],
  ['/jp2/XRT/2024/01/01/Al_med/', ['Al_mesh/']],
  ['/jp2/XRT/2024/01/01/Al_med/Al_mesh/', ['x.jp2']],
  ['/jp2/PUNCH/2024/01/01/', ['CTM/']],
  ['/jp2/PUNCH/2024/01/01/CTM/', ['PUNCH_L3_CTM_20240101.jp2']],
  ['/jp2/2024/', ['01/']],
  ['/jp2/2024/01/', ['01/', '31/']],
  ['/jp2/2024/01/01/', ['AIA/', 'PUNCH/', 'XRT/']],
  ['/jp2/2024/01/01/AIA/', ['131/', '171/']],
  ['/jp2/2024/01/01/AIA/171/', ['a.jp2', 'v2-0a1b2c3d/a-b.jp2']],
])('the index page: %s links what is below it', async (path, links) => {
  expect(await linksOf(path)).toEqual(links);
});

it('the index page shows whole names, with times and sizes for people', async () => {
  const page = await (await archive().get('/jp2/AIA/2024/01/01/171/')).text();
  expect(page).toContain('\n<a href="v2-0a1b2c3d/a-b.jp2">a-b.jp2</a>  2024-01-01 12:00:03  2\n');
});

it.each([
  ...['/jp2/AIA/2024/01/02/', '/jp2/AIA/2024/01/01/304/', '/jp2/AIA/2024/13/', '/jp2/AIA/2024/1/', '/jp2/AIA/2023/'],
  ...['/jp2/HMI/', '/jp2/aia/', '/jp2/2024/01/02/', '/jp2/2024/01/01/HMI/', '/jp2/AIA/2024/01/01/171/v3-0a1b2c3d/'],
  ...['/jp2/AIA/2024/01/01/171/x/', '/jp2/%3Cscript%3E/', '/jp2/../', '/jp2/0000/', '/jp2/AIA/24/'],
])('the index page does not exist for %s, which has no images', async (path) => {
  expect((await archive().get(path)).status).toBe(path === '/jp2/../' ? 200 : 404);
});

it.each(['/jp2', '/jp2/AIA/2024/01/01/171', '/jp2/2024/01/01'])('the index page has a slash, to which %s leads', async (path) => {
  for (const method of ['GET', 'HEAD']) {
    const response = await archive().get(path, { method, redirect: 'manual' });
    expect([response.status, response.headers.get('Location')]).toEqual([301, `${path}/`]);
  }
});

it('the index page leads to files in either order, also to those of a version', async () => {
  const { get, objects } = archive();
  for (const image of FILED) objects.objects.set(image.key, new Uint8Array(image.byteLength));
  for (const path of ['/jp2/AIA/2024/01/01/171/', '/jp2/2024/01/01/AIA/171/', '/jp2/AIA/2024/01/01/131/']) {
    const urls = (await linksOf(path)).map((file) => path + file.split('/').map(encodeURIComponent).join('/'));
    for (const url of urls) expect((await get(url)).status).toBe(200);
  }
});

it.each([
  ['/jp2/AIA/2024/01/01/171/', 86_400],
  ['/jp2/2022/', 86_400],
  ['/jp2/AIA/2024/', 60],
  ['/jp2/LASCO-C2/2024/01/31/white-light/', 60],
  ['/jp2/', 60],
])('the index page: %s is kept for %i seconds without its query, and purged with its timelines', async (path, seconds) => {
  const { get, cache, cachedKeys, services } = archive();
  expect(services.clock() - NOW_MS).toBeLessThan(SETTLED_AFTER_MS);
  await get(`${path}?C=N;O=D`);
  expect(cachedKeys()).toEqual([path.slice(0, -1)]);
  const [entry] = cache.entries.values();
  expect((entry!.staleUntilMs - entry!.storedAtMs) / 1000).toBe(seconds);
  expect(entry!.tags).toContain(timelineTag(path.includes('LASCO') ? 'LASCO-C2' : 'AIA').toLowerCase());
});

it('the index page charges its images as a long list, and refuses too many before it reads one', async () => {
  const index = new MemoryImageIndex(FILED);
  const charged: number[] = [];
  await archiveFolder(index, 'AIA/2024/01/01/171', async (images) => void charged.push(images));
  expect(charged).toEqual([2]);
  const full = Object.assign(new MemoryImageIndex(FILED), {
    counts: async () => [new Map([[Date.UTC(2024, 0, 1), LISTS.folderImages + 1]])],
    listed: () => Promise.reject(new Error('read')),
  });
  const refused = archiveFolder(full, 'AIA/2024/01/01/171', async () => undefined);
  await expect(refused).rejects.toThrow('more than 50000 images. Request them by listImages.');
});

it.each([
  [LISTS.folderImages, 1, 2],
  // A day of a channel of AIA: the fourth page is the first that its client owes for.
  [7200, 4, 0],
  [7200, 5, 1],
])('the index page of %i images costs a unit of lists for each 25,000: after %i pages %i', async (images, pages, paid) => {
  const charged: string[] = [];
  const pictureLimiter = { limit: async ({ key }: { key: string }) => ({ success: charged.push(key) > 0 }) };
  const counts = async () => [new Map([[Date.UTC(2024, 0, 1), images]])];
  const { app } = testArchive({ index: Object.assign(new MemoryImageIndex(FILED), { counts }), pictureLimiter });
  for (let page = 0; page < pages; page++) await app.direct(new Request('https://sun.test/jp2/AIA/2024/01/01/171/'));
  expect(charged).toEqual(Array(paid).fill('lists local'));
});

it('the index page reads a row for each source and period, and the images of its own folder alone', async () => {
  const index = new MemoryImageIndex(FILED);
  const { get } = testArchive({ index });
  for (const path of ['/jp2/2024/', '/jp2/AIA/', '/jp2/AIA/2024/01/01/171/']) {
    index.searches = 0;
    await get(path);
    expect(index.searches).toBeLessThanOrEqual(4);
  }
});
