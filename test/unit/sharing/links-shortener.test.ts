import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BitlyShortener } from '../../../src/upstreams/url-shortener.ts';
import { memoryShortLinks } from '../../support/memory/links.ts';
import {
  endlessResponse,
  json,
  noResponse,
  type Responder,
  startUpstream,
  type TestUpstream,
  text,
  truncatedResponse,
} from '../../support/test-upstream.ts';

const OWN = 'https://sun.example';
const PAGE = `${OWN}/?date=2024-05-10T12:00:00Z`;
const GOOD = { link: 'https://sho.rt/2ab-Cd', id: 'sho.rt/2ab-Cd', long_url: PAGE, created_at: '2024-05-10T12:00:00+0000' };

let upstream: TestUpstream;
beforeEach(async () => {
  upstream = await startUpstream();
});
afterEach(() => upstream.close());

function shortLinks(responder: Responder, clock = () => 0) {
  upstream.responders.v4 = responder;
  const shortener = new BitlyShortener({ url: `${upstream.url}/v4/shorten`, token: 'the-token' }, 300);
  return memoryShortLinks({ shortener, clock });
}

const created: Responder = (_url, response) => {
  response.writeHead(201, { 'Content-Type': 'application/json' }).end(JSON.stringify(GOOD));
};

describe('an external shortener', () => {
  it('is called through the bitly API, and its link is returned', async () => {
    const requests: { method?: string; authorization?: string; body: string }[] = [];
    const record: Responder = (url, response, request: IncomingMessage) => {
      let body = '';
      request.on('data', (part) => (body += part));
      request.on('end', () => {
        requests.push({ method: request.method!, authorization: request.headers.authorization!, body });
        created(url, response, request);
      });
    };
    const { links, register } = shortLinks(record);
    expect(await links.shorten(PAGE, OWN)).toEqual({
      long_url: PAGE,
      url: 'https://sho.rt/2ab-Cd',
      hash: '2ab-Cd',
      global_hash: '2ab-Cd',
      new_hash: 1,
    });
    expect(requests).toEqual([{ method: 'POST', authorization: 'Bearer the-token', body: JSON.stringify({ long_url: PAGE }) }]);
    expect(register.addresses.size).toBe(0);
  });

  it('marks a known address with status 200', async () => {
    const { links } = shortLinks(json(GOOD));
    expect((await links.shorten(PAGE, OWN)).new_hash).toBe(0);
  });

  it('is not called for addresses of other origins', async () => {
    const { links } = shortLinks(created);
    await links.shorten('https://elsewhere.example/', OWN);
    expect(upstream.requests).toEqual([]);
  });

  const redirect: Responder = text('', 302, { Location: 'http://127.0.0.1:1/' });
  it.each<[string, Responder]>([
    ['does not respond', noResponse],
    ['responds with 500', text('no', 500)],
    ['responds with 403', text('{"message":"FORBIDDEN"}', 403)],
    ['responds with HTML', text('<html>moved</html>', 200, { 'Content-Type': 'text/html' })],
    ['sends a truncated body', truncatedResponse],
    ['sends an endless body', endlessResponse],
    ['redirects', redirect],
    ['returns a script as the link', json({ ...GOOD, link: 'javascript:alert(1)//a' })],
    ['returns a link with credentials', json({ ...GOOD, link: 'https://a:b@sho.rt/abc' })],
    ['returns an overlong link', json({ ...GOOD, link: `https://sho.rt/${'a'.repeat(400)}` })],
    ['returns a number as the link', json({ ...GOOD, link: 5 })],
    ['returns null', json(null)],
  ])('that %s is replaced by the internal one', async (_name, responder) => {
    const { links, register, logged } = shortLinks(responder);
    const { url, hash, new_hash } = await links.shorten(PAGE, OWN);
    expect([url, new_hash]).toEqual([`${OWN}/v2/goto/?id=${hash}`, 1]);
    expect([...register.addresses]).toEqual([[hash, PAGE]]);
    expect(logged).toHaveLength(1);
    expect(JSON.stringify(logged)).not.toContain('the-token');
  });

  it('is not called for a minute after a failure', async () => {
    let nowMs = 1000;
    const { links } = shortLinks(text('no', 503), () => nowMs);
    await links.shorten(PAGE, OWN);
    await links.shorten(PAGE, OWN);
    expect(upstream.requests).toHaveLength(1);
    nowMs += 60_000;
    upstream.responders.v4 = created;
    expect((await links.shorten(PAGE, OWN)).url).toBe(GOOD.link);
  });
});
