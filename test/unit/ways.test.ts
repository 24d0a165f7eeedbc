import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const page = read('docs/architecture.md');
const section = page.slice(page.indexOf('\n## The ways\n'), page.indexOf('\n## Layers of the code\n'));

/** Most files of each way: today's numbers. The goals are 25, 45 and 22. */
const MOST_FILES = { 'A tile': 39, 'A movie': 110, 'An event pin on a screenshot': 29 };
/** Files that a runtime starts, or a thread. */
const ENTRIES = ['src/index.ts', 'containers/movie/main.ts', 'containers/movie/draw/thread.ts'];

/** `a/{b,c}.ts` as `a/b.ts` and `a/c.ts`. */
function expanded(path: string): string[] {
  const [, before = path, names, after = ''] = /^(.*)\{(.*)\}(.*)$/.exec(path) ?? [];
  return names === undefined ? [path] : names.split(',').map((name) => before + name + after);
}

function filesOf(way: string): string[] {
  const list = section.split('\n### ').find((part) => part.startsWith(`${way}: `)) ?? '';
  return [...list.matchAll(/`([^`]+\.ts)`/g)].flatMap((match) => expanded(match[1]!));
}

const importsOf = (file: string) =>
  [...read(file).matchAll(/['"](\.[^'"]+\.ts)['"]/g)].map((match) => join(dirname(file), match[1]!));
/** Lists without code of the request: the files that join services and adapters, and the lists of operations, databases and feeds. */
const lists = [
  ...globSync('src/composition/*.ts', { cwd: root }),
  'src/routes/operations.ts',
  'src/storage/databases.ts',
  'src/upstreams/events/feeds.ts',
];

describe.each(Object.entries(MOST_FILES))('%s', (way, most) => {
  const files = filesOf(way);

  it(`crosses the files that the architecture lists, at most ${most}`, () => {
    expect(section).toContain(`### ${way}: ${files.length} files\n`);
    expect(files.length).toBeGreaterThan(10);
    expect(files.length).toBeLessThanOrEqual(most);
    expect(new Set(files).size).toBe(files.length);
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  it('reaches each of its files by an import of another one, or of a list', () => {
    const imported = new Set([...files, ...lists].flatMap(importsOf));
    const unreachable = files.filter((file) => !ENTRIES.includes(file) && !imported.has(file));
    expect(unreachable).toEqual([]);
  });
});

it('each way is told in a function of the file that the architecture names', () => {
  const rows = [...section.matchAll(/^\| (an? .+) \| (.+) in `(.+)` \|$/gm)];
  expect(rows.map(([, way]) => way)).toEqual(['a tile', 'a movie', 'a screenshot', 'a JPIP response']);
  for (const [, , names, file] of rows) {
    const functions = [...names!.matchAll(/`(?:\w+\.)?([#\w]+)`/g)].map(([, name]) => name!);
    const told = functions.filter((name) => new RegExp(`async (function )?${name}\\(`).test(read(file!)));
    expect(told).toEqual(functions);
    expect(functions.length).toBeGreaterThan(0);
  }
});

/** Ports with one implementation, because routes must not import the class. */
const SINGLE = ['AuditLog', 'RhessiFlares', 'ShardMoves'];
/** Data with a callback: a question of the mirror, not an adapter. */
const DATA = ['UpstreamQuery'];

describe('the ports', () => {
  const rows = page.slice(page.indexOf('\n## Ports\n'), page.indexOf('\n## Glossary\n')).split('\n');
  const listed = rows
    .filter((row) => row.startsWith('| `'))
    .flatMap((row) => {
      const [names = '', files = ''] = row.split('|').slice(1);
      const quoted = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1]!);
      return quoted(names).map((name) => ({ name, files: quoted(files) }));
    });

  it('match the interfaces of src/ports that have methods', () => {
    const declared = globSync('src/ports/*.ts', { cwd: root }).flatMap((file) =>
      [...read(file).matchAll(/^export interface (\w+)[^{]*\{\n([\s\S]*?)^\}/gm)]
        .filter(([, , body]) => /^ {2}\w+(<\w+>)?\(/m.test(body!))
        .map(([, name]) => name!),
    );
    expect(listed.map(({ name }) => name).sort()).toEqual(declared.filter((name) => !DATA.includes(name)).sort());
  });

  it('serve at least two implementations or fakes each, but for ports that say why', () => {
    expect(listed.flatMap(({ files }) => files).filter((file) => !existsSync(join(root, file)))).toEqual([]);
    const single = listed.filter(({ files }) => files.length < 2).map(({ name }) => name);
    expect(single.sort()).toEqual(SINGLE);
  });
});
