// npm run check: runs the checks of types, lint and format, all of them even when one fails.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { buildStaleArtefacts } from '../src/cli/build/artefacts.ts';
import { projectRoot } from '../src/cli/command.ts';

/** Arguments of the type check of a project by the native compiler, which keeps its state in `build`, because a second check then takes a quarter of the time. */
const typesOf = (project: string, name: string) =>
  [
    'node_modules/@typescript/native/bin/tsc',
    '-p',
    project,
    '--incremental',
    '--tsBuildInfoFile',
    `build/${name}.tsbuildinfo`,
  ] as const;

const CHECKS: readonly (readonly [string, ...string[]])[] = [
  typesOf('.', 'service'),
  typesOf('src/explorer', 'web'),
  ['node_modules/@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', ...(process.stdout.isTTY ? [] : ['--colors=off']), '.'],
];

// The pages have the types of the client. What makes them loads the imaging core, which a fresh clone has to build first.
await buildStaleArtefacts((line) => console.log(line));
const { writeTypes } = await import('../clients/typescript/build.ts');
await writeTypes();
for (const [program, ...args] of CHECKS) {
  const child = spawn(process.execPath, [join(projectRoot, program), ...args], {
    cwd: projectRoot,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  if (code !== 0) process.exitCode = 1;
}
if (!process.exitCode) console.log('types, lint and format are good');
