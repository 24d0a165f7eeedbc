import { expect, it } from 'vitest';
import { readIndexPage } from '../../../src/operator/mirror/upstream/tree-upstream.ts';
import { parseChoice, thinned } from '../../../src/sun/catalogue/chosen-sources.ts';

const FOLDER = new URL('https://sun.test/data/jp2/AIA/');
const read = (html: string) => readIndexPage(html, FOLDER);

it('an index page gives the links directly below its folder, in the forms of different servers', () => {
  const html = `<html><body><A HREF='2010/'>2010</A> <a class="x" href = 2011/ title="a > b">2011</a>
      <a href="v2-0a1b2c3d/e.jp2">e.jp2</a><a href="v2-0a1b2c3d/">2</a>
      <a href="/data/jp2/AIA/2012/">2012</a><a href="https://sun.test/data/jp2/AIA/a.jp2">a</a>
      <a href="b%20c&amp;d.jp2">b</a><a href="&#100;.jp2">d</a><a name="none">no link</a></body></html>`;
  expect(read(html)).toEqual({
    folders: ['2010', '2011', '2012', 'v2-0a1b2c3d'],
    files: ['a.jp2', 'b c&d.jp2', 'd.jp2', 'v2-0a1b2c3d/e.jp2'],
  });
});

it('an index page gives nothing outside the folder, nothing deeper, no other order and nothing of comments', () => {
  const html = `<a href="../">up</a><a href="/data/jp2/">up</a><a href="//elsewhere.test/data/jp2/AIA/x.jp2">x</a>
      <a href="http://sun.test/data/jp2/AIA/plain.jp2">x</a><a href="2010/05/">deep</a><a href="171/x.jp2">deep</a><a href="?C=N;O=D">N</a><a href="x.jp2?y">x</a>
      <a href="javascript:alert(1)">x</a><a href="%2e%2e/">up</a><a href="a%2fb.jp2">x</a><a href="%zz.jp2">x</a>
      <!-- <a href="hidden.jp2">x</a> -->`;
  expect(read(html)).toEqual({ folders: [], files: [] });
});

it('an index page differs from one of a login and one that is cut off, and takes time in proportion to its length', () => {
  expect(read('<h1>Please sign in</h1><a href="/login">here</a>')).toBeNull();
  expect(read('<html><body><a href="../">up</a><a href="a.jp2">a</a><a hre')).toBeNull();
  expect(read('')).toBeNull();
  const began = performance.now();
  for (const text of ['<a '.repeat(100_000), '<b>'.repeat(1_000_000), `<a ${'x="'.repeat(100_000)}`, '<!--'.repeat(100_000)])
    read(text);
  expect(performance.now() - began).toBeLessThan(2_000);
});

it('the choice of a source names an id, a cadence where it has one, and keeps the first image of each interval', () => {
  expect(parseChoice('10')).toEqual({ sourceId: 10, cadenceMs: null });
  expect(parseChoice(' 10:300')).toEqual({ sourceId: 10, cadenceMs: 300_000 });
  expect(['10:0', '10:', 'ten', '9999', '10001', '-1'].map(parseChoice)).toEqual([null, null, null, null, null, null]);
  const items = [0, 5, 9, 10, 31].map((atMs) => ({ atMs }));
  expect(thinned(items, 10).map(({ atMs }) => atMs)).toEqual([0, 10, 31]);
  expect(thinned(items, null)).toEqual(items);
});
