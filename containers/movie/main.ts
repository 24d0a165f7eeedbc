// The movie worker: takes jobs from the service, draws and encodes their frames, stores the files. The same program in the
// container and beside the local service.
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { onInterrupt } from '../../src/cli/interrupt.ts';
import { DrawPool } from './draw/pool.ts';
import { findEncoder } from './encode/find-encoder.ts';
import { type Health, movieServer } from './http-server.ts';
import { ServiceClient } from './service/client.ts';
import { ServiceConnection } from './service/connection.ts';
import { readSettings } from './settings.ts';
import { openWorkFolder, removeFolder } from './work-folder.ts';
import { WorkLoop } from './work-loop.ts';

/** Size of the caches of decoded windows in all threads together, and again of drawn layers: 35 layers of 1080p. */
const CACHE_BYTES = 72 << 20;
/** Milliseconds after an order to end in which the program does, whatever it is at. */
const STOP_MS = 10_000;
/** Milliseconds for the last word on a job after an error that nobody expected. */
const CRASH_MS = 5_000;

const say = (line: string) => console.log(`movie worker: ${line}`);

async function main(): Promise<void> {
  const { port, host, serviceUrl, token, name, workDir, drawThreads, pollMs, segmentMs, ffmpegPath } = readSettings(process.env);
  const workFolder = await openWorkFolder(workDir);
  const encoder = await findEncoder(ffmpegPath);
  const service = new ServiceClient(new ServiceConnection(serviceUrl, token));
  const setup = { serviceUrl, token, cacheBytes: Math.floor(CACHE_BYTES / drawThreads) };
  const pool = new DrawPool({ threads: drawThreads, setup });
  const loop = new WorkLoop({ tools: { service, pool, encoder, segmentMs, say }, name, workFolder, pollMs });

  const health = (): Health => {
    const { job = null, progress } = loop.running ?? {};
    const [build, frames] = [job?.build ?? null, job?.frames.length ?? 0];
    return { ok: true, busy: job !== null, build, framesDone: progress?.framesDone ?? 0, frames, encoder: encoder.description };
  };
  const server = movieServer({ token, health, wake: () => loop.wake() });
  server.listen(port, host);
  await once(server, 'listening');

  const end = async (code: number): Promise<never> => {
    await pool.close();
    await removeFolder(workFolder).catch(() => undefined);
    process.exit(code);
  };
  const stop = () => {
    loop.stop();
    setTimeout(() => void end(1), STOP_MS).unref();
  };
  onInterrupt(stop, () => {
    rmSync(workFolder, { recursive: true, force: true });
    process.exit(1);
  });
  // Beside the local service, the program ends with it, however that ends.
  process.once('disconnect', stop);
  if (process.connected === false) stop();
  const crashed = (error: unknown) => {
    say(error instanceof Error ? (error.stack ?? error.message) : String(error));
    setTimeout(() => void end(1), CRASH_MS);
    const { running } = loop;
    running?.giveUp(error);
    loop.stop();
    void Promise.resolve(running?.outcome).then(() => end(1));
  };
  process.on('uncaughtException', crashed).on('unhandledRejection', crashed);

  const standIn = encoder.name === 'embedded' ? ' (no ffmpeg was found: the embedded one is slower)' : '';
  say(
    `${name} listens on http://${host}:${(server.address() as AddressInfo).port}, encodes with ${encoder.description}${standIn}`,
  );
  await loop.run();
  server.close();
  await end(0);
}

await main();
