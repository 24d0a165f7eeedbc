import { globSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
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

const files = globSync(['src/picture/{operations,projections}/*.ts', 'src/sun/bodies/bodies.ts']);

it.each(files)('modules of the pages: %s loses the members that the service alone reads, and nothing else', (file) => {
  const text = readFileSync(file, 'utf8');
  expect(printed(parsed(withoutServiceMembers(text)))).toBe(expected(text));
});

it('modules of the pages lose each of these members', () => {
  const left = MEMBERS_OF_SERVICE.filter((name) =>
    files.some((file) => new RegExp(`^ *${name}:`, 'm').test(readFileSync(file, 'utf8'))),
  );
  expect(left).toEqual(MEMBERS_OF_SERVICE);
});

const DECLARING = [...files, 'src/picture/parameter.ts'];

/** The members of what these modules declare that a node reads. */
function readBy(node: ts.Node, checker: ts.TypeChecker): string[] {
  const name = ts.isBindingElement(node) ? (node.propertyName ?? node.name) : ts.isPropertyAccessExpression(node) && node.name;
  const rest = node.getChildren().flatMap((child) => readBy(child, checker));
  if (!name || !ts.isIdentifier(name) || !MEMBERS_OF_SERVICE.includes(name.text)) return rest;
  const symbol = ts.isBindingElement(node)
    ? checker.getPropertyOfType(checker.getTypeAtLocation(node.parent), name.text)
    : checker.getSymbolAtLocation(name);
  const declared = symbol?.declarations?.map((one) => relative('.', one.getSourceFile().fileName));
  return declared?.some((file) => DECLARING.includes(file)) ? [name.text, ...rest] : rest;
}

it('pages read none of these members, which a page is found to do', () => {
  const [root, page] = ['src/explorer', 'panels/layers/enhance.tsx'];
  const reading = `import { FILTER } from '../../../picture/operations/filter.ts';
    const { read: given, ...others } = FILTER, { what, example } = others.parameters.filter;`;
  const { config } = ts.readConfigFile(`${root}/tsconfig.json`, ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const host = ts.createCompilerHost(options, true);
  host.readFile = (name) => (ts.sys.readFile(name) ?? '') + (name.endsWith(page) ? reading : '');
  const program = ts.createProgram(fileNames, options, host);
  const ofPages = program.getSourceFiles().filter(({ fileName }) => fileName.includes(`${root}/`));
  const found = ofPages.map((file) => [relative(root, file.fileName), readBy(file, program.getTypeChecker())] as const);
  expect(found.filter(([, names]) => names.length > 0)).toEqual([[page, ['read', 'what', 'example', 'parameters']]]);
});
