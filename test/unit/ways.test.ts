import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const page = read('docs/architecture.md');
const section = page.slice(page.indexOf('\n## The ways\n'), page.indexOf('\n## Rooms of the code\n'));

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

/** Data with a callback: a question of the mirror, not an adapter. */
const DATA = ['UpstreamQuery'];

const rows = page.slice(page.indexOf('\n## Ports\n'), page.indexOf('\n## Glossary\n')).split('\n');
const listed = rows
  .filter((row) => row.startsWith('| `'))
  .flatMap((row) => {
    const [names = '', files = ''] = row.split('|').slice(1);
    const quoted = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1]!);
    return quoted(names).map((name) => ({ name, files: quoted(files) }));
  });

it('the ports match the interfaces of ports that have methods, and serve at least two implementations or fakes each', () => {
  const declared = globSync(['src/**/ports.ts', 'src/platform/ports/*.ts'], { cwd: root }).flatMap((file) =>
    [...read(file).matchAll(/^export interface (\w+)[^{]*\{\n([\s\S]*?)^\}/gm)]
      .filter(([, , body]) => /^ {2}\w+(<\w+>)?\(/m.test(body!))
      .map(([, name]) => name!),
  );
  expect(listed.map(({ name }) => name).sort()).toEqual(declared.filter((name) => !DATA.includes(name)).sort());
  expect(listed.flatMap(({ files }) => files).filter((file) => !existsSync(join(root, file)))).toEqual([]);
  const single = listed.filter(({ files }) => files.length < 2).map(({ name }) => name);
  expect(single).toEqual([]);
});
