import { expect, it } from 'vitest';
import { NO_STORE } from '../../../src/http/cache-policy.ts';
import { bytesReply, redirectReply, send } from '../../../src/http/response.ts';

const AWAY = 'https://host.test/authorise?a=1';

it('send gives a redirect its location and headers, and no body', async () => {
  const facts = { policy: NO_STORE, headers: { 'Set-Cookie': 'a=1; HttpOnly' } };
  const response = await send(new Request('https://sun.test/'), await redirectReply(AWAY, facts));
  expect([response.status, response.headers.get('Location'), await response.text()]).toEqual([302, AWAY, '']);
  expect([response.headers.get('Cache-Control'), response.headers.get('Set-Cookie')]).toEqual(['no-store', 'a=1; HttpOnly']);
  expect((await send(new Request('https://sun.test/'), await redirectReply(AWAY, facts, 303))).status).toBe(303);
});

it('send ignores conditional and range headers for a representation with a status of its own', async () => {
  const page = { ...(await bytesReply('text/html', new TextEncoder().encode('gone'), { policy: NO_STORE })), status: 401 };
  const request = new Request('https://sun.test/', { headers: { 'If-None-Match': '*', Range: 'bytes=0-1' } });
  const response = await send(request, page);
  expect([response.status, response.headers.has('ETag'), await response.text()]).toEqual([401, false, 'gone']);
  const head = await send(new Request('https://sun.test/', { method: 'HEAD' }), page);
  expect([head.status, head.headers.get('Content-Length'), await head.text()]).toEqual([401, '4', '']);
});
