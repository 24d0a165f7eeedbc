import { describe, expect, test, vi } from 'vitest';
import { EVICTED_UNUSED_MS } from '../../../src/platform/limits/admission.ts';
import { DAY_MS, HOUR_MS } from '../../../src/platform/util/durations.ts';
import { D1Links } from '../../../src/sharing/d1-links.ts';
import { linkKeys } from '../../../src/sharing/short-links.ts';
import { memoryShortLinks } from '../../support/memory/links.ts';
import { databasesIn, fillUp, migrated } from '../../support/memory/sqlite-d1.ts';
import { answered, testArchive } from '../../support/test-archive.ts';
import { testServices } from '../../support/test-services.ts';

const it = test
  .extend('databases', () => databasesIn(migrated()))
  .extend('links', ({ databases }) => new D1Links(databases))
  .extend('service', () => service());

const OWN = 'http://sun.test';
const PAGE = `${OWN}/?date=2024-05-10T12:00:00Z&imageLayers=[SDO,AIA,171,1,100]`;

interface Shortened {
  status_code: number;
  status_txt: string;
  data: { long_url: string; url: string; hash: string; global_hash: string; new_hash: number };
}

function service(origins: readonly string[] = []) {
  const memory = memoryShortLinks({ origins });
  const { get } = testArchive({ links: memory.links });
  const shorten = async (queryString: string) =>
    (await (await get(`/v2/shortenURL/?${new URLSearchParams({ queryString })}`)).json()) as Shortened;
  return { ...memory, get, shorten };
}

it('shortenURL returns a short link to a page in the original response format, marked as new only once', async () => {
  const { get, shorten } = service();
  const { status_code, status_txt, data } = await shorten(PAGE);
  expect([status_code, status_txt]).toEqual([200, 'OK']);
  expect(Object.keys(data).sort()).toEqual(['global_hash', 'hash', 'long_url', 'new_hash', 'url']);
  expect(data).toMatchObject({ long_url: PAGE, new_hash: 1, global_hash: data.hash });
  expect(data.hash).toMatch(/^[0-9a-f]{16}$/);
  expect(data.url).toBe(`${OWN}/v2/goto/?id=${data.hash}`);
  const followed = await get(data.url.slice(OWN.length));
  expect([followed.status, followed.headers.get('Location')]).toEqual([302, new URL(PAGE).href]);
  expect((await shorten(PAGE)).data).toEqual({ ...data, new_hash: 0 });
});

it.each(['?date=2024-05-10T12:00:00Z&imageScale=2.4', 'date=2024-05-10T12:00:00Z&imageScale=2.4'])(
  'shortenURL resolves the query string %s against the own origin',
  async (query) => {
    const { shorten } = service();
    const { data } = await shorten(query);
    expect(data.long_url).toBe(`${OWN}/?date=2024-05-10T12:00:00Z&imageScale=2.4`);
    expect(data.hash).not.toBe('');
  },
);

it('shortenURL accepts an address that was encoded twice, and preserves percent-encoding inside it', async () => {
  const { addresses, shorten } = service();
  const address = `${OWN}/?title=a%26b%2523`;
  for (const text of [address, encodeURIComponent(address)]) expect((await shorten(text)).data.long_url).toBe(address);
  expect([...(await addresses()).values()]).toEqual([address]);
});

it.each([
  'https://elsewhere.example/?date=1',
  'http://sun.test.evil.example/',
  'http://sun.test@evil.example/',
  'http://sun.test:8080/',
  'https://sun.test/',
  'http://user:secret@sun.test/',
  'http://evil.example/#http://sun.test/',
  'http:\\\\evil.example/',
])('shortenURL returns %s unchanged and stores nothing', async (address) => {
  const { addresses, shorten } = service();
  const { status_code, data } = await shorten(address);
  expect(status_code).toBe(200);
  expect(data).toEqual({ long_url: address, url: address, hash: '', global_hash: '', new_hash: 0 });
  expect((await addresses()).size).toBe(0);
});

