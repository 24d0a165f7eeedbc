// What JHelioviewer requires of its list of servers: an object with a list of entries, of which `name`, `label` and `api` are texts; it
// appends `getDataSources/?…`, `getJP2Image/?…` and `getJPX/?…` to `api`, and selects a source by names that its tree contains.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { requestOf, serversOf } from '../../../src/explorer/model/jhelioviewer.ts';
import { testArchive } from '../../support/test-archive.ts';

const layer = (sourceId: number, isVisible = true) => ({ sourceId, isVisible, opacity: 100, difference: { kind: 'none' } });
const VIEW = { atMs: Date.UTC(2024, 4, 10, 7), layers: [layer(13), layer(4, false)] } as unknown as Parameters<
  typeof requestOf
>[0];

interface Server {
  readonly name: string;
  readonly label: string;
  readonly api: string;
}

const serversIn = (text: string) =>
  (JSON.parse(/^(?:# )?(\{"org\.helioviewer\.jhv\.source.*\})$/m.exec(text)![1]!) as { readonly [key: string]: Server[] })[
    'org.helioviewer.jhv.source.image'
  ]!;

const fromPage = serversOf('https://HOST');

it('sources.json for JHelioviewer states the fields that the reader of JHelioviewer requires, in the documentation and on the page', () => {
  const servers = serversIn(readFileSync('docs/clients.md', 'utf8'));
  expect(serversIn(fromPage)).toEqual(servers);
  expect(servers).toEqual([{ name: 'helioedge', label: 'helioedge', api: 'https://HOST/v2/' }]);
});

it('sources.json for JHelioviewer states an address below which the operations of the reader respond', async () => {
  const { get } = testArchive();
  const base = new URL(serversIn(fromPage)[0]!.api).pathname;
  const responses = await Promise.all(
    ['getDataSources/?verbose=true&enable=[]', 'getJP2Image/?', 'getJPX/?'].map((path) => get(base + path)),
  );
  expect(responses.map(({ status }) => status)).not.toContain(404);
});

it('a request for JHelioviewer names the server, and each visible layer for the day around the view', () => {
  const path = ['SDO', 'AIA', '304'];
  const request = requestOf(VIEW, [
    { sourceId: 13, path },
    { sourceId: 4, path: ['SOHO', 'LASCO', 'C2', 'white-light'] },
  ]);
  const day = { startTime: '2024-05-09T19:00:00', endTime: '2024-05-10T19:00:00' };
  expect(request).toEqual({
    'org.helioviewer.jhv.request.image': [{ server: 'helioedge', observatory: 'SDO', dataset: 'AIA 304', ...day }],
  });
});

it('a request for JHelioviewer names a level once that repeats the one above', () => {
  const view = { ...VIEW, layers: [layer(90)] } as unknown as Parameters<typeof requestOf>[0];
  const request = requestOf(view, [{ sourceId: 90, path: ['GOES-R', 'SUVI', 'SUVI', '171'] }]);
  expect(JSON.stringify(request)).toContain('"dataset":"SUVI 171"');
});
