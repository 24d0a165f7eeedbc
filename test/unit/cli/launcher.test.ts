// src/cli/node.mjs: the packages that it installs before it runs a program.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

/** Records its arguments and makes the folder of the packages. */
const NPM = '#!/bin/sh\necho "$@" >>npm.log\nmkdir -p node_modules\nexit $NPM_STATUS\n';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'launcher-'));
  for (const folder of ['bin', 'src/cli', 'test']) mkdirSync(join(root, folder), { recursive: true });
  cpSync('src/cli/node.mjs', join(root, 'src/cli/node.mjs'));
  writeFileSync(join(root, 'package-lock.json'), '{}');
  writeFileSync(join(root, 'package.json'), '{}');
  writeFileSync(join(root, 'bin/npm'), NPM);
  chmodSync(join(root, 'bin/npm'), 0o755);
  for (const program of ['src/start.ts', 'test/run.ts']) writeFileSync(join(root, program), `console.log('ran ${program}');`);
});

afterEach(() => rmSync(root, { recursive: true }));

function run(program: string, env: NodeJS.ProcessEnv = {}) {
  const { status, stdout } = spawnSync(process.execPath, [join(root, 'src/cli/node.mjs'), program], {
    env: { ...process.env, NPM_STATUS: '0', PATH: `${join(root, 'bin')}:${process.env.PATH}`, ...env },
    encoding: 'utf8',
  });
  const log = join(root, 'npm.log');
  const installs = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
  return { status, stdout, installs: installs.map((line) => line.replace(/ --no-audit.*/, '')) };
}

const pidsIn = (file: string): number[] | null => {
  const pids = existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ').map(Number) : [];
  return pids.length === 2 ? pids : null;
};

/** Whether a process runs, and has not only not been waited for. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

describe('the launcher', () => {
  it('installs the packages of the service once, and those of development when a test needs them', () => {
    expect(run('src/start.ts')).toEqual({ status: 0, stdout: 'ran src/start.ts\n', installs: ['ci --omit=dev'] });
    expect(run('src/start.ts').installs).toHaveLength(1);
    const forTests = run('test/run.ts');
    expect([forTests.stdout, forTests.installs]).toEqual(['ran test/run.ts\n', ['ci --omit=dev', 'install --no-save']]);
    expect([...run('test/run.ts').installs, ...run('src/start.ts').installs]).toHaveLength(4);
  });

  it('installs all packages at once for a test in a fresh clone, and again when the lock file changes', () => {
    expect(run('test/run.ts').installs).toEqual(['ci']);
    writeFileSync(join(root, 'package-lock.json'), '{"name": "changed"}');
    expect(run('test/run.ts').installs).toEqual(['ci', 'ci']);
  });

  it('runs nothing when the installation fails, and repeats it', () => {
    expect(run('src/start.ts', { NPM_STATUS: '3' })).toMatchObject({ status: 3, stdout: '' });
    expect(run('src/start.ts')).toMatchObject({ status: 0, installs: ['ci --omit=dev', 'ci --omit=dev'] });
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'leaves no npm running after %s during an installation, although npm ignores it, and installs everything the next time',
    async (signal) => {
      run('src/start.ts');
      // Like npm, which undoes an installation before it ends, with a program that it has started.
      const stubborn = '#!/bin/sh\ntrap "" INT TERM HUP\nsleep 300 &\necho $$ $! >pids\nwait\nwait\nsleep 300\n';
      writeFileSync(join(root, 'bin/npm'), stubborn);
      const launcher = spawn(process.execPath, [join(root, 'src/cli/node.mjs'), 'test/run.ts'], {
        env: { ...process.env, PATH: `${join(root, 'bin')}:${process.env.PATH}` },
        stdio: 'ignore',
      });
      const pids = await vi.waitUntil(() => pidsIn(join(root, 'pids')), { timeout: 30_000 });
      launcher.kill(signal);
      const [code] = (await once(launcher, 'exit')) as [number];
      expect(code).not.toBe(0);
      await vi.waitUntil(() => !pids.some(isRunning), { timeout: 30_000 });
      writeFileSync(join(root, 'bin/npm'), NPM);
      expect(run('test/run.ts', {}).installs).toEqual(['ci --omit=dev', 'ci']);
    },
  );

  it.each(['SIGKILL', 'SIGSTOP'] as const)('starts the supervisor again after %s, and ends with it', async (signal) => {
    run('src/start.ts');
    const program = `
      import { appendFileSync } from 'node:fs';
      if (process.argv.includes('--again')) process.exit(5);
      process.send('ready', () => appendFileSync('supervisor', String(process.pid)));
      setInterval(() => process.send('alive'), 100);`;
    writeFileSync(join(root, 'src/cli/start.ts'), program);
    const launcher = spawn(process.execPath, [join(root, 'src/cli/node.mjs'), 'src/cli/start.ts'], {
      env: { ...process.env, PATH: `${join(root, 'bin')}:${process.env.PATH}` },
      cwd: root,
      stdio: 'ignore',
    });
    const file = join(root, 'supervisor');
    const pid = await vi.waitUntil(() => existsSync(file) && Number(readFileSync(file, 'utf8')), { timeout: 30_000 });
    process.kill(pid, signal);
    const [code] = (await once(launcher, 'exit')) as [number];
    expect(code).toBe(5);
    expect(isRunning(pid)).toBe(false);
  });
});
