import { expect, test } from 'vitest';
import { requestableArchive } from '../../support/good-requests.ts';
import { testArchive } from '../../support/test-archive.ts';

const it = test.extend('archive', () => testArchive());

it('the edge cache has one entry for the nearest image in every notation of time and source, and one for each callback', async ({
  archive: { get, cachedKeys },
}) => {
  const responses = [];
  for (const url of [
    '/v2/getClosestImage/?date=2024-01-01T00:00:10Z&sourceId=10',
    '/v2/getClosestImage/?date=2024/01/01t00:00:10.000z&sourceId=10&switchSources=False',
    '/v1/getClosestImage/?date=2024-01-01T00:00:10.0Z&observatory=SDO&instrument=AIA&detector=AIA&measurement=171',
    '/v2/getClosestImage/?date=2024-01-01T00:00:10Z&sourceId=10&callback=f',
    '/v2/getClosestImage/?date=2024-01-01T00:00:10Z&sourceId=10&callback=g',
  ]) {
    responses.push(await (await get(url)).text());
  }
  expect(cachedKeys().map((key) => /callback=.*/.exec(key)?.[0])).toEqual([undefined, 'callback=f', 'callback=g']);
  const [json] = responses;
  expect(responses).toEqual([json, json, json, `f(${json})`, `g(${json})`]);
});

it('the key of the catalogue normalises the observatories, and omits them without verbose', async ({
  archive: { get, cachedKeys },
}) => {
  for (const query of ['verbose=1&enable=[Hinode,TRACE]', 'enable=trace,HINODE,Trace&verbose=true', '', 'enable=[TRACE]']) {
    expect((await get(`/v2/getDataSources/?${query}`)).status).toBe(200);
  }
  expect(cachedKeys()).toEqual(['/v2/getDataSources?enable=hinode%2Ctrace&verbose=true', '/v2/getDataSources?verbose=false']);
});

it('a drawn picture has an ETag alone, because another version of the renderer draws it otherwise at the same address', async () => {
  const archive = await requestableArchive();
  const paths = [
    '/v2/getTile/?id=26&x=0&y=0&imageScale=2.4',
    '/v2/downloadImage/?id=26&width=64',
    `/v2/downloadScreenshot/?id=${archive.good.downloadScreenshot!.id}`,
  ];
  for (const path of paths) {
    const picture = await archive.get(path);
    expect([picture.status, picture.headers.get('Last-Modified')], path).toEqual([200, null]);
    const later = { headers: { 'If-Modified-Since': 'Fri, 01 Jan 2100 00:00:00 GMT' } };
    for (const source of ['cache', 'service']) {
      expect((await archive.get(path, later)).status, `${path} of the ${source}`).toBe(200);
      archive.cache.entries.clear();
    }
    const same = { headers: { 'If-None-Match': picture.headers.get('ETag')! } };
    expect((await archive.get(path, same)).status, path).toBe(304);
  }
});
