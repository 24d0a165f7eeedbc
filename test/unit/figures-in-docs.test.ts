// Figures of limits in docs/, which `npm run docs` writes from their constants.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { PAGES, withFigures } from '../figures.ts';

const pages = PAGES.map((path) => [basename(path), readFileSync(path, 'utf8')] as const);

it.each(pages)('docs/%s has the figures of the constants that it names, as npm run docs writes them', (_, page) =>
  expect(withFigures(page)).toBe(page),
);

const STATUSES = ['404', '409', '429', '503'];

it('each figure in a row of docs/security.md names its constant', () => {
  const rows = pages
    .find(([name]) => name === 'security.md')![1]
    .split('\n')
    .filter((line) => line.startsWith('| '));
  const unnamed = rows.flatMap((row) =>
    [...row.replace(/`[^`]*`|\]\([^)]*\)|[\d,]+<!-- .*? -->/g, '').matchAll(/(?<![\w-])\d+(?:,\d{3})*(?!\w)/g)]
      .filter(([figure]) => !STATUSES.includes(figure))
      .map(([figure]) => `${figure}: ${row.slice(0, 60)}`),
  );
  expect(unnamed).toEqual([]);
  expect(() => withFigures('1<!-- NOTHING.here -->')).toThrow('got NOTHING.here.');
});
