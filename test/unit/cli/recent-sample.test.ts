import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recentShots } from '../../../demo/recent.ts';
import { RecentSample } from '../../../src/cli/local/recent-sample.ts';
import { RECENT_BLOCK_MS, RECENT_SOURCES } from '../../../src/domain/recent-sample.ts';
import { recentImagesFrom } from '../../../src/upstreams/recent-sample.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/util/durations.ts';
import { MemoryAdminClient } from '../../support/memory/admin-client.ts';

/** A block that stays in the period of recent images while this test runs. */
const BLOCK = Math.floor((Date.now() - 15 * DAY_MS) / RECENT_BLOCK_MS) * RECENT_BLOCK_MS;

let stateDir: string;
let client: MemoryAdminClient;
let server: RecentSample | undefined;
beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'helioedge-recent-'));
  client = new MemoryAdminClient();
});
afterEach(async () => {
  server?.stop();
  await rm(stateDir, { recursive: true });
});

/** A server whose files have their names as content. @returns its address */
function start({ hasSample = true, prefix = '' } = {}): Promise<string> {
  server = new RecentSample({
    client,
    hasSample: async () => hasSample,
    folder: join(stateDir, 'recent'),
    openImages: async () => ({
      recentShots: (sourceId, blockMs) =>
        recentShots(sourceId, blockMs).map((shot) => ({ ...shot, fileName: prefix + shot.fileName })),
      writeRecent: async (shots, folder) => {
        await mkdir(folder, { recursive: true });
        const files = shots.map(({ fileName }) => join(folder, fileName));
        await Promise.all(files.map((file) => writeFile(file, file)));
        return files;
      },
    }),
  });
  return server.start();
}

describe('the images of a block', () => {
  it.each(RECENT_SOURCES)('of source %i are one a minute, within the block, with names of their own', (sourceId) => {
    const shots = recentShots(sourceId, BLOCK);
    const minutes = shots.map(({ timeMs }) => Math.floor((timeMs - BLOCK) / MINUTE_MS));
    expect(minutes).toEqual([0, 1, 2, 3, 4]);
    expect(new Set(shots.map(({ fileName }) => fileName)).size).toBe(5);
    expect(shots.every(({ size }) => size === 512)).toBe(true);
  });
});

describe('the server of recent images', () => {
  it('ingests the images of the blocks, and keeps no files', async () => {
    await recentImagesFrom(await start())(14, [BLOCK, BLOCK + RECENT_BLOCK_MS]);
    const names = [BLOCK, BLOCK + RECENT_BLOCK_MS].flatMap((blockMs) => recentShots(14, blockMs)).map(({ fileName }) => fileName);
    expect([...client.images].sort()).toEqual(names);
    expect(await readdir(stateDir)).toEqual([]);
  });

  it('makes only what the archive lacks, also of requests at once and after a restart', async () => {
    const [first] = recentShots(10, BLOCK);
    client.images.add(first!.fileName);
    const url = await start();
    await Promise.all([1, 2, 3].map(() => recentImagesFrom(url)(10, [BLOCK])));
    server!.stop();
    await recentImagesFrom(await start())(10, [BLOCK]);
    expect(client.puts).toHaveLength(4);
  });

  it('leaves an archive alone that is not the sample', async () => {
    await expect(recentImagesFrom(await start({ hasSample: false }))(10, [BLOCK])).rejects.toThrow('got 404');
    expect(client.images.size).toBe(0);
  });

  it('fails when an image is refused', async () => {
    await expect(recentImagesFrom(await start({ prefix: 'bad' }))(10, [BLOCK])).rejects.toThrow('got 500');
  });

  it.each([
    ['another source', 'sourceId=18&blocks=%B'],
    ['no source', 'blocks=%B'],
    ['another time', `sourceId=10&blocks=${BLOCK + 1}`],
    ['another day', `sourceId=10&blocks=${BLOCK - 30 * DAY_MS}`],
    ['no block', 'sourceId=10'],
    ['no number', 'sourceId=10&blocks=%B,x'],
  ])('refuses %s', async (_, query) => {
    const response = await fetch(`${await start()}/?${query.replace('%B', `${BLOCK}`)}`);
    expect([response.status, client.images.size]).toEqual([400, 0]);
  });
});