it.each([
  'javascript:alert(1)',
  ' java\tscript:alert(1)',
  'data:text/html,x',
  'ftp://sun.test/',
  'file:///etc/passwd',
  '//evil.example/',
])('shortenURL refuses %s', async (address) => {
  const { get } = service();
  const response = await get(`/v2/shortenURL/?${new URLSearchParams({ queryString: address })}`);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ parameter: 'queryString', errno: 25 });
});

it('shortenURL accepts addresses of up to 8000 characters', async ({ service: { get, shorten } }) => {
  const long = `${OWN}/?a=${'b'.repeat(8000 - OWN.length - 4)}`;
  expect((await shorten(long)).data.hash).not.toBe('');
  expect(await answered(get(`/v2/shortenURL/?${new URLSearchParams({ queryString: `${long}c` })}`))).toMatchObject([
    400,
    { error: 'Expected at most 8000 characters for queryString, got 8001 characters.' },
  ]);
});

it('shortenURL shortens addresses of configured origins', async () => {
  const { get, shorten } = service(['https://viewer.example']);
  const { data } = await shorten('https://viewer.example/?date=1#top');
  const followed = await get(data.url.slice(OWN.length));
  expect(followed.headers.get('Location')).toBe('https://viewer.example/?date=1#top');
});

it('shortenURL uses the next key when another address has the first', async ({ service: { addresses, shorten, store } }) => {
  const [first, second] = await linkKeys(new URL(PAGE).href);
  await store(first!, `${OWN}/?other`);
  const { data } = await shorten(PAGE);
  expect(data).toMatchObject({ hash: second, new_hash: 1 });
  expect((await addresses()).get(first!)).toBe(`${OWN}/?other`);
});

it('goto returns 404 for an unknown link', async ({ service: { get } }) => {
  const response = await get('/v2/goto/?id=0123456789abcdef');
  expect([response.status, response.headers.get('Location')]).toEqual([404, null]);
  expect(await response.json()).toMatchObject({ parameter: 'id', error: 'No short link has the id 0123456789abcdef.' });
});

it.each(['https://evil.example/', `${OWN}.evil.example/`, 'javascript:alert(1)', 'nothing', 'http://user@sun.test/'])(
  'goto does not redirect to %s, even when it is stored',
  async (address) => {
    const { get, store } = service();
    await store('0123456789abcdef', address);
    const response = await get('/v2/goto/?id=0123456789abcdef');
    expect([response.status, response.headers.get('Location')]).toEqual([404, null]);
  },
);

