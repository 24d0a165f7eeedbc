import { createServer } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { startMovieWorkers } from '../../../../src/cli/local/movie-workers.ts';
import { freePort } from '../../../../src/cli/local/ports.ts';
import type { Supervised } from '../../../../src/cli/local/supervised.ts';
import { isRunning } from '../../../support/commands.ts';
import { testFolder } from '../../../support/system/test-folder.ts';

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
const workDir = testFolder();
let workers: readonly Supervised[] = [];
const said: string[] = [];
const OPTIONS = {
  token: 'a-token-of-the-movie-workers',
  drawThreads: 1,
  hangSeconds: 30,
  say: (line: string) => said.push(line),
};

beforeAll(async () => {
  serviceUrl = `http://127.0.0.1:${await freePort()}`;
  service.listen(Number(new URL(serviceUrl).port), '127.0.0.1');
  vi.stubEnv('WORK_DIR', workDir);
});
afterEach(async () => {
  await stop();
  claims.length = 0;
  said.length = 0;
});
afterAll(async () => {
  vi.unstubAllEnvs();
  service.closeAllConnections();
  service.close();
});

const stop = () => Promise.all(workers.map((worker) => worker.stop()));
const pids = () => workers.flatMap(({ pid }) => pid ?? []);

/** @returns their ports */
async function start(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) ports.push(await freePort());
  workers = startMovieWorkers({ ...OPTIONS, serviceUrl, ports });
  await vi.waitFor(() => expect([...new Set(claims)].sort()).toEqual(ports.map((_, i) => `local-${i + 1}`)), STARTING);
  return ports;
}

describe('movie workers beside the service', () => {
  it('request work under their own names, and stop with the service, hung ones too', async () => {
    const ports = await start(2);
    const [first, second] = pids();
    for (const port of ports) expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
    process.kill(second!, 'SIGSTOP');
    await stop();
    expect([first!, second!].filter(isRunning)).toEqual([]);
    expect([pids(), said]).toEqual([[], []]);
  });

  it('restart at the same address after a kill', async () => {
    const [port] = await start(1);
    const [killed] = pids();
    claims.length = 0;
    process.kill(killed!, 'SIGKILL');
    await vi.waitFor(() => expect(claims).toEqual(['local-1']), STARTING);
    expect(pids()).not.toEqual([killed]);
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
    expect(said).toEqual(['the movie worker local-1 ended (SIGKILL); restarting']);
  });
});
