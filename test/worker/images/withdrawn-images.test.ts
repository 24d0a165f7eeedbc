import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { DurableIdSequences } from '../../../src/storage/images/durable-id-sequences.ts';
import { R2ObjectStore } from '../../../src/storage/r2-object-store.ts';
import { index, samples, send, sendAsAdmin } from '../service.ts';
import { restore, stateOf } from './database-states.ts';

const [first, second] = samples;
/** Files of one source at 12:00 and 12:01. The second one replaces the first one under its name, as reprocessed data would. */
const { name, bytes } = first!;
const reprocessed = second!.bytes;
const KEY = `jp2/AIA/2024/05/10/171/${name}`;

const admin = (method: string, path: string, body?: BodyInit) =>
  sendAsAdmin(`/admin/images/${path}`, { method, body: body ?? null });
const jsonOf = async (response: Response) => ({ status: response.status, ...((await response.json()) as object) });
const idOf = async (response: Response) => ((await response.json()) as { id: number }).id;

const tileOf = (id: number) => send(`/v2/getTile/?id=${id}&x=0&y=0&imageScale=9.6`);
const SCREENSHOT = '/v2/takeScreenshot/?date=2024-05-10T12:00:00Z&imageScale=9.6&layers=[10,1,100]&x0=0&y0=0&width=64&height=64';
const JPX = '/v2/getJPX/?startTime=2024-05-10T11:00:00Z&endTime=2024-05-10T13:00:00Z&sourceId=10&verbose=true';

const keys = async (prefix = '') => (await env.ARCHIVE.list({ prefix })).objects.map(({ key }) => key);
const cacheStatus = async (response: Promise<Response>) => (await response).headers.get('Cf-Cache-Status');

/** Ids of no other test, because the isolate outlives the test and never caches responses of a withdrawn id again. */
let test = 0;
beforeEach(async () => {
  test += 1;
  await new DurableIdSequences(env.ID_SEQUENCES, new R2ObjectStore(env.ARCHIVE)).raise('images-10', 1000 * test);
});

describe('a replacement of an archived image', () => {
  it('gives the new content a new id, and no name of the old image shows another one', async () => {
    const old = await idOf(await admin('PUT', name, bytes));
    const oldTile = await (await tileOf(old)).bytes();
    expect(await cacheStatus(tileOf(old))).toBe('HIT');
    const screenshot = await idOf(await send(SCREENSHOT));
    const movie = new URL(((await (await send(JPX)).json()) as { uri: string }).uri).pathname;

    expect((await admin('PUT', name, reprocessed)).status).toBe(409);
    const replaced = await jsonOf(await admin('PUT', `${name}?replace=true`, reprocessed));
    expect(replaced).toMatchObject({ status: 201, id: old + 16, replaces: old, name, date: '2024-05-10T12:01:00Z' });
    expect(await jsonOf(await admin('PUT', `${name}?replace=true`, reprocessed))).toMatchObject({ status: 200, id: old + 16 });

    const byId = [
      `getTile/?id=${old}&x=0&y=0&imageScale=9.6`,
      ...['getJP2Image', 'getJP2Header', 'downloadImage'].map((op) => `${op}/?id=${old}`),
    ];
    for (const path of byId) {
      const gone = { status: 410, errno: 24, parameter: 'id', replacedBy: old + 16 };
      expect(await jsonOf(await send(`/v2/${path}`))).toMatchObject(gone);
    }
    expect((await send(`/jp2/AIA/2024/05/10/171/${name}`)).status).toBe(410);
    expect(await jsonOf(await send(`/v2/downloadScreenshot/?id=${screenshot}`))).toMatchObject({ status: 410 });
    expect(await jsonOf(await send(movie))).toMatchObject({ status: 410 });
    expect(await keys('jp2/')).toEqual([expect.stringMatching(new RegExp(`^jp2/AIA/2024/05/10/171/v2-[0-9a-f]{8}/${name}$`))]);
    expect(await keys('idx/')).toHaveLength(1);

    const closest = await send('/v2/getClosestImage/?sourceId=10&date=2024-05-10T12:00:00Z');
    expect(await closest.json()).toMatchObject({ id: old + 16, date: '2024-05-10 12:01:00' });
    const tile = await tileOf(old + 16);
    expect(tile.headers.get('X-Image-Date')).toBe('2024-05-10T12:01:00.000Z');
    const newTile = await tile.bytes();
    expect(Buffer.compare(newTile, oldTile)).not.toBe(0);
    const original = await send(`/v2/getJP2Image/?id=${old + 16}`);
    expect(Buffer.compare(await original.bytes(), reprocessed)).toBe(0);
    const newMovie = new URL(((await (await send(JPX)).json()) as { uri: string }).uri).pathname;
    expect([newMovie === movie, (await send(newMovie)).status]).toEqual([false, 200]);
    expect((await send(`/v2/downloadScreenshot/?id=${await idOf(await send(SCREENSHOT))}`)).headers.get('X-Layer-Images')).toBe(
      'AIA 171 2024-05-10T12:01:00.000Z +60',
    );

    // The tiles are those that the new content has in an archive of its own.
    await admin('DELETE', name);
    const own = await idOf(await admin('PUT', `${second!.name}?restore=true`, reprocessed));
    const { objects } = await env.ARCHIVE.list({ prefix: 'derived/' });
    await env.ARCHIVE.delete(objects.map(({ key }) => key));
    expect(Buffer.compare(newTile, await (await tileOf(own)).bytes())).toBe(0);
  });

  it('takes true or false alone for replace', async () => {
    expect(await jsonOf(await admin('PUT', `${name}?replace=1`, bytes))).toMatchObject({ status: 400, parameter: 'replace' });
  });
});

