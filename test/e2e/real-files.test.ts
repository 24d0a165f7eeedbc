import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freePort, runCommand, startService, WITHOUT_EVENTS } from '../support/commands.ts';
import { archiveFiles, readArchiveFile } from '../support/real-files.ts';

it.skipIf(archiveFiles.length === 0)(
  'every real archive file of SAMPLES_DIR is ingested, returned unchanged, and drawn',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'helioedge-real-'));
    const env = { ...WITHOUT_EVENTS, STATE_DIR: join(folder, 'state'), PORT: String(await freePort()), MOVIE_WORKERS: '0' };
    await mkdir(join(folder, 'files'));
    for (const name of archiveFiles) await writeFile(join(folder, 'files', name), readArchiveFile(name));
    const service = await startService(env);
    try {
      const { code, stdout } = await runCommand('src/cli/ingest.ts', [join(folder, 'files')], env);
      expect([code, stdout.split('\n')[0]]).toEqual([0, `accepted      ${archiveFiles.length}`]);
      const token = (await readFile(join(env.STATE_DIR, 'admin-token'), 'utf8')).trim();
      for (const name of archiveFiles) {
        const card = await fetch(`${service.url}/admin/images/${name}`, { headers: { Authorization: `Bearer ${token}` } });
        const { id } = (await card.json()) as { id: number };
        const original = await fetch(`${service.url}/v2/getJP2Image/?id=${id}`);
        expect(Buffer.from(await original.arrayBuffer()).equals(readArchiveFile(name)), name).toBe(true);
        const tile = await fetch(`${service.url}/v2/getTile/?id=${id}&x=0&y=0&imageScale=4.8`);
        expect([name, tile.status, tile.headers.get('Content-Type')]).toEqual([name, 200, 'image/png']);
      }
    } finally {
      await service.interrupt();
      await rm(folder, { recursive: true, force: true });
    }
  },
);
