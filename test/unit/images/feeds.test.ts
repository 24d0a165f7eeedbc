import { XMLParser } from 'fast-xml-parser';
import { expect, it } from 'vitest';
import { LISTS } from '../../../src/platform/limits/images.ts';
import { edgeKey } from '../../../src/worker/gateway.ts';
import { IMAGES } from '../../support/memory/archived-images.ts';
import { indexOfEach } from '../../support/memory/image-index.ts';
import { answered, testArchive } from '../../support/test-archive.ts';

const xml = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  isArray: (name) => ['entry', 'link'].includes(name),
});

const NEWEST_FIRST = IMAGES.filter(({ sourceId }) => sourceId === 10).toSorted((a, b) => b.takenAtMs - a.takenAtMs);

it('the Atom feed of a datasource lists the newest images first, each with an id, a time, its file and a page', async () => {
  const { get } = testArchive();
  const response = await get('/feeds/10.atom');
  expect(response.headers.get('Content-Type')).toBe('application/atom+xml; charset=utf-8');
  const { feed } = xml.parse(await response.text());
  expect(feed).toMatchObject({
    id: 'http://sun.test/feeds/10.atom',
    title: 'AIA 171: the newest images',
    author: { name: 'helioedge' },
  });
  expect(feed.updated).toBe('2024-01-31T11:00:00.000Z');
  expect(feed.entry.map(({ id }: { id: string }) => id)).toEqual(
    NEWEST_FIRST.map(({ id }) => `http://sun.test/v2/getJP2Image/?id=${id}`),
  );
  const { title, updated, link } = feed.entry[1];
  expect([title, updated]).toEqual(['AIA 171 2024-01-01 00:02:00 UTC', '2024-01-01T00:02:00.500Z']);
  const [page, file] = ['alternate', 'enclosure'].map((rel) => link.find((one: { rel: string }) => one.rel === rel));
  expect(file).toMatchObject({ href: 'http://sun.test/jp2/AIA/2024/01/01/171/image_58.jp2', type: 'image/jp2', length: '1000' });
  expect((await get(new URL(file.href).pathname)).status).toBe(200);
  expect(page.href).toBe('http://sun.test/?date=2024-01-01T00:02:00Z&imageLayers=%5B10,1,100%5D');
});

it(`the Atom feed of a datasource ends after ${LISTS.feedImages} images`, async () => {
  const { get } = testArchive({ index: indexOfEach(60_000, 100) });
  const { feed } = xml.parse(await (await get('/feeds/10.atom')).text());
  expect(feed.entry).toHaveLength(LISTS.feedImages);
  expect(feed.entry[0].updated).toBe('2024-01-01T01:39:00.000Z');
});

it('the address of a feed makes one key in every notation', () => {
  const key = (path: string) => edgeKey(new Request(`https://sun.test${path}`));
  expect([key('/feeds/10.atom'), key('/feeds/10.atom?utm_source=reader')]).toEqual(
    Array(2).fill('/feed?format=atom&sourceId=10'),
  );
  expect(key('/feeds/10.rss')).toBeNull();
});

it.each([
  ['/feeds/10.rss', 400, 'format'],
  ['/feeds/sun.atom', 400, 'sourceId'],
  ['/feeds/10001.atom', 400, 'sourceId'],
  ['/feeds/88.json', 404, 'sourceId'],
])('the address of a feed: %s is %i and names %s', async (path, status, parameter) => {
  expect(await answered(testArchive().get(path))).toMatchObject([status, { parameter }]);
});