describe('a withdrawal', () => {
  it('changes the timeline that the edge cache has', async () => {
    const timeline = () => send('/v2/getDataCoverage/?imageLayers=[10,1,100]&startDate=1715299200000&endDate=1715385600000');
    const count = async () => {
      const [series] = (await (await timeline()).json()) as { data: [number, number][] }[];
      return series!.data.reduce((sum, [, images]) => sum + images, 0);
    };
    await admin('PUT', name, bytes);
    expect([await count(), await cacheStatus(timeline()), await count()]).toEqual([1, 'HIT', 1]);
    await admin('DELETE', name);
    expect(await count()).toBe(0);
  });

  it('removes the image, may be repeated, and its id never means another image', async () => {
    const id = await idOf(await admin('PUT', name, bytes));
    for (let i = 0; i < 2; i += 1) {
      expect(await jsonOf(await admin('DELETE', name))).toEqual({
        status: 200,
        id,
        sourceId: 10,
        date: '2024-05-10T12:00:00Z',
        name,
        withdrawn: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        replacedBy: null,
      });
    }
    expect(await keys('jp2/')).toEqual([]);
    expect(await jsonOf(await tileOf(id))).toMatchObject({
      status: 410,
      error: `Image ${id} has been withdrawn.`,
      replacedBy: null,
    });
    expect((await send('/v2/getClosestImage/?sourceId=10&date=2024-05-10T12:00:00Z')).status).toBe(404);
    expect((await admin('GET', name)).status).toBe(404);

    const again = await idOf(await admin('PUT', `${name}?restore=true`, bytes));
    expect(again).toBe(id + 16);
    expect(await jsonOf(await tileOf(id))).toMatchObject({ status: 410, replacedBy: again });
    expect((await tileOf(again)).status).toBe(200);
  });

  it('returns 404 for an unknown name, 400 for a bad one, and 401 without the token', async () => {
    expect((await admin('DELETE', 'never.jp2')).status).toBe(404);
    expect((await admin('DELETE', 'a%20b.jp2')).status).toBe(400);
    expect((await send(`/admin/images/${name}`, { method: 'DELETE' })).status).toBe(401);
  });
});

describe('a file that was withdrawn before its image database is restored', () => {
  const known = async (fileName: string) => {
    const response = await sendAsAdmin('/admin/known', { method: 'POST', body: JSON.stringify({ names: [fileName] }) });
    return ((await response.json()) as { known: string[] }).known;
  };
  const refused = { status: 422, reason: 'withdrawn', error: expect.stringContaining(`was withdrawn as ${name} at `) };

  it('does not come back by a mirror, an upload, the bucket or a reconciliation, until an operator restores it', async () => {
    const before = await stateOf(env.IMAGES);
    const old = await idOf(await admin('PUT', name, bytes));
    await admin('DELETE', name);
    await env.OPERATIONS.prepare('DELETE FROM uploads').run();
    await restore(env.IMAGES, before);

    // The mirror leaves out the names that the archive knows.
    expect(await known(name)).toEqual([name]);
    expect(await jsonOf(await admin('PUT', name, bytes))).toMatchObject(refused);
    expect(await jsonOf(await admin('PUT', second!.name, bytes))).toMatchObject(refused);
    await env.ARCHIVE.put(KEY, bytes);
    const elsewhere = KEY.replace('12_00_00', '12_00_30');
    await env.ARCHIVE.put(elsewhere, bytes);
    const objects = [KEY, elsewhere].map((key) => ({ path: key.replace('jp2/', ''), size: bytes.length }));
    const indexed = await sendAsAdmin('/admin/objects', { method: 'POST', body: JSON.stringify({ objects }) });
    const { problems } = (await indexed.json()) as { problems: unknown[] };
    expect(problems).toMatchObject([
      { outcome: 'refused', reason: 'withdrawn' },
      { outcome: 'refused', reason: 'withdrawn' },
    ]);
    const step = { cursor: { walk: 'files', after: '' }, mend: true };
    const mended = await sendAsAdmin('/admin/reconciliation', { method: 'POST', body: JSON.stringify(step) });
    const { faults } = (await mended.json()) as { faults: { path: string; mended: string }[] };
    expect(faults.map(({ mended: how }) => how)).toEqual(['deleted', 'deleted']);
    expect(await keys('jp2/')).toEqual([]);
    expect(await index().byFileName(name)).toBeNull();

    expect((await admin('PUT', `${name}?restore=maybe`, bytes)).status).toBe(400);
    const restored = await jsonOf(await admin('PUT', `${name}?restore=true`, bytes));
    expect(restored).toMatchObject({ status: 201, name, id: expect.any(Number) });
    expect((restored as unknown as { id: number }).id).toBeGreaterThan(old);
    // The path of the withdrawn file is not used again.
    expect(await keys('jp2/')).toEqual([expect.stringMatching(new RegExp(`/v2-[0-9a-f]{8}/${name}$`))]);
    expect((await jsonOf(await admin('PUT', name, bytes))).status).toBe(200);
    const audit = (await (await sendAsAdmin('/admin/audit?limit=1')).json()) as { entries: { action: string }[] };
    expect(audit.entries[0]!.action).toBe('restore');

    // Once it is back, a loss of its row is mended like that of any image.
    await restore(env.IMAGES, before);
    expect((await jsonOf(await admin('PUT', name, bytes))).status).toBe(201);
  });
});
