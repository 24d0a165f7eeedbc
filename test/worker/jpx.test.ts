import { env, exports } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { jp2Key } from '../../src/archive/keys.ts';
import { sourceStream } from '../../src/faces/jpx/source-stream.ts';
import { readBoxes } from '../../src/jp2/boxes.ts';
import type { ByteSource } from '../../src/jp2/byte-source.ts';
import { R2ObjectStore } from '../../src/platform/storage/r2-object-store.ts';
import { calling, type JpxEntry } from '../../src/worker/platform.ts';
import { ingest, samples, send } from './service.ts';

const QUERY = '/v2/getJPX/?sourceId=10&startTime=2024-05-10T11:00:00Z&endTime=2024-05-10T13:00:00Z';

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

async function expectStreamed(flags: string): Promise<void> {
  const made = await send(QUERY + flags);
  const whole = await bytesOf(made);
  expect(Object.fromEntries(made.headers)).toMatchObject({ 'content-type': 'image/jpx', 'content-length': String(whole.length) });
  const { uri, frames } = (await (await send(`${QUERY}${flags}&verbose=true`)).json()) as { uri: string; frames: number[] };
  expect(frames).toHaveLength(samples.length);
  const { pathname } = new URL(uri);
  expect((await bytesOf(await send(pathname))).equals(whole)).toBe(true);
  for (const [from, to] of [
    [0, 99],
    [whole.length >> 1, whole.length - 1],
    [700, whole.length - 5],
  ] as const) {
    const part = await send(pathname, { headers: { Range: `bytes=${from}-${to}` } });
    expect([part.status, part.headers.get('Content-Length')]).toEqual([206, String(to - from + 1)]);
    expect((await bytesOf(part)).equals(whole.subarray(from, to + 1))).toBe(true);
  }
}

it('a JPX file streams with its length, whole and in ranges, with images and linked', async () => {
  for (const file of samples) await ingest(file);
  for (const flags of ['', '&linked=true']) await expectStreamed(flags);
});

const store = new R2ObjectStore(env.ARCHIVE);
const large = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 7) % 251);
const small = Uint8Array.from({ length: 3_000 }, (_, i) => i % 249);

it('a stream of byte ranges of other objects sends the ranges in order, small ones read ahead and large ones passed through', async () => {
  await store.put('a', large, 'application/octet-stream');
  await store.put('b', small, 'application/octet-stream');
  const sources: ByteSource[] = [];
  for (let i = 0; i < 40; i++) {
    sources.push(Uint8Array.of(i, 1, 2));
    sources.push({ length: 200 + i, key: 'b', offset: 10 * i });
    if (i % 8 === 0) sources.push({ length: 250_000 + i, key: 'a', offset: i });
  }
  const expected = sources.map((source) => {
    if (source instanceof Uint8Array) return source;
    return (source.key === 'a' ? large : small).subarray(source.offset, source.offset + source.length);
  });
  const streamed = await bytesOf(new Response(sourceStream(store, sources)));
  expect(streamed.equals(Buffer.concat(expected))).toBe(true);
});

it('a stream of byte ranges of other objects fails where a small or a large range is missing', async () => {
  for (const length of [100, 100_000]) {
    const sources: ByteSource[] = [Uint8Array.of(1, 2, 3), { length, key: 'absent', offset: 0 }];
    await expect(bytesOf(new Response(sourceStream(store, sources)))).rejects.toThrow('missing from the archive');
  }
});

it('parts of a long JPX file are read and stored by calls of the Worker to itself, which keep the kinds of failures', async () => {
  const objects = new R2ObjectStore(env.ARCHIVE);
  const parts = calling(async () => exports.JpxCalls as unknown as JpxEntry);
  const key = jp2Key('AIA/2024/05/10/171', 'call.jp2');
  await objects.put(key, samples[0]!.bytes, 'image/jp2');
  const [layout, ...others] = await parts.layouts([{ key }]);
  const { codestream } = readBoxes(samples[0]!.bytes);
  expect([layout!.codestreamOffset, layout!.header.length > 0, others]).toEqual([codestream.start, true, []]);
  await parts.store(
    'derived/jpx-metadata/of-a-test.xml',
    [5, 90].map((offset) => ({ key, offset, length: 20 })),
  );
  const stored = await objects.readAll('derived/jpx-metadata/of-a-test.xml');
  const { bytes } = samples[0]!;
  expect(Buffer.from(stored!).equals(Buffer.concat([bytes.subarray(5, 25), bytes.subarray(90, 110)]))).toBe(true);
  const missing = jp2Key('AIA/2024/05/10/171', 'missing.jp2');
  await expect(parts.layouts([{ key: missing }])).rejects.toMatchObject({ kind: 'missing-file' });
});
