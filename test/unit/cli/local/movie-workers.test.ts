// The movie workers beside the local service: kept alive, and never left behind.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../../../src/cli/local/local-service.ts';
import { type MovieWorkers, startMovieWorkers } from '../../../../src/cli/local/movie-workers.ts';

const TOKEN = 'a-token-of-the-movie-workers';
const STARTING = { timeout: 20_000, interval: 50 };

/** A service without work, and the workers that requested some. */
const claims: string[] = [];
const service = createServer((request, response) => {
  let body = '';
  request.on('data', (text) => {
    body += text;
  });
  request.on('end', () => {
    claims.push((JSON.parse(body) as { worker: string }).worker);
    response.writeHead(204).end();
  });
});
let serviceUrl: string;
let workDir: string;
let workers: MovieWorkers | undefined;
const said: string[] = [];

beforeAll(async () => {
  serviceUrl = `http://127.0.0.1:${await freePort()}`;
  service.listen(Number(new URL(serviceUrl).port), '127.0.0.1');
  workDir = await mkdtemp(join(tmpdir(), 'local-workers-'));
  vi.stubEnv('WORK_DIR', workDir);
});
afterEach(async () => {
  await workers?.stop();
  claims.length = 0;
  said.length = 0;
});
afterAll(async () => {
  vi.unstubAllEnvs();
  service.closeAllConnections();
  service.close();
  await rm(workDir, { recursive: true, force: true });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function start(count: number): Promise<{ workers: MovieWorkers; ports: number[] }> {
  const ports: number[] = [];
  while (ports.length < count) ports.push(await freePort());
  workers = startMovieWorkers({ ports, serviceUrl, token: TOKEN, drawThreads: 1, say: (line) => said.push(line) });
  await vi.waitFor(() => expect([...new Set(claims)].sort()).toEqual(ports.map((_, i) => `local-${i + 1}`)), STARTING);
  return { workers, ports };
}

describe('movie workers beside the service', () => {
  it('request work under their own names and stop with the service', async () => {
    const { workers, ports } = await start(2);
    const pids = workers.pids();
    expect(pids).toHaveLength(2);
    for (const port of ports) expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
    await workers.stop();
    expect(pids.filter(isAlive)).toEqual([]);
    expect([workers.pids(), said]).toEqual([[], []]);
  });

  it('restart at the same address after a kill', async () => {
    const { workers, ports } = await start(1);
    const [killed] = workers.pids();
    claims.length = 0;
    process.kill(killed!, 'SIGKILL');
    await vi.waitFor(() => expect(claims).toEqual(['local-1']), STARTING);
    expect(workers.pids()).not.toEqual([killed]);
    expect((await fetch(`http://127.0.0.1:${ports[0]}/health`)).status).toBe(200);
    expect(said).toEqual(['a movie worker ended (SIGKILL), another one starts']);
  });

  it('restart when they have been stopped', async () => {
    const { workers } = await start(1);
    const [stopped] = workers.pids();
    // The watch begins with the first response to it.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    claims.length = 0;
    process.kill(stopped!, 'SIGSTOP');
    await vi.waitFor(() => expect(claims).toEqual(['local-1']), { timeout: 60_000, interval: 50 });
    expect(isAlive(stopped!)).toBe(false);
    expect(said).toEqual([
      expect.stringMatching(/^a movie worker has not responded for \d+ s$/),
      'a movie worker ended (SIGKILL), another one starts',
    ]);
  });

  it('are killed when they hang while the service stops', async () => {
    const { workers } = await start(1);
    const [pid] = workers.pids();
    process.kill(pid!, 'SIGSTOP');
    await workers.stop();
    expect(isAlive(pid!)).toBe(false);
  });

  it('restart with growing pauses while they fail to start', async () => {
    const taken = await freePort();
    const other = createServer().listen(taken, '127.0.0.1');
    await once(other, 'listening');
    workers = startMovieWorkers({ ports: [taken], serviceUrl, token: TOKEN, drawThreads: 1, say: (line) => said.push(line) });
    await vi.waitFor(() => expect(said.length).toBeGreaterThanOrEqual(2), STARTING);
    await new Promise((resolve) => other.close(resolve));
    await vi.waitFor(() => expect(claims.length).toBeGreaterThan(0), STARTING);
    expect(new Set(said)).toEqual(new Set(['a movie worker ended (1), another one starts']));
  });

  it('exit when the service is killed', async () => {
    const code = `
      import { startMovieWorkers } from ${JSON.stringify(join(import.meta.dirname, '../../../../src/cli/local/movie-workers.ts'))};
      const options = { serviceUrl: ${JSON.stringify(serviceUrl)}, token: '${TOKEN}', drawThreads: 1, say: () => undefined };
      const workers = startMovieWorkers({ ...options, ports: [${await freePort()}] });
      console.log(workers.pids().join());
    `;
    const launcher = spawn(process.execPath, ['--input-type=module-typescript', '--eval', code], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, WORK_DIR: workDir },
    });
    const [line] = (await once(launcher.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    await vi.waitFor(() => expect(claims.length).toBeGreaterThan(0), STARTING);
    expect(isAlive(pid)).toBe(true);
    launcher.kill('SIGKILL');
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), STARTING);
  });
});
