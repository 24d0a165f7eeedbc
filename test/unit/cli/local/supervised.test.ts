import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it, vi } from 'vitest';
import { freePort } from '../../../../src/cli/local/ports.ts';
import { RETRY_STATUS, Supervised, type SupervisedOptions } from '../../../../src/cli/local/supervised.ts';
import { isRunning } from '../../../support/commands.ts';
import { testFolder } from '../../../support/system/test-folder.ts';

const MODULE = join(import.meta.dirname, '../../../../src/cli/local/supervised.ts');
const WAITING = { timeout: 60_000, interval: 20 };
/** Leaves time for the start of a process on a busy machine. */
const HANG_SECONDS = 5;

/** Reports its process id and that of a child, which stands for a runtime that outlives it. */
const PROGRAM = `
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
const runtime = spawn('sleep', ['300'], { stdio: 'ignore' });
const server = createServer((request, response) => {
  response.end(JSON.stringify({ pid: process.pid, runtime: runtime.pid }));
});
server.listen(Number(process.argv[2]), '127.0.0.1', () => process.send({ pid: process.pid, runtime: runtime.pid }));
const stop = () => { runtime.kill(); process.exit(0); };
process.on('SIGTERM', stop).on('disconnect', stop);
`;

/** Each line is one run, after which the program works: an exit status, or a signal to itself. */
const unsteady = (runs: readonly (number | NodeJS.Signals)[]) => `
import { existsSync, writeFileSync } from 'node:fs';
const runs = ${JSON.stringify(runs)};
const run = runs.findIndex((_, i) => !existsSync(process.argv[3] + i));
if (run >= 0) {
  writeFileSync(process.argv[3] + run, String(process.pid));
  if (typeof runs[run] === 'number') process.exit(runs[run]);
  process.kill(process.pid, runs[run]);
}
await import('./steady.mjs');`;

/** Sends its address, then its process ids at each look. */
const TELLING = PROGRAM.replace(
  '  response.end(',
  '  process.send({ pid: process.pid, runtime: runtime.pid });\n  response.end(',
).replace(/server\.listen.*/, "server.listen(0, '127.0.0.1', () => process.send('http://127.0.0.1:' + server.address().port));");

interface Pids {
  readonly pid: number;
  readonly runtime: number;
}

const folder = testFolder();
const all: Supervised[] = [];
beforeAll(async () => {
  const programs = {
    steady: PROGRAM,
    deaf: PROGRAM.replace("process.on('SIGTERM', stop)", "process.on('SIGTERM', () => {})"),
    telling: TELLING,
    failing: 'process.exit(3);',
    unsteady: unsteady(['SIGKILL', RETRY_STATUS]),
    stopped: unsteady(['SIGSTOP']),
  };
  for (const [name, text] of Object.entries(programs)) await writeFile(join(folder, `${name}.mjs`), text);
});
afterAll(async () => {
  await Promise.all(all.map((each) => each.stop()));
});

async function supervise(program: string, options: Partial<SupervisedOptions> = {}) {
  const port = await freePort();
  const starts: Pids[] = [];
  const lines: string[] = [];
  const supervised = new Supervised({
    name: 'the program',
    args: [join(folder, `${program}.mjs`), String(port), join(folder, `run-${port}-`)],
    healthUrl: `http://127.0.0.1:${port}/health`,
    hangSeconds: 60,
    stopMs: 300,
    leadsGroup: true,
    onMessage: (message) => starts.push(message as Pids),
    say: (line) => lines.push(line),
    ...options,
  });
  all.push(supervised);
  const started = (count: number) => vi.waitUntil(() => starts.length >= count && starts[count - 1]!, WAITING);
  return { supervised, lines, starts, started, port };
}

const end = (...pids: readonly number[]) => vi.waitUntil(() => !pids.some(isRunning), WAITING);

describe.concurrent('a supervised process', () => {
  it('restarts after a kill, and its own processes are killed', async ({ expect }) => {
    const { supervised, lines, started } = await supervise('steady');
    const first = await started(1);
    process.kill(first.pid, 'SIGKILL');
    const second = await started(2);
    expect(lines).toEqual(['the program ended (SIGKILL); restarting']);
    expect(supervised.pid).toBe(second.pid);
    await end(first.pid, first.runtime);
    expect([second.pid, second.runtime].every(isRunning)).toBe(true);
  });

  it('restarts when it is stopped, before and after its first response', async ({ expect }) => {
    const { lines, started, port } = await supervise('stopped', { hangSeconds: HANG_SECONDS });
    const { pid, runtime } = await started(1);
    expect(lines).toEqual(['the program has not responded for 10 s', 'the program ended (SIGKILL); restarting']);
    expect(Number(await readFile(join(folder, `run-${port}-0`), 'utf8'))).not.toBe(pid);
    process.kill(pid, 'SIGSTOP');
    await started(2);
    await end(pid, runtime);
  });

  it('restarts after failures that are not final, with growing pauses', async ({ expect }) => {
    const isFinal = (code: number | null) => code !== null && code !== RETRY_STATUS;
    const from = performance.now();
    const { lines, started } = await supervise('unsteady', { isFinal });
    await started(1);
    expect(lines).toEqual(['the program ended (SIGKILL); restarting', 'the program ended (status 75); restarting']);
    expect(performance.now() - from).toBeGreaterThan(200 + 400);
  });

  it('gives its exit status when that is final', async ({ expect }) => {
    const { supervised, lines } = await supervise('failing', { isFinal: (code) => code === 3 });
    expect([await supervised.ended, lines]).toEqual([3, []]);
  });

  it.for([
    ['stops with its processes', 'steady'],
    ['ends by a kill with its processes when it does not stop in time', 'deaf'],
  ])('%s', async ([, program = ''], { expect }) => {
    const { supervised, lines, started } = await supervise(program);
    const { pid, runtime } = await started(1);
    await supervised.stop();
    expect([await supervised.ended, lines, supervised.pid]).toEqual([0, [], undefined]);
    await end(pid, runtime);
  });

  it('leaves nothing when it is stopped and its supervisor killed', async ({ expect }) => {
    const port = await freePort();
    const options = { name: '', args: [join(folder, 'steady.mjs'), String(port)], healthUrl: '', hangSeconds: 60, stopMs: 300 };
    const code = `
      import { Supervised } from ${JSON.stringify(MODULE)};
      const onMessage = (pids) => console.log(JSON.stringify(pids));
      new Supervised({ ...${JSON.stringify(options)}, leadsGroup: true, onMessage, say: () => undefined });
    `;
    const supervisor = spawn(process.execPath, ['--input-type=module-typescript', '--eval', code], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [line] = (await once(supervisor.stdout, 'data')) as [Buffer];
    const { pid, runtime } = JSON.parse(line.toString()) as Pids;
    process.kill(pid, 'SIGSTOP');
    supervisor.kill('SIGKILL');
    await end(pid, runtime);
    expect(existsSync(`/proc/${supervisor.pid}/exe`)).toBe(false);
  });

  it('is watched at the address that each start sends', async ({ expect }) => {
    const { starts, started } = await supervise('telling', { healthUrl: undefined });
    const { pid } = await started(1);
    process.kill(pid, 'SIGKILL');
    await vi.waitUntil(() => starts.some((each) => each.pid !== pid), WAITING);
    expect(new Set(starts.map((each) => each.pid)).size).toBe(2);
  });
});
