import { expect, it } from 'vitest';
import { STAC } from '../../../src/faces/stac/stac.ts';
import { edgeKey } from '../../../src/worker/gateway.ts';
import { archivedImage } from '../../support/memory/archived-images.ts';
import { indexOfEach, MemoryImageIndex } from '../../support/memory/image-index.ts';
import { testArchive } from '../../support/test-archive.ts';

interface Link {
  readonly rel: string;
  readonly href: string;
}

interface Page {
  readonly features: readonly { readonly id: string; readonly properties: Readonly<Record<string, unknown>> }[];
  readonly links: readonly Link[];
}

const archive = testArchive();
const get = (path: string) => archive.get(`/stac${path}`);
const jsonOf = async <T = Record<string, never>>(path: string): Promise<T> => (await get(path)).json() as Promise<T>;
const idsOf = ({ features }: Page) => features.map(({ id }) => id);
const find = async (query: string) => idsOf(await jsonOf<Page>(`/search?limit=100&${query}`));
const post = (body: unknown) =>
  archive.get('/stac/search', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

/** The ids of all pages, following `next`. */
async function paged(path: string, { get: request } = archive): Promise<string[][]> {
  const pages: string[][] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const page = (await (await request(next)).json()) as Page;
    pages.push(idsOf(page));
    const href = page.links.find(({ rel }) => rel === 'next')?.href;
    next = href?.slice('http://sun.test'.length);
  }
  return pages;
}

it('the catalogue of STAC lists a collection for each datasource with images, and says what it conforms to', async () => {
  const { links, conformsTo } = await jsonOf<{ links: Link[]; conformsTo: string[] }>('');
  expect(links.filter(({ rel }) => rel === 'child').map(({ href }) => href)).toEqual(
    [0, 4, 10, 38].map((id) => `http://sun.test/stac/collections/source-${id}`),
  );
  expect(await jsonOf('/conformance')).toEqual({ conformsTo });
  const { collections } = await jsonOf<{ collections: { id: string }[] }>('/collections');
  expect(await jsonOf('/collections/source-10')).toEqual(collections.find(({ id }) => id === 'source-10'));
  expect(collections.map(({ id }) => id)).toEqual(['source-0', 'source-4', 'source-10', 'source-38']);
});

it('the catalogue of STAC shows an item with the geometry of its image, and every address of it', async () => {
  const response = await get('/collections/source-10/items/image-58');
  expect(response.headers.get('Content-Type')).toBe('application/geo+json');
  const item = (await response.json()) as Page['features'][number] & { assets: Record<string, { href: string }> };
  expect(item).toMatchObject({ id: 'image-58', collection: 'source-10', geometry: null });
  expect(item.properties).toMatchObject({
    datetime: '2024-01-01T00:02:00.500Z',
    platform: 'SDO',
    instruments: ['AIA'],
    'solar:image': 58,
    'solar:shape': [4096, 4096],
    'proj:code': null,
  });
  const scale = 0.6083466737042187 * 0.9862797742389285;
  expect(item.properties['solar:limb_radius']).toBeCloseTo(1577.4636 * scale, 6);
  expect(Object.values(item.assets).map(({ href }) => href.slice('http://sun.test'.length))).toEqual([
    '/jp2/AIA/2024/01/01/171/image_58.jp2',
    '/v2/downloadImage/?id=58&width=256&type=jpg',
    '/v2/getJP2Header/?id=58',
    '/tiles/image-58.json',
    '/v2/getImageData/?id=58&level=1&format=fits',
  ]);
  const { features } = await jsonOf<Page>('/search?ids=image-58');
  expect(features).toEqual([item]);
});

it('the catalogue of STAC gives the transform of pixels of the file to arcseconds in the extension projection', async () => {
  const [left, scale] = [120, 0.6];
  const image = archivedImage(26, 10, '2024-01-01T00:00:00Z');
  // The centre of the Sun is 120 pixels from the left edge and 80 from the lower one.
  const geometry = { ...image.geometry, scaleArcsecPerPixel: scale, scaleCorrection: 1, width: 400, height: 300 };
  const shifted = { ...image, geometry: { ...geometry, refPixelX: left + 0.5, refPixelY: 80.5 } };
  const { get: fetch } = testArchive({ index: new MemoryImageIndex([shifted]) });
  const item = (await (await fetch('/stac/collections/source-10/items/image-26')).json()) as {
    stac_extensions: string[];
    properties: Record<string, number[]>;
    assets: Record<string, Record<string, number[]>>;
  };
  expect(item.stac_extensions).toContain('https://stac-extensions.github.io/projection/v2.0.0/schema.json');
  const { 'proj:code': code, 'proj:shape': shape, 'proj:transform': transform } = item.assets.data!;
  expect([code, shape]).toEqual([null, [300, 400]]);
  const placeOf = (column: number, row: number) => {
    const [a, b, c, d, e, f] = transform as [number, number, number, number, number, number];
    return [a * column + b * row + c, d * column + e * row + f];
  };
  // The centre of the Sun, and the lower right corner.
  for (const at of placeOf(left, 300 - 80)) expect(at).toBeCloseTo(0, 9);
  const [, bottom, right] = item.properties['solar:bounds']!;
  expect(placeOf(400, 300)).toEqual([expect.closeTo(right!, 9), expect.closeTo(bottom!, 9)]);
  expect([right, bottom]).toEqual([expect.closeTo(280 * scale, 9), expect.closeTo(-80 * scale, 9)]);
});

