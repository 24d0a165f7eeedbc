import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { forgetWorker } from '../../../src/composition/worker.ts';
import { SEQUENCES } from '../../../src/config/limits/images.ts';
import { claimStatement } from '../../../src/storage/images/shard-claims.ts';
import { samples, send, sendAsAdmin } from '../service.ts';

const [first, second] = samples;

async function ingest({ name, bytes: body }: (typeof samples)[number]): Promise<number> {
  const response = await sendAsAdmin(`/admin/images/${name}`, { method: 'PUT', body });
  return ((await response.json()) as { id: number }).id;
}

/** A zoom level. */
const TILE = 'x=0&y=0&imageScale=9.68176352';
const tileOf = (id: number) => send(`/v2/getTile/?id=${id}&${TILE}`);

/** Empties the databases; the image database takes its shards again, as `npm run deploy` does. */
async function loseDatabases(): Promise<void> {
  await env.DB.prepare('DELETE FROM screenshots').run();
  await env.IMAGES.batch(['images', 'held_shards'].map((table) => env.IMAGES.prepare(`DELETE FROM ${table}`)));
  await env.IMAGES.prepare(claimStatement([10])).run();
}

/** Removes what the edge cache, the isolate and the archive hold of pictures, so that they are rendered again. */
async function forgetPictures(): Promise<void> {
  forgetWorker();
  const { objects } = await env.ARCHIVE.list({ prefix: 'derived/' });
  await env.ARCHIVE.delete(objects.map(({ key }) => key));
}

describe('an archive whose database has been lost', () => {
  it('never gives the id of an image to another image', async () => {
    const before = await ingest(first!);
    expect((await tileOf(before)).headers.get('X-Image-Date')).toBe('2024-05-10T12:00:00.000Z');
    await loseDatabases();
    const after = await ingest(second!);
    expect(after).toBeGreaterThan(before);
  });

  it('goes on a margin above the ids that it gave when the sequence was lost as well, and draws each image', async () => {
    const before = await ingest(first!);
    const ofFirst = await (await tileOf(before)).bytes();
    await loseDatabases();
    await runInDurableObject(env.ID_SEQUENCES.get(env.ID_SEQUENCES.idFromName('images-10')), (_, state) =>
      state.storage.deleteAll(),
    );
    const after = await ingest(second!);
    // The mark of the sequence in the archive outlives both.
    expect(after).toBe(before + 16 * (SEQUENCES.margin + 1));
    forgetWorker();
    const response = await tileOf(after);
    expect(response.headers.get('X-Image-Date')).toBe('2024-05-10T12:01:00.000Z');
    const served = await response.bytes();
    await forgetPictures();
    expect(Buffer.compare(served, await (await tileOf(after)).bytes())).toBe(0);
    expect(Buffer.compare(served, ofFirst)).not.toBe(0);
  });
});
