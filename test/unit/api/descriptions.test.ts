import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sampleArchive } from '../../support/sample-archive.ts';
import { testArchive } from '../../support/test-archive.ts';
import { servedApp, testServices } from '../../support/test-services.ts';

const archive = testArchive();

/** Targets of a Link header (RFC 8288) by their relations. */
function linksOf(response: Response): Map<string, string> {
  const links = (response.headers.get('Link') ?? '').split(', ');
  return new Map(
    links.flatMap((link) => [...link.matchAll(/^<([^>]+)>; rel="([^"]+)"/g)].map((match) => [match[2]!, match[1]!])),
  );
}

/** Statuses of addresses of the pages, which this archive does not have. */
const isPage = (path: string) => ['/docs/', '/status'].includes(path);

it.each(['/', '/v2/'])('the Link header names the descriptions of the service from %s, and they exist', async (path) => {
  const links = linksOf(await archive.get(path));
  expect([...links.keys()]).toEqual(['api-catalog', 'service-desc', 'service-doc', 'status', 'describedby']);
  for (const target of links.values()) if (!isPage(target)) expect((await archive.get(target)).status, target).toBe(200);
});

it('the Link header accompanies the explorer too', async () => {
  const page = async () => new Response('<head></head>', { headers: { 'Content-Security-Policy': "default-src 'none'" } });
  const response = await testArchive({ assets: { fetch: page } }).get('/');
  expect(response.headers.get('Content-Type')).toMatch(/^text\/html/);
  expect(linksOf(response).get('service-desc')).toBe('/v2/openapi.json');
});

it('the API catalogue lists links with the profile of RFC 9727, also for HEAD', async () => {
  const path = '/.well-known/api-catalog';
  const response = await archive.get(path);
  expect(response.headers.get('Content-Type')).toBe(
    'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  );
  const { linkset } = (await response.json()) as { linkset: Record<string, { href: string; type: string }[]>[] };
  expect(linkset[0]).toMatchObject({ anchor: 'http://sun.test/v2/' });
  for (const { anchor: _, ...relations } of linkset) {
    for (const { href } of Object.values(relations).flat()) {
      const { pathname } = new URL(href);
      if (!isPage(pathname)) expect((await archive.get(pathname)).status, href).toBe(200);
    }
  }
  const head = await archive.get(path, { method: 'HEAD' });
  expect([head.status, linksOf(head).get('api-catalog')]).toEqual([200, path]);
});

it('llms.txt names addresses of the service in Markdown, with a title and a summary', async () => {
  const { index, objects } = await sampleArchive([{ sourceId: 10, timeMs: Date.UTC(2024, 4, 10, 12), size: 512 }]);
  const app = servedApp(testServices({ index, objects, clock: () => Date.UTC(2024, 5, 1) }));
  const text = await (await app.request('http://sun.test/llms.txt')).text();
  expect(text).toMatch(/^# helioedge\n\n> \S.+\.\n\n/);
  const links = [...text.matchAll(/^- .*?\]\((\S+?)\)(?=[:,])/gm)].map((match) => new URL(match[1]!));
  expect(links.length).toBeGreaterThan(9);
  for (const { origin, pathname, search } of links) {
    expect(origin).toBe('http://sun.test');
    if (isPage(pathname)) continue;
    const { status } = await app.request(`${origin}${pathname}${search}`);
    expect(status, pathname + search).toBe(200);
  }
});

it('the paths of the descriptions and interfaces reach the Worker in a deployment, before the static files', () => {
  const toml = readFileSync(join(import.meta.dirname, '../../../wrangler.toml'), 'utf8');
  const patterns = JSON.parse(/^run_worker_first = (\[.*\])$/m.exec(toml)![1]!) as string[];
  const matches = (pattern: string, path: string) =>
    pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : pattern === path;
  for (const path of [
    '/tiles/10.json',
    '/tiles/10/8/128/127.png',
    '/feeds/10.atom',
    '/llms.txt',
    '/.well-known/api-catalog',
    '/hapi/info',
    '/iiif/3/image-26',
    '/stac/search',
    '/zarr/10/2024-05-10T00:00:00Z/2024-05-11T00:00:00Z/all/zarr.json',
    '/mcp',
  ]) {
    expect(
      patterns.some((pattern) => !pattern.startsWith('!') && matches(pattern, path)),
      path,
    ).toBe(true);
    expect(
      patterns.some((pattern) => pattern.startsWith('!') && matches(pattern.slice(1), path)),
      path,
    ).toBe(false);
  }
});
