// A service started as by `npm start`, with its own sample images, for tests that use it from outside.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { freePort, runCommand, startService, WITHOUT_EVENTS } from './commands.ts';
import { type TestShot, writeSampleFiles } from './sample-files.ts';

export type ServedArchive = Awaited<ReturnType<typeof serveArchive>>;

/** Settings of a service whose tests make no movies. */
export const WITHOUT_MOVIES = { MOVIE_WORKERS: '0' } as const;
/** Settings of a service whose tests look at pictures alone. */
export const PICTURES_ALONE = { ...WITHOUT_MOVIES, ...WITHOUT_EVENTS } as const;

/** Starts a service and ingests these images. `env`: further settings of `npm start`. */
export async function serveArchive(shots: readonly TestShot[], env: NodeJS.ProcessEnv = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'helioedge-served-'));
  const files = join(folder, 'files');
  await writeSampleFiles(shots, files);
  const stateDir = join(folder, 'state');
  const settings = { ...env, STATE_DIR: stateDir, PORT: String(await freePort()) };
  const service = await startService(settings);
  const { code, stdout, stderr } = await runCommand('src/cli/ingest.ts', [files], settings);
  if (code !== 0) throw new Error(`ingest ended with ${code}: ${stdout}${stderr}`);
  return {
    service,
    /** Temporary folder; removed by `close`. */
    folder,
    stateDir,
    close: async () => {
      await service.interrupt();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Debian's Chromium, or `$CHROMIUM`. */
export async function launchChromium(): Promise<Browser> {
  // Loaded here, because most services of tests are seen by no browser.
  const { chromium } = await import('playwright-core');
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
}
