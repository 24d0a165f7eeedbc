// npm run docs: writes settings and limits into docs/ and wrangler.toml.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MOVIE_LIMITS } from '../config/limits/movies.ts';
import { SCHEMA } from '../config/schema.ts';
import type { Variable } from '../config/variable.ts';
import { projectRoot } from './settings.ts';

const code = (text: unknown): string => `\`${text}\``;

function defaultOf({ type, unset }: Variable): string {
  const { success, data } = type.safeParse(undefined);
  if (!success) return 'required';
  if (unset !== undefined) return unset;
  return Array.isArray(data) && data.length === 0 ? 'none' : code(data);
}

function row(variable: Variable): string {
  const { name, unit = '', description, deployed, isSecret, isChosenByStart } = variable;
  const isSet = deployed !== undefined ? ` ${code(deployed)} in wrangler.toml.` : '';
  const isLocal = isChosenByStart ? ' Chosen by `npm start`.' : '';
  return `| ${code(name)}${isSecret ? ' (secret)' : ''} | ${unit} | ${defaultOf(variable)} | ${description}${isSet}${isLocal} |`;
}

function table(title: string, variables: readonly Variable[]): string {
  const rows = variables.filter(({ isInternal }) => !isInternal).map(row);
  return [`### ${title}`, '', '| name | value | default | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function settingsTables(): string {
  const { worker, launcher, movieWorker } = SCHEMA;
  const tables = [table('Worker', worker), table('npm commands', launcher), table('Movie worker', movieWorker)];
  return `${tables.join('\n\n')}\n`;
}

const varsBlock = (): string =>
  SCHEMA.worker
    .flatMap(({ name, description, deployed }) => (deployed === undefined ? [] : [`# ${description}\n${name} = "${deployed}"\n`]))
    .join('');

/** Places of generated text: a file, the text before and after it, and the text itself. */
export const GENERATED = [
  {
    file: 'docs/configure.md',
    between: /(?<=<!-- settings -->\n\n)[\s\S]*?(?=\n<!-- end of settings -->)/,
    text: settingsTables,
  },
  {
    file: 'docs/api.md',
    between: /(?<=up to `maxFrames` \()\d+ to \d+(?=\))/,
    text: () => `${MOVIE_LIMITS.frames.least} to ${MOVIE_LIMITS.frames.most}`,
  },
  { file: 'wrangler.toml', between: /(?<=^\[vars\]\n)[\s\S]*?(?=\n\[)/m, text: varsBlock },
] as const;

if (import.meta.main)
  for (const { file, between, text } of GENERATED) {
    const path = join(projectRoot, file);
    const before = await readFile(path, 'utf8');
    const after = before.replace(between, text);
    if (after === before) continue;
    await writeFile(path, after);
    console.log(`${file} written`);
  }
