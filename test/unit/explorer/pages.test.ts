import { describe, expect, it } from 'vitest';
import { archivedImage, IMAGES } from '../../support/memory/archived-images.ts';
import { MemoryImageIndex } from '../../support/memory/image-index.ts';
import { answered, cachedArchive, testArchive } from '../../support/test-archive.ts';

const TEMPLATE = '<head><!--head of the view--></head><body><!--first picture--><!--page data--></body>';
const POLICY = "default-src 'none'; frame-ancestors 'none'";

const page = () => new Response(TEMPLATE, { headers: { 'Content-Type': 'text/html', 'Content-Security-Policy': POLICY } });
const pageArchive = (options: Parameters<typeof testArchive>[0] = {}) =>
  testArchive({ assets: { fetch: async () => page() }, ...options });
const archive = pageArchive();
const text = async (path: string) => (await archive.get(path)).text();

/** Data that the page reads at its start. */
const dataOf = (html: string) => JSON.parse(/<script type="application\/json" id="page-data">(.*?)<\/script>/s.exec(html)![1]!);
const dataAt = async (path: string, { get }: Pick<typeof archive, 'get'> = archive) => dataOf(await (await get(path)).text());
const SYNTHETIC = '<meta><fits><ORIGIN>helioedge sample (synthetic)</ORIGIN></fits></meta>';

it.each([
  ['/statistics', '/status'],
  ['/statistics/bokeh/coverages/', '/status'],
  ['/docs/v2', '/docs/'],
  ['/docs/v2/', '/docs/'],
])('%s of the menu of the official web client leads to %s', async (path, location) => {
  const response = await archive.app.request(`http://sun.test${path}`);
  expect([response.status, response.headers.get('Location')]).toEqual([302, location]);
});

it('the explorer page contains the view of its address with the records of its images', async () => {
  const { view, records, notes, isNewest } = await dataAt('/?date=2024-01-01T00:00:00Z&imageLayers=[10,1,100],[13,0,50]');
  expect(view).toMatchObject({ atMs: Date.UTC(2024, 0, 1), layers: [{ sourceId: 10 }, { sourceId: 13, isVisible: false }] });
  expect(records).toEqual([expect.objectContaining({ name: 'AIA 171', takenAt: expect.stringMatching(/Z$/) }), null]);
  expect([notes, isNewest]).toEqual([[], false]);
});

it('the explorer page shows the newest image at its own time without a date', async () => {
  const { view, records, isNewest } = await dataAt('/');
  expect(isNewest).toBe(true);
  expect(new Date(view.atMs).toISOString()).toBe(records[0].takenAt);
});

it('the explorer page shows another source for one without images, and says so, with and without a date', async () => {
  const [images, all] = [await dataAt('/?sourceId=2000'), await dataAt('/?date=2024-01-01T00:00:00Z&imageLayers=[88,1,100]')];
  const note = { kind: 'no-images', given: 'SUVI 94', instead: 'AIA 171' };
  expect(images.notes).toEqual([{ kind: 'alias', given: '2000', sourceId: 88, name: 'SUVI 94' }, note]);
  expect(all.notes).toEqual([note]);
  for (const { view, records } of [images, all]) {
    expect(view.layers).toEqual([expect.objectContaining({ sourceId: 10 })]);
    expect(records).toEqual([expect.objectContaining({ name: 'AIA 171' })]);
  }
  expect([images.isNewest, all.view.atMs]).toEqual([true, Date.UTC(2024, 0, 1)]);
});

it('the explorer page shows the first source with images when AIA 171 has none, and no records for an empty archive', async () => {
  const eit = pageArchive({ index: new MemoryImageIndex([archivedImage(16, 0, '2009-05-01T00:00:00Z')]) });
  const { records, notes } = await dataAt('/', eit);
  expect(records).toEqual([expect.objectContaining({ name: 'EIT 171' })]);
  expect(notes).toEqual([{ kind: 'no-images', given: 'AIA 171', instead: 'EIT 171' }]);
  const empty = pageArchive({ index: new MemoryImageIndex([]) });
  for (const path of ['/', '/?date=2024-01-01T00:00:00Z', '/?sourceId=88'])
    expect(await dataAt(path, empty)).toMatchObject({ records: [], notes: [] });
});

