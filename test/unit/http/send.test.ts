import { expect, it } from 'vitest';
import { asScript } from '../../../src/platform/http/jsonp.ts';
import { bytesReply, JSON_TYPE, NO_STORE, RECENT, send, textReply } from '../../../src/platform/http/response.ts';

it('a response that nobody may store has no ETag, and conditional requests get it whole', async () => {
  const bytes = new Uint8Array(100).fill(7);
  const [unstored, stored] = await Promise.all([NO_STORE, RECENT].map((policy) => bytesReply('image/png', bytes, { policy })));
  const asked = new Request('https://sun.test/', {
    headers: { 'If-None-Match': stored!.etag!, Range: 'bytes=0-9', 'If-Range': '"x"' },
  });
  const response = await send(asked, unstored!);
  expect([response.status, response.headers.has('ETag'), (await response.arrayBuffer()).byteLength]).toEqual([200, false, 100]);
  expect((await send(asked, stored!)).status).toBe(304);
  expect((await bytesReply('image/png', bytes, { policy: NO_STORE, etag: '"known"' })).etag).toBe('"known"');
  expect(asScript(await textReply(JSON_TYPE, '1', { policy: NO_STORE }), 'f').etag).toBeNull();
});

it('a large response in memory is sent in pieces, between which other requests go on, with its length and its ranges', async () => {
  const bytes = Uint8Array.from({ length: 1_000_001 }, (_, i) => i % 251);
  const picture = await bytesReply('image/png', bytes, { policy: RECENT });
  const response = await send(new Request('https://sun.test/'), picture);
  const pieces = await Array.fromAsync(response.body!);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(1 << 18);
  expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
  expect(response.headers.get('Content-Length')).toBe('1000001');
  const range = await send(new Request('https://sun.test/', { headers: { Range: 'bytes=200-900000' } }), picture);
  expect(Buffer.from(await range.arrayBuffer()).equals(bytes.subarray(200, 900_001))).toBe(true);
  expect([range.status, range.headers.get('Content-Length')]).toEqual([206, '899801']);
});

it('send ignores conditional and range headers for a representation with a status of its own', async () => {
  const page = { ...(await bytesReply('text/html', new TextEncoder().encode('gone'), { policy: NO_STORE })), status: 401 };
  const request = new Request('https://sun.test/', { headers: { 'If-None-Match': '*', Range: 'bytes=0-1' } });
  const response = await send(request, page);
  expect([response.status, response.headers.has('ETag'), await response.text()]).toEqual([401, false, 'gone']);
  const head = await send(new Request('https://sun.test/', { method: 'HEAD' }), page);
  expect([head.status, head.headers.get('Content-Length'), await head.text()]).toEqual([401, '4', '']);
});