it.each([
  ['', ['image-16', 'image-20', 'image-26', 'image-42', 'image-58', 'image-74', 'image-22']],
  ['collections=source-10,source-38', ['image-26', 'image-42', 'image-58', 'image-74', 'image-22']],
  ['collections=source-13', []],
  ['datetime=2024-01-01T00:01:00Z', ['image-42']],
  ['datetime=2024-01-01T01:02:00%2B01:00', ['image-58']],
  ['datetime=2024-01-01T00:01:00Z/2024-01-01T23:59:59Z', ['image-20', 'image-42', 'image-58']],
  ['datetime=../2024-01-01T00:00:00Z', ['image-16', 'image-26']],
  ['datetime=2024-01-02T00:00:00Z/', ['image-74', 'image-22']],
  ['ids=image-58,image-16,image-58,image-1', ['image-16', 'image-58']],
  ['ids=image-58,image-16&collections=source-10', ['image-58']],
  ['ids=image-58,image-42&datetime=2024-01-01T00:02:00.5Z', ['image-58']],
])('the search of STAC: %s finds the images by source and time', async (query, found) => {
  expect(await find(query)).toEqual(found);
});

it('the search of STAC takes the same parameters in a JSON body', async () => {
  const response = await post({ collections: ['source-10'], datetime: '2024-01-01T00:01:00Z/..', limit: 2 });
  const page = (await response.json()) as Page;
  expect([response.status, idsOf(page)]).toEqual([200, ['image-42', 'image-58']]);
  const next = page.links.find(({ rel }) => rel === 'next')!;
  expect(await paged(next.href.slice('http://sun.test'.length))).toEqual([['image-74']]);
});

it('the search of STAC pages by links, with each image once', async () => {
  expect(await paged('/stac/search?limit=3')).toEqual([
    ['image-16', 'image-20', 'image-26'],
    ['image-42', 'image-58', 'image-74'],
    ['image-22'],
  ]);
  expect(await paged('/stac/search?ids=image-58,image-74,image-26&limit=2')).toEqual([['image-26', 'image-58'], ['image-74']]);
  expect(await paged('/stac/collections/source-10/items?limit=2&datetime=2024-01-01T00:00:00Z/..')).toEqual([
    ['image-26', 'image-42'],
    ['image-58', 'image-74'],
  ]);
});

it('the search of STAC finds at most a certain number of items, whatever is requested', async () => {
  const full = testArchive({ index: indexOfEach(1000, STAC.maxItems + 1) });
  const pages = await paged('/stac/search?limit=10001', full);
  expect(pages.map(({ length }) => length)).toEqual([STAC.maxItems, 1]);
});

it('the search of STAC makes one key in the edge cache of all notations', () => {
  const key = (query: string) => edgeKey(new Request(`http://sun.test/stac/search?${query}`));
  expect(key('limit=10&ids=image-26')).toBe(key('ids=%20image-26'));
  expect(key('ids=image-26')).not.toBe(key('ids=image-42'));
  expect(key('ids=image-26&utm=x')).toBeNull();
});

it.each([
  ['/search?bbox=0,0,1,1', 400, 'Leave out bbox: images of the Sun have no geographic place.'],
  ['/search?filter=x', 400, 'Leave out filter: this service does not have its extension.'],
  ['/search?datetime=../..', 400, 'Expected a UTC date like'],
  ['/search?datetime=2024-01-02Z/2024-01-01Z', 400, 'Expected a UTC date like'],
  ['/search?datetime=noon', 400, 'Expected a UTC date like'],
  ['/search?limit=0', 400, 'Expected a whole number from 1 to 9007199254740991 for limit, got 0.'],
  ['/search?token=x', 400, 'for token, got x.'],
  ['/search?collections=10', 400, 'Expected ids like source-10 for collections, got 10.'],
  ['/search?ids=image-26,x', 400, 'Expected ids like image-26 for ids, got x.'],
  ['/collections/source-13', 404, 'No collection has the id source-13.'],
  ['/collections/source-4/items/image-26', 404, 'Image 26 is in the collection source-10.'],
  ['/collections/source-10/items/image-99', 404, 'No image has the id 99.'],
  ['/collections/source-10/items?foo=1', 400, 'This address has no parameter foo. It has collection, datetime, limit, token.'],
  ['/search?foo=1', 400, 'This address has no parameter foo.'],
  ['/collections?limit=2', 400, 'This address has no parameter limit.'],
  ['/collections/source-10?bbox=1', 400, 'This address has no parameter bbox.'],
  ['/collections/10', 404, 'No collection has the id 10.'],
  ['/collections/10/items', 404, 'No collection has the id 10.'],
  ['/collections/source-13/items', 404, 'No collection has the id source-13.'],
  ['/collections/source-10/items/26', 404, 'No item has the id 26.'],
  ['/nothing', 404, 'Nothing is at this address.'],
])('a bad request: %s is %i in the form of STAC', async (path, status, sentence) => {
  const response = await get(path);
  expect(response.status).toBe(status);
  expect(await response.json()).toEqual({ code: expect.any(String), description: expect.stringContaining(sentence) });
});

it.each([
  ['{"limit":', 400],
  [{ ids: {} }, 400],
  [{ intersects: { type: 'Point', coordinates: [0, 0] } }, 400],
  [{ collections: [['source-10'], 4] }, 400],
])('a bad request: the body %j is %i', async (body, status) => {
  const response = await post(body);
  expect([response.status, Object.keys((await response.json()) as object)]).toEqual([status, ['code', 'description']]);
});