it('the explorer page keeps a layer without images beside others, and leaves it out of its picture for messengers', async () => {
  const html = await text('/?imageLayers=[88,1,100],[10,1,100],[4,1,50]');
  const { view, records, names } = dataOf(html);
  expect(names).toEqual(['SUVI 94', 'AIA 171', 'LASCO C2']);
  expect(records).toEqual([null, expect.objectContaining({ name: 'AIA 171' }), expect.objectContaining({ name: 'LASCO C2' })]);
  expect(new Date(view.atMs).toISOString()).toBe(records[1].takenAt);
  expect(html).toContain('layers=%5B10%2C1%2C100%5D%2C%5B4%2C1%2C50%5D&amp;');
});

it('the explorer page shows the lowest of hidden layers, and says so', async () => {
  const { view, records, notes } = await dataAt('/?imageLayers=[10,0,100],[4,0,100]');
  expect(view.layers.map((layer: { isVisible: boolean }) => layer.isVisible)).toEqual([true, false]);
  expect(records).toEqual([expect.objectContaining({ name: 'AIA 171' }), null]);
  expect(notes).toEqual([{ kind: 'all-hidden', instead: 'AIA 171' }]);
});

it('the explorer page carries the mark of synthetic images when any of its images is synthetic', async () => {
  const mixed = pageArchive();
  const { key, byteLength } = IMAGES.find(({ sourceId }) => sourceId === 4)!;
  mixed.objects.objects.set(key, new TextEncoder().encode(SYNTHETIC.padEnd(byteLength)));
  for (const [layers, isSynthetic] of Object.entries({ '': false, ',[4,1,50]': true, ',[4,0,50]': false }))
    expect(await dataAt(`/?date=2024-01-01T00:00:00Z&imageLayers=[10,1,100]${layers}`, mixed)).toMatchObject({ isSynthetic });
});

it('the explorer page opens the sample archive on its rich day instead of its newest images, and says so', async () => {
  const open = async (days: readonly string[], path = '/') => {
    const images = days.map((day, i) => archivedImage(i + 1, 10, `${day}Z`));
    const sample = pageArchive({ index: new MemoryImageIndex(images), clock: () => Date.UTC(2026, 5, 1) });
    for (const { key, byteLength } of images)
      sample.objects.objects.set(key, new TextEncoder().encode(SYNTHETIC.padEnd(byteLength)));
    const { notes, isNewest, records } = await dataAt(path, sample);
    return [records[0].takenAt, isNewest, notes];
  };
  const [rich, recent] = ['2024-05-10T06:55:00', '2026-05-10T12:00:00'];
  expect(await open([rich, recent])).toEqual(['2024-05-10T06:55:00.000Z', false, [{ kind: 'sample', given: '2024-05-10' }]]);
  expect(await open([rich, recent], '/?date=2026-01-01T00:00:00Z')).toEqual([expect.stringMatching(/^2026/), false, []]);
  expect(await open([recent])).toEqual(['2026-05-10T12:00:00.000Z', true, []]);
  expect(await open([rich])).toEqual(['2024-05-10T06:55:00.000Z', true, []]);
});

it('the explorer page notes what a shared view has that cannot be shown', async () => {
  const share = async (view: object) => {
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(view) };
    return archive.get('/v2/saveWebClientState/', init);
  };
  const view = { date: Date.UTC(2024, 0, 1), centerX: 0, centerY: 0, imageScale: 2.4, imageLayers: [{ sourceId: 99999 }] };
  const { data } = (await (await share(view)).json()) as { data: string };
  const notes = [{ kind: 'unknown-source', given: '99999', instead: 'AIA 171' }];
  expect(await dataAt(`/?loadState=${data}`)).toMatchObject({ notes });
  expect(await answered(share({ ...view, date: 1e15 }))).toMatchObject([400, { parameter: 'date' }]);
});

it('the explorer page contains a title, tags for messengers, and a first picture of a whole image', async () => {
  const html = await text('/?date=2024-01-01T00:00:00Z');
  expect(html).toMatch(/<title>AIA 171 · 2\d{3}-/);
  expect(html).toMatch(/<meta property="og:image" content="http[^"]+\/v2\/downloadImage\/\?id=\d+&amp;width=1200/);
  expect(html).toMatch(/<img id="first" src="\/v2\/downloadImage\/\?id=\d+/);
  expect(html).toMatch(/type="application\/json\+oembed"/);
});

