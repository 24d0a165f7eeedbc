import { expect, it } from 'vitest';
import { folderUrl, withoutEndSlash } from '../../../src/platform/util/url.ts';

it.each([
  ['https://sun.test/v2//', 'https://sun.test/v2'],
  ['https://sun.test', 'https://sun.test'],
  ['jpip://sun.test:8090/', 'jpip://sun.test:8090'],
])('withoutEndSlash makes of %s %s', (address, expected) => {
  expect(withoutEndSlash(address)).toBe(expected);
});

it.each(['https://sun.test/jp2', 'https://sun.test/jp2/', 'https://sun.test/jp2//'])(
  'folderUrl resolves names into %s',
  (address) => {
    expect(new URL('AIA/a.jp2', folderUrl(address)).href).toBe('https://sun.test/jp2/AIA/a.jp2');
  },
);
