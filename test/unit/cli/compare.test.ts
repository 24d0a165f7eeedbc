import { afterAll, describe, expect, it } from 'vitest';
import type { Difference, ManifestRange, Totals } from '../../../src/cli/compare/compare-archives.ts';
import { differences, manifestClient } from '../../../src/cli/compare/compare-archives.ts';
import { DAY_MS, HOUR_MS } from '../../../src/platform/util/durations.ts';
import type { ArchivedImage } from '../../../src/sun/image.ts';
import { runCommand, runHere } from '../../support/commands.ts';
import { archivedImage } from '../../support/memory/archived-images.ts';
import { MemoryImageIndex } from '../../support/memory/image-index.ts';
import { type ServedApp, serveApp } from '../../support/serve-app.ts';
import { testArchive } from '../../support/test-archive.ts';

const START = Date.UTC(2024, 0, 1);

/** Six images a day of two sources, for ten days. */
const BASE: readonly ArchivedImage[] = Array.from({ length: 120 }, (_, i) =>
  archivedImage(26 + 16 * i, i % 2 === 0 ? 10 : 11, new Date(START + Math.floor(i / 2) * 4 * HOUR_MS).toISOString()),
);

const SERVED: ServedApp[] = [];

/** A service with these images, and the queries that it has answered. */
async function service(images: readonly ArchivedImage[]) {
  const queries: string[] = [];
  const archive = testArchive({ index: new MemoryImageIndex(images) });
  const served = await serveApp((request) => {
    const url = new URL(request.url);
    queries.push(url.search);
    return archive.get(url.pathname + url.search);
  });
  SERVED.push(served);
  return { ...served, queries };
}

async function compared(
  ours: string,
  theirs: string,
  { range = {}, allFiles = false }: { range?: ManifestRange; allFiles?: boolean } = {},
) {
  const totals: Totals = new Map();
  const found = differences(manifestClient(ours), manifestClient(theirs), { range, allFiles }, totals);
  return { found: await Array.fromAsync(found), totals };
}

const brief = (found: readonly Difference[]) => found.map(({ kind, name }) => `${kind} ${name}`);

afterAll(() => Promise.all(SERVED.map(({ close }) => close())));

it('a comparison of two archives takes one request to each of two equal archives', async () => {
  const [a, b] = [await service(BASE), await service(BASE.toReversed())];
  const { found, totals } = await compared(a.url, b.url);
  expect(found).toEqual([]);
  expect([...totals]).toMatchObject([
    [10, { here: 60, there: 60 }],
    [11, { here: 60, there: 60 }],
  ]);
  expect([a.queries, b.queries].map(({ length }) => length)).toEqual([1, 1]);
});

it('a comparison of two archives goes on after a service has refused a list for a while', async () => {
  const refused = { count: 0 };
  const archive = testArchive({ index: new MemoryImageIndex(BASE) });
  const served = await serveApp((request) => {
    const url = new URL(request.url);
    refused.count++;
    if (refused.count > 1) return archive.get(url.pathname + url.search);
    return Promise.resolve(new Response('{}', { status: 429, headers: { 'Retry-After': '1' } }));
  });
  SERVED.push(served);
  const { found } = await compared(served.url, (await service(BASE)).url);
  expect([found, refused.count]).toEqual([[], 2]);
});

it('a comparison of two archives says what is missing on either side and what differs, and lists the files of the days that differ only', async () => {
  const changed = BASE.map((image) => (image.id === 26 + 16 * 40 ? { ...image, sha256: 'e'.repeat(64) } : image));
  const [a, b] = [await service(BASE.filter(({ id }) => id !== 26 + 16 * 13)), await service(changed.slice(0, -3))];
  const { found } = await compared(a.url, b.url);
  expect(brief(found)).toEqual([
    `differs image_${26 + 16 * 40}.jp2`,
    `missing-there image_${26 + 16 * 118}.jp2`,
    `missing-here image_${26 + 16 * 13}.jp2`,
    `missing-there image_${26 + 16 * 117}.jp2`,
    `missing-there image_${26 + 16 * 119}.jp2`,
  ]);
  expect(found[0]).toMatchObject({ sourceId: 10, here: { size: 1000 }, there: { sha256: 'e'.repeat(64) } });
  // The days, and then a request for each run of days: one and one of source 10, one and one of source 11.
  expect(a.queries).toHaveLength(5);
});

