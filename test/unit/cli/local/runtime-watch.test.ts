// The watch over the runtime, with a small HTTP server in its place that is started again when it ends, as Miniflare does.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../../../src/cli/local/local-service.ts';
import { RuntimeWatch, type WatchPace } from '../../../../src/cli/local/runtime-watch.ts';

const PACE: WatchPace = { checkMs: 50, patience: { idleMs: 60_000, spinMs: 60_000, mostMs: 60_000 }, drainMs: 60_000 };

/** /hold is answered after the signal to end, which is followed as workerd does: no further connections, and an end with the last response. */
const RUNTIME = `
import { createServer } from 'node:http';
let held;
let isHanging = process.argv[3] === 'deaf';
const server = createServer((request, response) => {
  if (request.url === '/hang') isHanging = true;
  if (request.url === '/spin') for (;;);
  if (request.url === '/hold') held = response;
  else if (!isHanging) response.end(String(process.pid));
});
server.listen(Number(process.argv[2]), '127.0.0.1');
process.on('SIGTERM', () => {
  server.close();
  if (held) setTimeout(() => held.end('held', () => process.exit(0)), 300);
  else process.exit(0);
});
`;

const WAITING = { timeout: 30_000, interval: 20 };

describe('the watch over the runtime', () => {
  let folder: string;
  let port: number;
  let runtime: ChildProcess | undefined;
  let restarts = 0;
  /** Argument of the next runtimes; null: there is none. */
  let next: string | null = '';
  let watch: RuntimeWatch | undefined;
  const said: string[] = [];
  const givenUp: string[] = [];

  const url = (path = '/') => `http://127.0.0.1:${port}${path}`;
  const send = (path: string) => fetch(url(path)).then((response) => response.text());

  const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

  function start() {
    if (next === null) return;
    runtime = spawn(process.execPath, [join(folder, 'runtime.mjs'), String(port), next], { stdio: 'ignore' });
    runtime.once('exit', () => {
      restarts += 1;
      start();
    });
  }

  async function watchRuntime(pace: Partial<WatchPace>, memoryMiB = 0, before = () => {}) {
    port = await freePort();
    [restarts, next] = [0, ''];
    said.length = 0;
    givenUp.length = 0;
    start();
    await vi.waitFor(() => send('/'), WAITING);
    before();
    watch = new RuntimeWatch({
      url: url(''),
      memoryMiB,
      say: (line) => said.push(line),
      giveUp: (reason) => givenUp.push(reason),
      pace: { ...PACE, ...pace },
      find: () => (runtime && !hasEnded(runtime) ? runtime.pid : undefined),
    });
    // The watch has seen the runtime.
    await new Promise((resolve) => setTimeout(resolve, 3 * PACE.checkMs));
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'runtime-watch-test-'));
    await writeFile(join(folder, 'runtime.mjs'), RUNTIME);
  });
  afterEach(async () => {
    watch?.stop();
    next = null;
    const last = runtime!;
    if (hasEnded(last)) return;
    last.kill('SIGKILL');
    await once(last, 'exit');
  });
  afterAll(() => rm(folder, { recursive: true }));

  const impatient = { patience: { ...PACE.patience, idleMs: 1_000 } };

  it('ends a runtime that does not respond and does nothing', async () => {
    await watchRuntime(impatient);
    const first = await send('/');
    void send('/hang').catch(() => undefined);
    await vi.waitFor(async () => expect(await send('/')).not.toBe(first), WAITING);
    expect(said).toEqual([expect.stringMatching(/^the runtime has not responded for \d+ s$/)]);
    expect(givenUp).toEqual([]);
  });

  it('ends a stopped runtime', async () => {
    await watchRuntime(impatient);
    runtime!.kill('SIGSTOP');
    await vi.waitFor(() => expect(restarts).toBe(1), WAITING);
  });

  it('ends a runtime that computes for ever', async () => {
    await watchRuntime({ patience: { ...PACE.patience, spinMs: 1_000 } });
    void send('/spin').catch(() => undefined);
    await vi.waitFor(() => expect(restarts).toBe(1), WAITING);
    await vi.waitFor(() => send('/'), WAITING);
    expect(givenUp).toEqual([]);
  });

  it('gives up when the next runtime does not respond either', async () => {
    await watchRuntime(impatient);
    next = 'deaf';
    runtime!.kill('SIGSTOP');
    await vi.waitFor(
      () => expect(givenUp).toEqual([expect.stringMatching(/^the runtime has not responded for \d+ s$/)]),
      WAITING,
    );
    expect(said).toHaveLength(1);
  });

  it('gives up when there is no next runtime', async () => {
    await watchRuntime(impatient);
    next = null;
    runtime!.kill('SIGKILL');
    await vi.waitFor(() => expect(givenUp).toEqual(['the runtime has ended and does not start again']), WAITING);
  });

  it('lets open responses end before a runtime that takes too much memory is started again', async () => {
    let held: Promise<string> | undefined;
    await watchRuntime({}, 1, () => {
      held = send('/hold');
    });
    await vi.waitFor(
      () => expect(said).toEqual([expect.stringMatching(/^the runtime has grown to \d+ MiB, more than 1: it/)]),
      WAITING,
    );
    expect(await held).toBe('held');
    await vi.waitFor(() => expect(restarts).toBeGreaterThan(0), WAITING);
  });

  it('waits for open responses no longer than it may', async () => {
    await watchRuntime({ drainMs: 100 }, 1, () => runtime!.kill('SIGSTOP'));
    await vi.waitFor(() => expect(restarts).toBeGreaterThan(0), WAITING);
  });
});
