// npm start: the whole service on this machine, with everything a first start needs.
import { mkdir } from 'node:fs/promises';
import { adminClient } from './admin-client.ts';
import { localAdminToken } from './admin-token.ts';
import { buildStaleArtefacts } from './artefacts.ts';
import { fillEmptyArchive } from './first-archive.ts';
import { onInterrupt } from './interrupt.ts';
import { expectFreePort, type LocalService, startLocalService } from './local-service.ts';
import { applyMigrations } from './migrations.ts';
import { portFrom, stateDirFrom } from './settings.ts';

/** How long the service may take to end by itself. */
const STOP_TIMEOUT_MS = 1_500;

const say = (line: string) => console.error(line);
let service: LocalService | undefined;

onInterrupt(() => {
  // Miniflare ends workerd and this process by itself at a signal, with the signal's number as status.
  process.once('exit', () => {
    process.exitCode = 0;
  });
  void stop(0);
});

try {
  await start();
} catch (error) {
  say((error as Error).message);
  await stop(1);
}

async function start(): Promise<void> {
  const port = portFrom(process.env);
  const stateDir = stateDirFrom(process.env);
  await expectFreePort(port);
  await mkdir(stateDir, { recursive: true });
  await buildStaleArtefacts(say);
  await applyMigrations(stateDir, say);
  say('starting the service');
  const adminToken = await localAdminToken(stateDir);
  service = await startLocalService({ port, stateDir, adminToken });
  if (process.env.SAMPLE !== 'none') {
    const { defaultArchive, makeArchive } = await import('./sample/archive.ts');
    const makeSample = (folder: string, onProgress: (done: number, total: number) => void) =>
      makeArchive(defaultArchive(), folder, { onProgress });
    await fillEmptyArchive(adminClient(service.url, adminToken), stateDir, makeSample);
  }
  console.log(`ready ${service.url}`);
}

async function stop(code: number): Promise<never> {
  setTimeout(() => process.exit(code), STOP_TIMEOUT_MS);
  await service?.stop().catch(() => undefined);
  process.exit(code);
}