it('a comparison of two archives takes a request for each source when one is empty, and covers the chosen sources and times', async () => {
  const [a, b] = [await service([]), await service(BASE)];
  const { found } = await compared(a.url, b.url);
  expect(found).toHaveLength(BASE.length);
  expect(new Set(found.map(({ kind }) => kind))).toEqual(new Set(['missing-here']));
  // Besides that for the days.
  expect(b.queries).toHaveLength(3);
  const range = { sources: [11], startTime: '2024-01-02T12:00:00Z', endTime: new Date(START + 2 * DAY_MS).toISOString() };
  const chosen = await compared(a.url, b.url, { range });
  expect(chosen.found.map(({ sourceId, date }) => [sourceId, date])).toEqual([
    [11, '2024-01-02T12:00:00.000Z'],
    [11, '2024-01-02T16:00:00.000Z'],
    [11, '2024-01-02T20:00:00.000Z'],
    [11, '2024-01-03T00:00:00.000Z'],
  ]);
});

it('a comparison of two archives finds equal files with other names when all files are compared', async () => {
  const renamed = BASE.map((image) => (image.id === 26 ? { ...image, fileName: 'other.jp2' } : image));
  const [a, b] = [await service(BASE), await service(renamed)];
  expect((await compared(a.url, b.url)).found).toEqual([]);
  expect(brief((await compared(a.url, b.url, { allFiles: true })).found)).toEqual([
    'missing-there image_26.jp2',
    'missing-here other.jp2',
  ]);
});

it('a comparison of two archives fails for a list that breaks off, and for a service that has no manifest', async () => {
  const a = await service(BASE);
  const broken = await serveApp(
    async () => new Response('{"days":[\n{"sourceId":10,"day":"2024-01-01","count":1,"bytes":1,"checksum":"0"}'),
  );
  const other = await serveApp(async () => new Response('nothing', { status: 404 }));
  const page = await serveApp(async () => new Response('<!doctype html>\n<html></html>\n'));
  SERVED.push(broken, other, page);
  await expect(compared(a.url, broken.url)).rejects.toThrow(/broke off before its end/);
  await expect(compared(a.url, other.url)).rejects.toThrow(/answered with status 404/);
  await expect(compared(a.url, page.url)).rejects.toThrow(/sends no list: it is no helioedge/);
});

const services = { here: await service(BASE), there: await service(BASE.slice(2)) };

describe('npm run compare', () => {
  const env = { HELIOEDGE_URL: services.here.url };
  const compare = (...args: string[]) => runHere('src/cli/compare.ts', args, env);

  it('shows a table, or a line of JSON for each difference, and ends with status 2', async () => {
    const shown = await runCommand('src/cli/compare.ts', [services.there.url], env);
    expect(shown.stderr).toBe('');
    expect(shown.stdout).toMatch(/^source +here +there +missing-here +missing-there +differs\n10 AIA 171 +60 +59 +0 +1 +0$/m);
    expect(shown.stdout).toContain('missing-there: 2\n  image_26.jp2\n  image_42.jp2');
    expect(shown.code).toBe(2);
    const lines = (await compare(services.there.url, '--json')).stdout.trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as Difference).name)).toEqual(['image_26.jp2', 'image_42.jp2']);
  });

  it('says that archives are equal, and what is wrong with an address', async () => {
    const equal = await compare(`${services.here.url}/`);
    expect([equal.code, equal.stdout.includes('the archives are equal')]).toEqual([0, true]);
    const none = await compare(services.there.url, '--sources', '13');
    expect([none.code, none.stderr]).toEqual([1, 'Neither archive has images of these sources and times.\n']);
    const wrong = await compare('sun.test');
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      'Expected the address of a service such as https://sun.test for URL, got sun.test.\n',
    ]);
  });
});
