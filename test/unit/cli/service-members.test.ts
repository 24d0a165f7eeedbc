import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { MEMBERS_OF_SERVICE, withoutServiceMembers } from '../../../src/cli/build/service-members.ts';

const parsed = (text: string) => ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true);

/** A module without its comments, and those in its shaders. */
const printed = (source: ts.SourceFile) =>
  ts
    .createPrinter({ removeComments: true })
    .printFile(source)
    .replace(/^ *(?:\/\*\*.*\*\/|\/\/.*)\n/gm, '');

/** Whether a node is a member of the service with a line of its own, as the formatter leaves them in longer records. */
function isOfService(node: ts.Node): boolean {
  if (!ts.isPropertyAssignment(node) || !ts.isIdentifier(node.name) || !MEMBERS_OF_SERVICE.includes(node.name.text)) return false;
  return /\n *$/.test(node.getSourceFile().text.slice(0, node.getStart()));
}

/** The module without the members, by its syntax tree. */
function expected(text: string): string {
  const { transformed } = ts.transform(parsed(text), [
    (context) => (source) => {
      const visit = (node: ts.Node): ts.Node | undefined =>
        isOfService(node) ? undefined : ts.visitEachChild(node, visit, context);
      return ts.visitEachChild(source, visit, context);
    },
  ]);
  return printed(transformed[0] as ts.SourceFile);
}

const files = globSync(['src/picture/{operations,projections}/*.ts', 'src/sun/bodies/spacecraft.ts']);

it.each(files)('modules of the pages: %s loses the members that the service alone reads, and nothing else', (file) => {
  const text = readFileSync(file, 'utf8');
  expect(printed(parsed(withoutServiceMembers(text)))).toBe(expected(text));
});

it('modules of the pages lose each of these members, and read none of them by the names that nothing else has', () => {
  const left = MEMBERS_OF_SERVICE.filter((name) =>
    files.some((file) => new RegExp(`^ *${name}:`, 'm').test(readFileSync(file, 'utf8'))),
  );
  expect(left).toEqual(MEMBERS_OF_SERVICE);
  const names = MEMBERS_OF_SERVICE.filter(
    (name) => !/^(parameters|read|parse|what|example|words|description|distanceAu|url)$/.test(name),
  );
  const reads = new RegExp(`\\.(?:${names.join('|')})\\b|[{,] (?:${names.join('|')})[ ,:]`);
  expect(globSync('src/explorer/**/*.{ts,tsx}').filter((file) => reads.test(readFileSync(file, 'utf8')))).toEqual([]);
});
