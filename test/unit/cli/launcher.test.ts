// src/cli/node.sh: the packages that it installs before it becomes a program.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { isRunning } from '../../support/commands.ts';
import { testFolder } from '../../support/system/test-folder.ts';

/** Records its arguments and makes the folder of the packages. */
const NPM = '#!/bin/sh\necho "$@" >>npm.log\nmkdir -p node_modules\nexit $NPM_STATUS\n';

const root = testFolder('each test');

beforeEach(() => {
  for (const folder of ['bin', 'src/cli', 'test']) mkdirSync(join(root, folder), { recursive: true });
  for (const file of ['node.sh', 'install.mjs']) cpSync(`src/cli/${file}`, join(root, 'src/cli', file));
  writeFileSync(join(root, 'package-lock.json'), '{}');
  writeFileSync(join(root, 'package.json'), '{}');
  writeFileSync(join(root, 'bin/npm'), NPM);
  chmodSync(join(root, 'bin/npm'), 0o755);
  for (const program of ['src/start.ts', 'test/run.ts']) writeFileSync(join(root, program), `console.log('ran ${program}');`);
});

function run(program: string, env: NodeJS.ProcessEnv = {}) {
  // As npm runs it, by a path from the root.
  const { status, stdout } = spawnSync('sh', ['src/cli/node.sh', program], {
    cwd: root,
    env: { ...process.env, NPM_STATUS: '0', PATH: `${join(root, 'bin')}:${process.env.PATH}`, ...env },
    encoding: 'utf8',
    timeout: 60_000,
  });
  const log = join(root, 'npm.log');
  const installs = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
  return { status, stdout, installs: installs.map((line) => line.replace(/ --no-audit.*/, '')) };
}

const pidsIn = (file: string): number[] | null => {
  const pids = existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ').map(Number) : [];
  return pids.length === 2 ? pids : null;
};

describe('the launcher', () => {
  it('installs the packages of the service once, and those of development when a test needs them', () => {
    expect(run('src/start.ts')).toEqual({ status: 0, stdout: 'ran src/start.ts\n', installs: ['ci --omit=dev'] });
    expect(run('src/start.ts').installs).toHaveLength(1);
    const forTests = run('test/run.ts');
    expect([forTests.stdout, forTests.installs]).toEqual([
      'ran test/run.ts\n',
      ['ci --omit=dev', 'install --no-save --include=dev'],
    ]);
    expect([...run('test/run.ts').installs, ...run('src/start.ts').installs]).toHaveLength(4);
  });

  it('installs all packages at once for a test in a fresh clone, and again when the lock file changes', () => {
    // Which npm would leave out where NODE_ENV is production, or by its own configuration.
    expect(run('test/run.ts').installs).toEqual(['ci --include=dev']);
    writeFileSync(join(root, 'package-lock.json'), '{"name": "changed"}');
    expect(run('test/run.ts').installs).toEqual(['ci --include=dev', 'ci --include=dev']);
  });

  it('leaves the packages that npm ci has installed by hand', () => {
    const packages = {
      '': {},
      'node_modules/tested': { version: '1.0.0', dev: true },
      'node_modules/other': { version: '1.0.0', optional: true },
    };
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }));
    mkdirSync(join(root, 'node_modules'));
    const record = (version: string) =>
      writeFileSync(
        join(root, 'node_modules/.package-lock.json'),
        JSON.stringify({ packages: { 'node_modules/tested': { version } } }),
      );
    record('1.0.0');
    expect(run('src/start.ts')).toEqual({ status: 0, stdout: 'ran src/start.ts\n', installs: [] });
    record('0.9.0');
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages, name: 'changed' }));
    expect(run('test/run.ts').installs).toEqual(['ci --include=dev']);
  });

  it('finds its folder also where the shell has a CDPATH', () => {
    expect(run('src/start.ts', { CDPATH: '.' })).toMatchObject({ status: 0, stdout: 'ran src/start.ts\n' });
  });

  it('runs nothing when the installation fails, and repeats it', () => {
    expect(run('src/start.ts', { NPM_STATUS: '3' })).toMatchObject({ status: 3, stdout: '' });
    expect(run('src/start.ts')).toMatchObject({ status: 0, installs: ['ci --omit=dev', 'ci --omit=dev'] });
  });

  it('becomes the program, which gets its arguments and signals', async () => {
    run('src/start.ts');
    writeFileSync(join(root, 'src/start.ts'), 'console.log(process.pid, process.argv[2]); setInterval(() => {}, 1000);');
    const launcher = spawn('sh', [join(root, 'src/cli/node.sh'), 'src/start.ts', 'two words']);
    const [line] = (await once(launcher.stdout, 'data')) as [Buffer];
    expect(line.toString()).toBe(`${launcher.pid} two words\n`);
    launcher.kill('SIGTERM');
    expect(await once(launcher, 'exit')).toEqual([null, 'SIGTERM']);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)('leaves no npm running after %s, and installs all later', async (signal) => {
    run('src/start.ts');
    // Like npm, which undoes an installation before it ends, with a program that it has started.
    const stubborn = '#!/bin/sh\ntrap "" INT TERM HUP\nsleep 300 &\necho $$ $! >pids\nwait\nwait\nsleep 300\n';
    writeFileSync(join(root, 'bin/npm'), stubborn);
    const launcher = spawn('sh', [join(root, 'src/cli/node.sh'), 'test/run.ts'], {
      env: { ...process.env, PATH: `${join(root, 'bin')}:${process.env.PATH}` },
      stdio: 'ignore',
      detached: true,
    });
    const pids = await vi.waitUntil(() => pidsIn(join(root, 'pids')), { timeout: 30_000 });
    // Ctrl-C reaches the whole group.
    process.kill(signal === 'SIGINT' ? -launcher.pid! : launcher.pid!, signal);
    expect(await once(launcher, 'exit')).not.toEqual([0, null]);
    await vi.waitUntil(() => !pids.some(isRunning), { timeout: 30_000 });
    writeFileSync(join(root, 'bin/npm'), NPM);
    expect(run('test/run.ts', {}).installs).toEqual(['ci --omit=dev', 'ci --include=dev']);
  });
});
