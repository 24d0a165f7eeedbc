import { runDurableObjectAlarm } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, inject, it } from 'vitest';
import { fetchService } from './service.ts';

const TOKEN = 'a-token-for-tests-only';
const PATHS = inject('samples').map(({ name }) => `/AIA/2024/05/10/171/${name}`) as [string, string];
const WHOLE = 'stream=0&fsiz=256,256,closest';
/** The same data-bins in other words: a repeated request would say that the response was lost. */
const SAME_WINDOW = `${WHOLE}&rsiz=256,256`;
/** An end-of-response message alone. */
const NOTHING_NEW = [0, 2, 0];

const send = (target: string) => fetchService(new Request(`http://helioedge.test${target}`));
const bytesOf = async (target: string) => [...new Uint8Array(await (await send(target)).arrayBuffer())];
const errorOf = async (target: string) => {
  const response = await send(target);
  const { error, parameter } = (await response.json()) as { error: string; parameter?: string };
  return [response.status, parameter, error];
};

beforeEach(async () => {
  for (const { name, base64 } of inject('samples')) {
    const body = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const headers = { Authorization: `Bearer ${TOKEN}` };
    await fetchService(new Request(`http://helioedge.test/admin/images/${name}`, { method: 'PUT', headers, body }));
  }
});

describe('a JPIP channel', () => {
  it('is named in the response that opens it, and sends no data twice unless a window that was done is requested again', async () => {
    const opened = await send(`${PATHS[0]}?cnew=http&type=jpp-stream&tid=0&len=512`);
    expect(opened.status).toBe(200);
    expect(opened.headers.get('Content-Type')).toBe('image/jpp-stream');
    expect(opened.headers.get('JPIP-tid')).toMatch(/^[0-9a-f]{32}$/);
    const [, cid] = /^cid=([0-9a-f]{32}),path=(.*),transport=http$/.exec(opened.headers.get('JPIP-cnew') ?? '') ?? [];
    expect((await opened.arrayBuffer()).byteLength).toBeGreaterThan(450);
    const first = await bytesOf(`${PATHS[0]}?cid=${cid}&${WHOLE}`);
    expect(first.length).toBeGreaterThan(5_000);
    expect(await bytesOf(`${PATHS[0]}?cid=${cid}&${SAME_WINDOW}`)).toEqual(NOTHING_NEW);
    expect(await bytesOf(`${PATHS[0]}?cid=${cid}&${WHOLE}`)).toEqual(first);
  });

  it('has a path that leads to its target, in every form of the request', async () => {
    for (const target of [PATHS[0], `/jpip${PATHS[0]}`, `/jpip?target=${PATHS[0].slice(1)}&`]) {
      const opened = await send(`${target}${target.includes('?') ? '' : '?'}cnew=http&len=0`);
      const [, cid, path] = /^cid=(\w+),path=(.*),transport=http$/.exec(opened.headers.get('JPIP-cnew') ?? '') ?? [];
      expect((await bytesOf(`/${path}?cid=${cid}&${WHOLE}`)).length).toBeGreaterThan(5_000);
    }
  });

  it('starts with an empty cache model after it was closed or has expired', async () => {
    const first = await bytesOf(`${PATHS[0]}?cid=mine&${WHOLE}`);
    expect(await bytesOf(`${PATHS[0]}?cid=mine&${SAME_WINDOW}`)).toEqual(NOTHING_NEW);
    expect(await bytesOf(`${PATHS[0]}?cclose=mine&len=0`)).toEqual([]);
    expect(await bytesOf(`${PATHS[0]}?cid=mine&${WHOLE}`)).toEqual(first);
    const channel = env.JPIP_CHANNELS.get(env.JPIP_CHANNELS.idFromName('mine'));
    expect(await runDurableObjectAlarm(channel)).toBe(true);
    expect(await bytesOf(`${PATHS[0]}?cid=mine&${WHOLE}`)).toEqual(first);
  });

  it('is rejected for another target', async () => {
    await bytesOf(`${PATHS[0]}?cid=mine&${WHOLE}`);
    const sentence = (name: string) => `Expected a channel of this target for ${name}, got one of another.`;
    expect(await errorOf(`${PATHS[1]}?cid=mine&${WHOLE}`)).toEqual([400, 'cid', sentence('cid')]);
    expect(await errorOf(`${PATHS[1]}?cclose=mine`)).toEqual([400, 'cclose', sentence('cclose')]);
    expect(await bytesOf(`${PATHS[0]}?cid=mine&${SAME_WINDOW}`)).toEqual(NOTHING_NEW);
  });

  it('shares one cache model between concurrent requests', async () => {
    const windows = [WHOLE, SAME_WINDOW, `${WHOLE}&rsiz=257,257`];
    const responses = await Promise.all(windows.map((window) => bytesOf(`${PATHS[0]}?cid=mine&${window}`)));
    expect(responses.map(({ length }) => length > 3).sort()).toEqual([false, false, true]);
  });
});

describe('a JPIP request', () => {
  it('without a channel gets the whole response each time', async () => {
    const first = await bytesOf(`${PATHS[0]}?${WHOLE}`);
    expect(await bytesOf(`${PATHS[0]}?${WHOLE}`)).toEqual(first);
    expect(await bytesOf(`/jpip${PATHS[0]}?${WHOLE}`)).toEqual(first);
    expect(await bytesOf(`/jpip?target=${encodeURIComponent(PATHS[0])}&${WHOLE}`)).toEqual(first);
  });

  it.each([
    ['/AIA/2024/05/10/171/none.jp2'],
    ['/AIA/2024/05/10/172/SAME'],
    ['/../admin-token.jp2'],
    ['/AIA/..%2f2024/05/10/171/SAME'],
    ['/%00.jp2'],
    ['/%ff.jp2'],
    ['/movies/none.jpx'],
    ['/movies/..%2f..%2fjp2.jpx'],
  ])('for %s answers 404 without naming a path', async (path) => {
    const name = PATHS[0].slice(PATHS[0].lastIndexOf('/') + 1);
    const sentence = 'No image or JPX movie has this path.';
    expect(await errorOf(`${path.replace('SAME', name)}?cnew=http`)).toEqual([404, undefined, sentence]);
  });

  it('with an invalid field returns 400 and names the field', async () => {
    expect(await errorOf(`${PATHS[0]}?fsiz=a,b`)).toEqual([
      400,
      'fsiz',
      'Expected <width>,<height> and round-down, round-up or closest for fsiz, got a,b.',
    ]);
    expect(await errorOf(`${PATHS[0]}?stream=7&fsiz=1,1`)).toEqual([
      400,
      'stream',
      'Expected codestreams from 0 to 0 for stream, got others.',
    ]);
  });

  it('exposes the JPIP headers to pages of other origins', async () => {
    const response = await send(`${PATHS[0]}?cnew=http&len=0`);
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(response.headers.get('Access-Control-Expose-Headers')).toContain('JPIP-cnew, JPIP-tid');
    expect(response.headers.get('Cache-Control')).toBe('no-cache');
  });
});
