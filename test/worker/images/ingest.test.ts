import { env } from 'cloudflare:workers';
import { expect, it, vi } from 'vitest';
import { R2ObjectStore } from '../../../src/platform/storage/r2-object-store.ts';
import { sha256Hex } from '../../../src/platform/util/bytes.ts';
import { shown } from '../../../src/platform/util/errors.ts';
import { samples, send, sendAsAdmin } from '../service.ts';

const [first, second] = samples;
const { name, bytes } = first!;

const put = (fileName: string, body: BodyInit, headers: Record<string, string> = {}) =>
  sendAsAdmin(`/admin/images/${fileName}`, { method: 'PUT', headers, body });
const errorOf = async (response: Response) => ((await response.json()) as { error: string }).error;

/** Keys of the files and sidecars in the bucket. */
const storedKeys = async () => (await env.ARCHIVE.list()).objects.map(({ key }) => key).filter((key) => /^(jp2|idx)\//.test(key));

it('an upload adds an image that the service finds, describes and renders', async () => {
  const response = await put(name, bytes, { 'X-Content-SHA256': await sha256Hex(bytes) });
  expect(response.status).toBe(201);
  expect(await response.json()).toEqual({
    id: 26,
    sourceId: 10,
    date: expect.stringMatching(/^2024-05-10T12:00:\d\dZ$/),
    name,
    bytes: bytes.length,
    sha256: await sha256Hex(bytes),
  });
  expect(await storedKeys()).toEqual([`idx/2/AIA/2024/05/10/171/${name}.idx`, `jp2/AIA/2024/05/10/171/${name}`]);

  const closest = await send('/v2/getClosestImage/?sourceId=10&date=2024-05-10T00:00:00Z');
  expect(await closest.json()).toMatchObject({ id: 26, name: 'AIA 171', width: 256, height: 256 });
  const original = await send('/v2/getJP2Image/?id=26');
  expect(new Uint8Array(await original.arrayBuffer())).toEqual(bytes);
  const tile = await send('/v2/getTile/?id=26&x=0&y=0&imageScale=9.68176352');
  expect(tile.headers.get('Content-Type')).toBe('image/png');
  expect((await tile.arrayBuffer()).byteLength).toBeGreaterThan(1_000);
  await vi.waitFor(async () => expect((await env.ARCHIVE.list({ prefix: 'derived/coefficients/a/' })).objects).toHaveLength(1));
});

it('an upload returns 400 for bytes that do not match X-Content-SHA256', async () => {
  const response = await put(name, bytes, { 'X-Content-SHA256': await sha256Hex(second!.bytes) });
  expect([response.status, await errorOf(response)]).toEqual([400, 'X-Content-SHA256 is not the hash of the body.']);
  expect((await env.ARCHIVE.list()).objects).toEqual([]);
});

it('an upload returns 413 above the size limit', async () => {
  const announced = await put(name, new Uint8Array((20 << 20) + 1));
  expect([announced.status, await errorOf(announced)]).toEqual([413, 'The file has more than 20971520 bytes.']);
  const chunk = new Uint8Array(1 << 20);
  let chunks = 0;
  const endless = new ReadableStream({
    pull(controller) {
      chunks += 1;
      controller.enqueue(chunk);
    },
  });
  expect((await put(name, endless)).status).toBe(413);
  expect(chunks).toBeLessThan(30);
});

it('an upload returns 400 for file names that the archive cannot have', async () => {
  for (const bad of ['..%2f..%2fetc.jp2', 'a%20b.jp2', 'picture.png', '.jp2', `${'a'.repeat(197)}.jp2`]) {
    const response = await put(bad, bytes);
    const sentence = expect.stringContaining(` for the file name, got ${shown(decodeURIComponent(bad))}.`);
    expect([response.status, await errorOf(response)], bad).toEqual([400, sentence]);
  }
});

it('a HEAD request before an upload distinguishes absent, identical and different content, and a list has its source after it', async () => {
  const head = async (headers: Record<string, string>) =>
    (await sendAsAdmin(`/admin/images/${name}`, { method: 'HEAD', headers })).status;
  const list = async () => (await sendAsAdmin('/admin/images')).json();
  expect([await head({}), await list()]).toEqual([404, { sources: [] }]);
  await put(name, bytes);
  expect(await list()).toMatchObject({ sources: [{ sourceId: 10 }] });
  expect(await head({})).toBe(200);
  expect(await head({ 'X-Content-SHA256': (await sha256Hex(bytes)).toUpperCase() })).toBe(200);
  expect(await head({ 'X-Content-SHA256': await sha256Hex(second!.bytes) })).toBe(409);
});

it('the object store creates an object once, reads exact ranges of it, and streams them with a strong ETag', async () => {
  const store = new R2ObjectStore(env.ARCHIVE);
  const text = (content: string) => new TextEncoder().encode(content);
  const create = (content: string) => store.create('jp2/a', text(content), 'image/jp2');
  expect([await create('one'), await create('one'), await create('two')]).toEqual(['created', 'same', 'different']);
  expect(await store.readAll('jp2/a')).toEqual(text('one'));

  const { etag } = await store.put('idx/a', text('0123456789'), 'text/plain');
  expect(await store.read('idx/a', 3, 4)).toEqual(text('3456'));
  for (const offset of [8, 20]) await expect(store.read('idx/a', offset, 4)).rejects.toThrow(RangeError);
  const part = await store.stream('idx/a', { offset: 2, length: 3 });
  expect([await new Response(part!.body).text(), part!.size, part!.etag]).toEqual(['234', 10, etag]);
  expect(etag).toMatch(/^"[^"]+"$/);
  expect(await store.head('idx/a')).toMatchObject({ size: 10, etag });
  const absent = [store.read('idx/b', 0, 1), store.readAll('idx/b'), store.stream('idx/b')];
  expect(await Promise.all(absent)).toEqual([null, null, null]);
});