describe('a client that shortens many addresses', () => {
  const long = (i: number) => `${OWN}/?i=${i}&${'x'.repeat(7_900)}`;
  const [client, other] = ['192.0.2.1', '192.0.2.2'];

  it('gets addresses back unchanged when its budget is used up, and others do not', async () => {
    let nowMs = 0;
    const { shortenAs, addresses } = memoryShortLinks({ clock: () => nowMs });
    const shortened = await Promise.all(Array.from({ length: 20 }, (_, i) => shortenAs(long(i), OWN, client)));
    expect((await addresses()).size).toBe(6);
    // In no certain order, because they are hashed at the same time.
    const [stored, unstored] = [true, false].map((isStored) => shortened.filter(({ hash }) => (hash !== '') === isStored));
    expect([stored!.length, unstored!.length]).toEqual([6, 14]);
    for (const { long_url, url, global_hash, new_hash } of unstored!)
      expect([url, global_hash, new_hash]).toEqual([long_url, '', 0]);
    expect((await shortenAs(stored![0]!.long_url, OWN, client)).hash).toBe(stored![0]!.hash);
    expect((await shortenAs(long(99), OWN, other)).new_hash).toBe(1);
    nowMs += HOUR_MS;
    expect((await shortenAs(unstored![0]!.long_url, OWN, client)).new_hash).toBe(1);
  });

  it('replaces links that have been unused for long, and no others, when the budget of all clients is used up', async () => {
    let nowMs = 0;
    const limits = { links: { clientHour: 1e6, clientDay: 1e6, allDay: 25_000, subject: 'new short links' } };
    const { shortenAs, addresses } = memoryShortLinks({ clock: () => nowMs, limits });
    const stored = async (i: number) => (await shortenAs(long(i), OWN, client)).hash !== '';
    const held = async () => [...(await addresses()).values()].map((address) => Number(/i=(\d+)/.exec(address)![1])).sort();
    expect([await stored(1), await stored(2), await stored(3), await stored(4)]).toEqual([true, true, true, false]);
    nowMs += EVICTED_UNUSED_MS / 2;
    expect(await stored(1)).toBe(true);
    nowMs += EVICTED_UNUSED_MS / 2 + DAY_MS;
    for (const i of [5, 6, 7]) expect(await stored(i)).toBe(true);
    expect(await held()).toEqual([1, 2, 3, 5, 6, 7]);
    expect(await stored(8)).toBe(true);
    expect(await held()).toEqual([1, 5, 6, 7, 8]);
    expect([await stored(9), await stored(10)]).toEqual([true, false]);
    expect(await held()).toEqual([1, 5, 6, 7, 8, 9]);
  });

  it('gets ninety links of typical length in an hour', async () => {
    const { shortenAs, addresses } = memoryShortLinks();
    const page = (i: number) => `${PAGE}&sourceId=10&imageScale=2.4&${'x'.repeat(100)}${i}`;
    for (let i = 0; i < 90; i += 1) await shortenAs(page(i), OWN, client);
    expect((await addresses()).size).toBe(90);
  });
});

it('short links in D1 mark a link as new once for concurrent requests', async ({ links }) => {
  const all = await Promise.all(Array.from({ length: 8 }, () => links.add('aa', 'http://a.test/', 5)));
  expect(all.filter((added) => added.isNew)).toHaveLength(1);
});

it('short links in D1 expire two years after their last use', async ({ databases, links }) => {
  for (const key of ['used', 'forgotten']) await links.add(key, `http://${key}.test/`, DAY_MS);
  const sweep = (nowMs: number) => testServices({ databases, clock: () => nowMs }).sweepLinks();
  await links.use('used', 100 * DAY_MS);
  expect(await sweep(731 * DAY_MS)).toBe(0);
  expect(await sweep(732 * DAY_MS)).toBe(1);
  expect([(await links.find('used'))?.address, await links.find('forgotten')]).toEqual(['http://used.test/', null]);
});

it('short links note the use of a link once a week, and lead to their address where it cannot be noted', async () => {
  let nowMs = DAY_MS;
  const { database, links, store, logged } = memoryShortLinks({ clock: () => nowMs });
  await store('aa', PAGE);
  const usedAtMs = () => database.prepare('SELECT used_at_ms FROM short_links').first('used_at_ms');
  const used: unknown[] = [];
  for (const day of [7, 40, 41]) {
    nowMs = day * DAY_MS;
    used.push(await links.target('aa', OWN), await usedAtMs());
  }
  const target = new URL(PAGE).href;
  expect(used).toEqual([target, 0, target, 40 * DAY_MS, target, 40 * DAY_MS]);
  vi.spyOn(D1Links.prototype, 'find').mockResolvedValueOnce({ address: PAGE, usedAtMs: 0 });
  await expect(links.target('deleted-meanwhile', OWN)).rejects.toMatchObject({ kind: 'unknown-id' });
  fillUp(database);
  nowMs = 60 * DAY_MS;
  expect([await links.target('aa', OWN), await usedAtMs()]).toEqual([target, 40 * DAY_MS]);
  expect(logged).toEqual([{ link: 'aa', unnoted: expect.stringContaining('Exceeded maximum DB size') }]);
});