it.each([
  ['/', ''],
  ['/?lang=de&imageLayers=[10,1,100]', ''],
  ['/?sourceId=10&grid=true', '?imageLayers=[10,1,100]&amp;grid=true'],
  ['/?sourceId=10&date=2024-01-01', '?date=2024-01-01T00:00:00Z&amp;imageLayers=[10,1,100]'],
])('the explorer page names one address for all links to the same view: %s', async (path, query) => {
  const [, canonical] = /<link rel="canonical" href="https?:\/\/[^/"]+\/([^"]*)">/.exec(await text(path)) ?? [];
  expect(canonical).toBe(query);
});

it('the explorer page uses a screenshot as the picture of a link to a part of the Sun', async () => {
  const html = await text('/?date=2024-01-01T00:00:00Z&centerX=100&centerY=50&imageScale=0.6');
  expect(html).toMatch(/og:image" content="[^"]*takeScreenshot[^"]*x0=100&amp;y0=50/);
  expect(html).not.toContain('id="first"');
});

it('the explorer page escapes what an address says', async () => {
  const html = await text(`/?date=${encodeURIComponent('</script><script>alert(1)</script>')}`);
  expect(html).not.toContain('<script>alert');
  expect(dataOf(html).notes).toEqual([{ kind: 'bad-date', given: '</script><script>alert(1)</script>' }]);
});

it.each([
  ['play=2024-01-01T01:00Z/2024-01-01T03:00Z', '2024-01-01T01:00:00Z', []],
  ['date=2024-01-01T02:00:00Z&play=2024-01-01T01:00Z/2024-01-01T03:00Z', '2024-01-01T02:00:00Z', []],
  ['date=2024-01-01T02:00:00Z&play=2024-01-01/2023', '2024-01-01T02:00:00Z', [{ kind: 'bad-play', given: '2024-01-01/2023' }]],
])('the explorer page begins at the start of the range that it plays, or at a date of its own: %s', async (query, at, notes) => {
  expect(dataOf(await text(`/?${query}`))).toMatchObject({ view: { atMs: Date.parse(at) }, notes });
});

it('the explorer page allows frames for the embedded picture only', async () => {
  const policyOf = async (path: string) => (await archive.get(path)).headers.get('Content-Security-Policy');
  expect(await policyOf('/')).toContain("frame-ancestors 'none'");
  expect(await policyOf('/embed?imageLayers=[10,1,100]')).toContain('frame-ancestors *');
});

it('oEmbed describes a picture of the explorer', async () => {
  const { error } = (await (await archive.get('/oembed?url=')).json()) as { error: string };
  const { origin } = new URL(/http\S+?\/(?=,)/.exec(error)![0]);
  const response = await archive.get(`/oembed?url=${encodeURIComponent(`${origin}/?imageLayers=[10,1,100]`)}&maxwidth=320`);
  expect(await response.json()).toMatchObject({
    version: '1.0',
    type: 'rich',
    width: 320,
    height: 480,
    html: expect.stringContaining(`<iframe src="${origin}/embed?imageLayers=[10,1,100]" width="320"`),
    thumbnail_url: expect.stringContaining('/v2/downloadImage/'),
  });
});

it.each(['https://elsewhere.example/', 'nonsense', ''])('oEmbed refuses %s', async (url) => {
  expect(await answered(archive.get(`/oembed?url=${encodeURIComponent(url)}`))).toMatchObject([400, { parameter: 'url' }]);
});

describe('the pages at the edge', () => {
  const ORIGIN = 'https://sun.test';
  const PAGES = { headers: { Accept: 'text/html' } };
  const oembed = (query: string, size = '') => `/oembed?url=${encodeURIComponent(`${ORIGIN}/${query}`)}${size}`;

  function cachedPages() {
    let nowMs = 0;
    const named = pageArchive({ variables: { PUBLIC_ORIGIN: ORIGIN } });
    const { get, fills, cache } = cachedArchive(named, () => nowMs);
    const away = () => {
      const down = () => Promise.reject(new Error('D1_ERROR: Network connection lost.'));
      Object.assign(named.index, { ends: down, neighbours: down, extents: down });
    };
    const wait = (ms: number) => {
      nowMs += ms;
    };
    return { get, fills, cache, away, wait };
  }

  it.each([
    ['/', ['/', '/?sourceId=10', '/?imageLayers=[10,1,100]&utm_source=a', '/?grid=false&layers=%5B10,1,100%5D']],
    ['/?date=2024-01-01T00:00:00Z&sourceId=10', ['/?layers=[10,1,100]&date=2024-01-01', '/?date=2024-01-01T01:00+01:00&_=1']],
    ['/embed', ['/embed?sourceId=10', '/embed?imageLayers=[10,1,100]']],
    [oembed('?play=2024-01-01/2024-01-02'), [oembed('?date=2024-01-01&play=2024-01-01T00:00Z/2024-01-02T00:00Z')]],
    [oembed(''), [oembed('?sourceId=10'), oembed('?layers=[10,1,100]', '&maxwidth=640&format=json')]],
  ])('keep one entry for a view in every spelling of %s, which a withdrawal of its image purges', async (first, others) => {
    const { get, fills, cache } = cachedPages();
    const texts = [];
    for (const path of [first, ...others]) texts.push(await (await get(path, PAGES)).text());
    expect([new Set(texts).size, fills.length, cache.entries.size]).toEqual([1, 1, 1]);
    const { tags } = [...cache.entries.values()][0]!;
    expect(texts[0]!.includes('play=')).toBe(first.includes('play%3D'));
    await cache.purge({ tags: tags.slice(0, 1) });
    expect([tags.length > 0, cache.entries.size]).toEqual([true, 0]);
  });

  it('ask about the newest image after a minute, and repeat a view for a day while the databases are away', async () => {
    const { get, fills, away, wait } = cachedPages();
    const first = await get('/', PAGES);
    expect(first.headers.get('Cache-Control')).toBe('public, max-age=0, must-revalidate');
    wait(61_000);
    expect((await get('/', PAGES)).status).toBe(200);
    away();
    wait(23 * 3_600_000);
    for (const path of ['/', '/?sourceId=10']) {
      const { status, headers } = await get(path, PAGES);
      expect([status, headers.get('Cf-Cache-Status')]).toEqual([200, 'STALE']);
    }
    expect(fills.length).toBeGreaterThan(1);
    wait(2 * 3_600_000);
    expect((await get('/', PAGES)).status).toBe(503);
  });

  it('open without a view while the databases are away, and say so to people alone', async () => {
    const { get, away, cache } = cachedPages();
    away();
    for (const path of ['/', '/embed', '/?date=nonsense', '/?date=2024-01-01&sourceId=10']) {
      const { status, headers, body } = await get(path, PAGES);
      const html = await new Response(body).text();
      const page = [503, 'text/html; charset=utf-8', { isAway: true }];
      expect([status, headers.get('Content-Type'), dataOf(html)], path).toEqual(page);
      expect([headers.get('Cache-Control'), headers.get('Retry-After')]).toEqual(['no-store', '60']);
      expect(headers.get('Content-Security-Policy')).toContain('frame-ancestors');
    }
    expect(await answered(get('/'))).toMatchObject([500, { errno: expect.any(Number) }]);
    expect(cache.entries.size).toBe(0);
  });

  it('leave the cache to views that their addresses say fully, and to services with one name', async () => {
    const { get, cache } = cachedPages();
    for (const path of ['/?date=nonsense', '/?loadState=nonsense', '/?sourceId=99999']) await get(path, PAGES);
    expect(cache.entries.size).toBe(0);
    const unnamed = cachedArchive(pageArchive());
    for (const path of ['/', '/embed', oembed('')])
      expect((await unnamed.get(path)).headers.get('Cache-Control')).toMatch(/^private/);
    expect(unnamed.cache.entries.size).toBe(0);
  });
});

it('files for visiting programs name the sitemap and the pages', async () => {
  expect(await text('/robots.txt')).toMatch(/^User-agent: \*\n[\s\S]*Sitemap: http\S+\/sitemap\.xml\n$/);
  const addresses = [...(await text('/sitemap.xml')).matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, address]) => address!);
  expect(addresses[0]).toMatch(/^http.*\/$/);
  for (const address of addresses) expect(address).toMatch(/^[\w:/.?=%&;,-]+$/);
  expect(new URL(addresses[1]!).searchParams.get('imageLayers')).toBe('[10,1,100]');
});

it('an unknown path gets a page for people and JSON for programs', async () => {
  const forPeople = await archive.get('/nothing<b>', { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
  expect([forPeople.status, forPeople.headers.get('Content-Type')]).toEqual([404, 'text/html; charset=utf-8']);
  const html = await forPeople.text();
  expect(html).toContain('<a href="/">See the Sun</a>');
  expect(html).not.toContain('<b>');
  expect(await answered(archive.get('/nothing'))).toMatchObject([404, { errno: 26 }]);
});
