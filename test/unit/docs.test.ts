import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  'wasm/README.md',
  ...globSync('src/*/README.md', { cwd: root }),
];
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
const anchorsOf = (page: string) => [...read(page).matchAll(/^#+ (.+)$/gm)].map((match) => anchorOf(match[1]!));

describe.each(pages)('%s', (page) => {
  it('links to pages and headings that exist, and names files of the repository that exist', () => {
    const targets = [...read(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map((match) => match[1]!);
    const missing = targets.filter((target) => {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : join(dirname(page), path);
      return !existsSync(join(root, file)) || (anchor !== undefined && !anchorsOf(file).includes(anchor));
    });
    expect(missing).toEqual([]);
    const named = [...read(page).matchAll(/`((?:src|test|containers|demo|wasm|migrations|docs)\/[\w./*-]*)`/g)].map(
      (match) => match[1]!,
    );
    expect(named.filter((path) => !path.includes('*') && !existsSync(join(root, path)))).toEqual([]);
  });

  it('names npm scripts that exist', () => {
    const named = [...read(page).matchAll(/\bnpm run ([\w:-]*\w)/g)].map((match) => match[1]!);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

const rooms = readdirSync(join(root, 'src'));

it('the rooms of src describe themselves in a README of at most 40 lines, and each in a row of the architecture', () => {
  expect(rooms.filter((room) => !existsSync(join(root, 'src', room, 'README.md')))).toEqual([]);
  expect(rooms.filter((room) => read(`src/${room}/README.md`).split('\n').length > 41)).toEqual([]);
  expect(rooms.filter((room) => !read('docs/architecture.md').includes(`| \`src/${room}/\` |`))).toEqual([]);
});

const page = read('docs/architecture.md');
const charts = [...page.matchAll(/```mermaid\nflowchart.*\n([\s\S]*?)```/g)].map((match) => match[1]!);

it('the diagrams of docs/architecture.md name tables and prefixes that exist', () => {
  const stores = charts.flatMap((chart) => [...chart.matchAll(/\[\((\S+) in (D1|R2)\)\]/g)]);
  const schema = read('src/movies/movie-tables.ts');
  const keys = read('src/archive/keys.ts');
  expect(stores.length).toBeGreaterThan(1);
  for (const [, name, kind] of stores) expect(kind === 'D1' ? schema : keys, name).toContain(`${name}`);
});

it('docs/operate.md names the queues of wrangler.toml', () => {
  const configured = [...read('wrangler.toml').matchAll(/queue = "(helioedge-(?!staging)[\w-]+)"/g)].map((match) => match[1]!);
  const row = read('docs/operate.md')
    .split('\n')
    .find((line) => line.startsWith('| Queues |'))!;
  expect([...row.matchAll(/`(helioedge-[\w-]+)`/g)].map((match) => match[1]!).sort()).toEqual([...new Set(configured)].sort());
});

it('the decoder core takes at most 52 kB, and the size that the pages name', () => {
  const { size } = statSync(join(root, 'build/core.wasm'));
  expect(size).toBeLessThanOrEqual(52_000);
  const stated = `${Math.round(size / 1000)} kB`;
  expect(read('wasm/README.md')).toContain(`one WebAssembly module with SIMD: ${stated}.`);
  expect(read('README.md')).toContain(`of the decoder, which has ${stated}`);
  expect(read('docs/performance.md')).toContain(`The core has ${stated}, of at most 52.`);
});

/** The most lines of a page that is to be read at once. */
const MOST_LINES = { 'README.md': 250, 'docs/performance.md': 200, 'CHANGELOG.md': 60 };

describe.each(Object.entries(MOST_LINES))('%s', (page, most) => {
  it(`stays within ${most} lines`, () => {
    expect(read(page).trimEnd().split('\n').length).toBeLessThanOrEqual(most);
  });
});
