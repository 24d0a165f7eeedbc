// The supervisor of the local service, with a small HTTP server in place of the service.
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../../src/cli/local/local-service.ts';
import { listenerAt, processesInGroup } from '../../../src/cli/local/processes.ts';
import { type Pace, Supervisor } from '../../../src/cli/local/supervisor.ts';

const PACE: Pace = { checkMs: 50, silentMs: 60_000, busyMs: 60_000, pauseMs: 10, longestPauseMs: 50, stopMs: 300 };

/** Responds at once, or never after a request of /hang. Its child process stands for a runtime that outlives it. */
const SERVICE = `
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
const runtime = spawn('sleep', ['60'], { stdio: 'ignore' });
let hangs = false;
const MEMORY_MIB = 0;
const server = createServer((request, response) => {
  hangs ||= request.url === '/hang';
  if (!hangs) response.end(JSON.stringify({ pid: process.pid, runtime: runtime.pid }));
});
server.listen(Number(process.argv[2]), '127.0.0.1', () => 
  process.send({ ready: 'http://127.0.0.1:' + process.argv[2], memoryMiB: MEMORY_MIB }));
const stop = () => { runtime.kill(); process.exit(0); };
process.on('SIGTERM', stop).on('disconnect', stop);
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'supervisor-test-'));
  await writeFile(join(folder, 'service.mjs'), SERVICE);
  await writeFile(join(folder, 'deaf.mjs'), SERVICE.replace("process.on('SIGTERM', stop)", "process.on('SIGTERM', () => {})"));
  // A runtime by its name, which takes more memory than the service may have.
  await symlink('/bin/sleep', join(folder, 'workerd'));
  const large = SERVICE.replace("'sleep'", `'${join(folder, 'workerd')}'`).replace('MEMORY_MIB = 0', 'MEMORY_MIB = 0.01');
  await writeFile(join(folder, 'large.mjs'), large);
  await writeFile(join(folder, 'failing.mjs'), 'process.exit(3);');
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

  it('starts a service again that accepts connections but does not respond', async () => {
    await supervise('service.mjs', { silentMs: 1_000 });
    await hasStarted(1);
    const first = await service();
    await fetch(`${url}/hang`, { signal: AbortSignal.timeout(100) }).catch(() => undefined);
    await hasStarted(2);
    expect(lines[0]).toMatch(/^the service has not responded for \d+ s$/);
    expect(isRunning(first.pid)).toBe(false);
  });

  it('starts a service again whose runtime takes more memory than it may', async () => {
    await supervise('large.mjs');
    await hasStarted(2);
    expect(lines[0]).toMatch(/^the runtime has grown to \d+ MiB, more than 0.01$/);
    expect(lines[1]).toBe('the service has ended, it is started again');
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

  it('finds the process that listens at a port', async () => {
    await supervise('service.mjs');
    await hasStarted(1);
    const { pid } = await service();
    expect(listenerAt(Number(new URL(url).port))).toMatch(new RegExp(`^\\S+ \\(process ${pid}\\)$`));
    expect(listenerAt(await freePort())).toBeNull();
  });
});
