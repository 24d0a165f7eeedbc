// The movie worker: claims builds, draws and encodes their frames, uploads the files; in the container and beside the local service.
import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sha256 } from '../../src/platform/util/bytes.ts';
import { onInterrupt } from '../../src/platform/util/interrupt.ts';
import { WorkLoop } from './build-movie.ts';
import { DrawPool } from './draw/pool.ts';
import { findEncoder } from './encode/ffmpeg-encoder.ts';
import { ServiceClient, ServiceConnection } from './service.ts';
import { openWorkFolder, readSettings, removeFolder } from './settings.ts';

function respond(response: ServerResponse, status: number, body: unknown): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': bytes.length, 'Cache-Control': 'no-store' });
  response.end(bytes);
}

/** GET /health returns the health; POST /wake looks for work and requires the token as bearer. */
function movieServer({ token, health, wake }: { token: string; health: () => object; wake: () => void }): Server {
  const expected = sha256(`Bearer ${token}`);
  const isAuthorised = async ({ headers }: IncomingMessage) =>
    timingSafeEqual(await sha256(headers.authorization ?? ''), await expected);
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    request.resume();
    const path = request.url?.split('?')[0];
    if (path === '/health' && (request.method === 'GET' || request.method === 'HEAD')) return respond(response, 200, health());
    if (path !== '/wake') return respond(response, 404, { error: 'This worker serves /health and /wake only.' });
    if (request.method !== 'POST') return respond(response, 405, { error: '/wake takes POST only.' });
    if (!(await isAuthorised(request)))
      return respond(response, 401, { error: 'Authorization does not have the token of this worker.' });
    wake();
    respond(response, 202, {});
  };
  return createServer((request, response) => void handle(request, response));
}

/** Size of the caches of decoded windows in all threads together, and again of drawn layers: 35 layers of 1080p. */
const CACHE_BYTES = 72 << 20;
/** Work after which an encoded segment is stored: it costs a key frame and an upload, a hundredth of that, and a restart loses no more. */
const SEGMENT_MS = 25_000;
/** Time without a request after which a drawing thread is idle: between two frames, it waits for the encoder. */
const IDLE_MS = 3_000;
/** Time limit for an orderly end, after which the program exits anyway. */
const STOP_MS = 10_000;
/** Time limit for reporting the running build after an unexpected error. */
const CRASH_MS = 5_000;

const log = (line: string) => console.log(`movie worker: ${line}`);
// A closed pipe fails each write of the log, which must not end a movie.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

async function main(): Promise<void> {
  const settings = readSettings(process.env);
  const { name, drawThreads, SERVICE_URL: serviceUrl, MOVIE_TOKEN: token } = settings;
  const workFolder = await openWorkFolder(settings.workDir);
  const encoder = await findEncoder(settings.FFMPEG_PATH);
  const service = new ServiceClient(new ServiceConnection({ url: serviceUrl, token }));
  const setup = { serviceUrl, token, cacheBytes: Math.floor(CACHE_BYTES / drawThreads), idleMs: IDLE_MS };
  const pool = new DrawPool({ threads: drawThreads, setup });
  const context = { service, pool, encoder, segmentMs: SEGMENT_MS, log };
  const loop = new WorkLoop({ context, name, workFolder, pollMs: settings.pollMs });

  const health = () => {
    const { claim, progress } = loop.running ?? {};
    const [build, frames] = [claim?.build ?? null, claim?.frames.length ?? 0];
    return { ok: true, busy: build !== null, build, framesDone: progress?.framesDone ?? 0, frames, encoder: encoder.description };
  };
  const server = movieServer({ token, health, wake: () => loop.wake() });
  server.listen(settings.PORT, settings.HOST);
  await once(server, 'listening');

  const exit = async (code: number): Promise<never> => {
    await pool.close();
    await removeFolder(workFolder).catch(() => undefined);
    process.exit(code);
  };
  const stop = () => {
    loop.stop();
    setTimeout(() => void exit(1), STOP_MS).unref();
  };
  onInterrupt(stop, () => {
    rmSync(workFolder, { recursive: true, force: true });
    process.exit(1);
  });
  // As a child of the local service, ends when that process ends in any way.
  process.once('disconnect', stop);
  if (process.connected === false) stop();
  let isCrashing = false;
  const crash = (error: unknown) => {
    if (isCrashing) return;
    isCrashing = true;
    log(error instanceof Error ? (error.stack ?? error.message) : String(error));
    setTimeout(() => void exit(1), CRASH_MS);
    const { running } = loop;
    running?.fail(error);
    loop.stop();
    void Promise.resolve(running?.outcome).then(() => exit(1));
  };
  process.on('uncaughtException', crash).on('unhandledRejection', crash);

  const address = `http://${settings.HOST}:${(server.address() as AddressInfo).port}`;
  const hint = encoder.name === 'embedded' ? ' (slower than ffmpeg, which was not found)' : '';
  log(`${name} listens on ${address}, encodes with ${encoder.description}${hint}`);
  await loop.run();
  server.close();
  await exit(isCrashing ? 1 : 0);
}

await main();
