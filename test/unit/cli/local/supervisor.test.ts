// The supervisor of the local service, with a small HTTP server in place of the service.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../../../src/cli/local/local-service.ts';
import { listenerAt, processesInGroup } from '../../../../src/cli/local/processes.ts';
import { type Pace, Supervisor } from '../../../../src/cli/local/supervisor.ts';

const PATIENCE = { idleMs: 60_000, spinMs: 60_000, mostMs: 60_000 };
const PACE: Pace = { checkMs: 50, patience: PATIENCE, pauseMs: 10, longestPauseMs: 50, stopMs: 300 };

/** Gives signs of life, until a request of /hang or /spin. Its child process stands for a runtime that outlives it. */
const SERVICE = `
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
const runtime = spawn('sleep', ['60'], { stdio: 'ignore' });
const tell = (message) => process.send(message);
const signs = setInterval(() => tell({ is: 'alive' }), 20);
const server = createServer((request, response) => {
  if (request.url === '/hang') clearInterval(signs);
  if (request.url === '/spin') for (;;);
  response.end(JSON.stringify({ pid: process.pid, runtime: runtime.pid }));
});
server.listen(Number(process.argv[2]), '127.0.0.1', () => tell({ is: 'ready', url: 'http://127.0.0.1:' + process.argv[2] }));
const stop = () => { runtime.kill(); process.exit(0); };
process.on('SIGTERM', stop).on('disconnect', stop);
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'supervisor-test-'));
  await writeFile(join(folder, 'service.mjs'), SERVICE);
  await writeFile(join(folder, 'deaf.mjs'), SERVICE.replace("process.on('SIGTERM', stop)", "process.on('SIGTERM', () => {})"));
  await writeFile(join(folder, 'failing.mjs'), 'process.exit(3);');
  await writeFile(join(folder, 'beginning.mjs'), "process.send({ is: 'begun' }, () => process.exit(4));");
  // Its first run is killed, its second fails, its third succeeds.
  const unsteady = `
    import { existsSync, writeFileSync } from 'node:fs';
    const [first, second] = ['first', 'second'].map((name) => new URL(name + process.argv[2], import.meta.url));
    if (!existsSync(first)) {
      writeFileSync(first, '');
      process.kill(process.pid, 'SIGKILL');
    } else if (!existsSync(second)) {
      writeFileSync(second, '');
      process.send({ is: 'begun' }, () => process.exit(1));
    } else await import('./service.mjs');`;
  await writeFile(join(folder, 'unsteady.mjs'), unsteady);
  // Its first run stops itself.
  const stopped = `
    import { existsSync, writeFileSync } from 'node:fs';
    const first = new URL('stopped', import.meta.url);
    if (!existsSync(first)) {
      writeFileSync(first, String(process.pid));
      process.kill(process.pid, 'SIGSTOP');
    }
    await import('./service.mjs');`;
  await writeFile(join(folder, 'stopped.mjs'), stopped);
});
afterAll(() => rm(folder, { recursive: true }));

/** Whether a process runs; one that has ended may wait for its parent as a zombie. */
function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

describe('the supervisor', () => {
  let supervisor: Supervisor;
  let ended: Promise<number>;
  let url: string;
  const starts: boolean[] = [];
  const lines: string[] = [];

  async function supervise(program: string, changes: Partial<Pace> = {}) {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    starts.length = 0;
    lines.length = 0;
    supervisor = new Supervisor({
      command: process.execPath,
      args: [join(folder, program), String(port)],
      onReady: (_, isRestart) => starts.push(isRestart),
      say: (line) => lines.push(line),
      pace: { ...PACE, ...changes },
    });
    ended = supervisor.run();
  }

  afterEach(async () => {
    supervisor.stop();
    await ended;
  });

  const service = async () => (await (await fetch(url)).json()) as { pid: number; runtime: number };
  const hasStarted = (times: number) => vi.waitFor(() => expect(starts).toHaveLength(times), { timeout: 20_000, interval: 20 });

  it('starts a killed service again, and kills the processes that it leaves', async () => {
    await supervise('service.mjs');
    await hasStarted(1);
    const first = await service();
    process.kill(first.pid, 'SIGKILL');
    await hasStarted(2);
    expect(starts).toEqual([false, true]);
    expect(lines).toEqual(['the service has ended, it is started again']);
    await vi.waitFor(() => expect(isRunning(first.runtime)).toBe(false), 5_000);
    expect((await service()).pid).not.toBe(first.pid);
  });

  it('runs the service and its processes in a process group of their own, which Ctrl-C does not reach', async () => {
    await supervise('service.mjs');
    await hasStarted(1);
    const { pid, runtime } = await service();
    expect(processesInGroup(pid).map((facts) => facts.pid)).toEqual([pid, runtime].sort((a, b) => a - b));
  });

  it.each([
    ['gives no sign of life', '/hang', { idleMs: 1_000 }],
    ['computes for ever', '/spin', { spinMs: 1_000 }],
  ])('starts a service again that %s', async (_, path, patience) => {
    await supervise('service.mjs', { patience: { ...PATIENCE, ...patience } });
    await hasStarted(1);
    const first = await service();
    await fetch(url + path, { signal: AbortSignal.timeout(100) }).catch(() => undefined);
    await hasStarted(2);
    expect(lines[0]).toMatch(/^the service has not responded for \d+ s$/);
    expect(isRunning(first.pid)).toBe(false);
  });

  it('starts a service again that is stopped before its first sign of life', async () => {
    await supervise('stopped.mjs', { patience: { ...PATIENCE, idleMs: 1_000 } });
    await hasStarted(1);
    expect((await service()).pid).not.toBe(Number(readFileSync(join(folder, 'stopped'), 'utf8')));
    expect(starts).toEqual([false]);
  });

  it('repeats a first start that was killed, or that failed after it had begun', async () => {
    await supervise('unsteady.mjs');
    await hasStarted(1);
    expect(starts).toEqual([false]);
    expect(lines).toEqual(Array(2).fill('the service has ended, it is started again'));
  });

  it('gives a first start up that fails five times', async () => {
    await supervise('beginning.mjs');
    expect(await ended).toBe(4);
    expect(lines).toHaveLength(4);
  });

  it('returns the status of a service that fails at its first start', async () => {
    await supervise('failing.mjs');
    expect(await ended).toBe(3);
    expect(lines).toEqual([]);
  });

  it.each([
    ['stops the service with its processes', 'service.mjs'],
    ['kills a service that does not stop in time, and its processes', 'deaf.mjs'],
  ])('%s', async (_, program) => {
    await supervise(program);
    await hasStarted(1);
    const { pid, runtime } = await service();
    supervisor.stop();
    expect(await ended).toBe(0);
    await vi.waitFor(() => expect([isRunning(pid), isRunning(runtime)]).toEqual([false, false]), 5_000);
    expect(lines).toEqual([]);
  });

  it('leaves nothing when it is killed together with the service', async () => {
    const port = await freePort();
    const code = `
      import { Supervisor } from ${JSON.stringify(join(import.meta.dirname, '../../../../src/cli/local/supervisor.ts'))};
      const args = [${JSON.stringify(join(folder, 'service.mjs'))}, '${port}'];
      await new Supervisor({ command: process.execPath, args, onReady: console.log, say: () => undefined }).run();
    `;
    const killed = spawn(process.execPath, ['--input-type=module-typescript', '--eval', code], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(killed.stdout, 'data');
    const pids = (await (await fetch(`http://127.0.0.1:${port}`)).json()) as { pid: number; runtime: number };
    for (const pid of [killed.pid!, pids.pid]) process.kill(pid, 'SIGKILL');
    await vi.waitFor(() => expect([pids.pid, pids.runtime].filter(isRunning)).toEqual([]), { timeout: 20_000 });
  });

  it('finds the process that listens at a port', async () => {
    await supervise('service.mjs');
    await hasStarted(1);
    const { pid } = await service();
    expect(listenerAt(Number(new URL(url).port))).toMatch(new RegExp(`^\\S+ \\(process ${pid}\\)$`));
    expect(listenerAt(await freePort())).toBeNull();
  });
});
