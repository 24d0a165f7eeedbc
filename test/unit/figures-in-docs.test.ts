// Figures of limits in docs/, which `npm run docs` writes from their constants.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { FIGURE, PAGES, withFigures } from '../figures.ts';

const pages = PAGES.map((path) => [basename(path), readFileSync(path, 'utf8')] as const);

it.each(pages)('docs/%s has the figures of the constants that it names, as npm run docs writes them', (_, page) =>
  expect(withFigures(page)).toBe(page),
);

/** Comments that name no constants: figures of others, and the bounds of what is generated. */
const OTHER_COMMENTS: Readonly<Record<string, readonly string[]>> = {
  'architecture.md': ['<!-- ways -->', '<!-- end of ways -->'],
  'configure.md': ['<!-- settings -->', '<!-- end of settings -->'],
  'limits.md': ['<!-- limits -->', '<!-- end of limits -->'],
  'security.md': [443, 500, 30, 29, 20, 10, 100, 60, 18, 10].map((figure) => `${figure}<!-- fixed -->`),
};

it.each(pages)('each comment of docs/%s follows a figure', (name, page) => {
  const others = page.replaceAll(FIGURE, '').match(/\d*<!--(?:.*?-->)?/g) ?? [];
  expect(others).toEqual(OTHER_COMMENTS[name] ?? []);
});

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
});

it.each(['NOTHING.here', 'DAY_MS / 7'])('a figure that is named %s is refused', (name) =>
  expect(() => withFigures(`1<!-- ${name} -->`)).toThrow(`got ${name}.`),
);
