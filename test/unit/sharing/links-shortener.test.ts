import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BitlyShortener } from '../../../src/upstreams/url-shortener.ts';
import {
  type Answer,
  type EventUpstream,
  endless,
  halfAnAnswer,
  json,
  silence,
  startEventUpstream,
  text,
} from '../../support/events/event-upstream.ts';
import { memoryShortLinks } from '../../support/memory/links.ts';

const OWN = 'https://sun.example';
const PAGE = `${OWN}/?date=2024-05-10T12:00:00Z`;
const GOOD = { link: 'https://sho.rt/2ab-Cd', id: 'sho.rt/2ab-Cd', long_url: PAGE, created_at: '2024-05-10T12:00:00+0000' };

let upstream: EventUpstream;
beforeEach(async () => {
  upstream = await startEventUpstream();
});
afterEach(() => upstream.close());

function links(answer: Answer, clock = () => 0) {
  upstream.answers.v4 = answer;
  const shortener = new BitlyShortener({ url: `${upstream.url}/v4/shorten`, token: 'the-token' }, 300);
  return memoryShortLinks({ shortener, clock });
}

const created: Answer = (_url, response) => {
  response.writeHead(201, { 'Content-Type': 'application/json' }).end(JSON.stringify(GOOD));
};

describe('an external shortener', () => {
  it('is asked as the interface of bitly wants it, and its link is given out', async () => {
    const asked: { method?: string; authorization?: string; body: string }[] = [];
    const record: Answer = (url, response, request: IncomingMessage) => {
      let body = '';
      request.on('data', (part) => (body += part));
      request.on('end', () => {
        asked.push({ method: request.method!, authorization: request.headers.authorization!, body });
        created(url, response, request);
      });
    };
    const { links: own, register } = links(record);
    expect(await own.shorten(PAGE, OWN)).toEqual({
      long_url: PAGE,
      url: 'https://sho.rt/2ab-Cd',
      hash: '2ab-Cd',
      global_hash: '2ab-Cd',
      new_hash: 1,
    });
    expect(asked).toEqual([{ method: 'POST', authorization: 'Bearer the-token', body: JSON.stringify({ long_url: PAGE }) }]);
    expect(register.addresses.size).toBe(0);
  });

  it('says with 200 that it knew the address', async () => {
    const { links: own } = links(json(GOOD));
    expect((await own.shorten(PAGE, OWN)).new_hash).toBe(0);
  });

  it('never hears of addresses that are not shortened', async () => {
    const { links: own } = links(created);
    await own.shorten('https://elsewhere.example/', OWN);
    expect(upstream.asked).toEqual([]);
  });

  const redirect: Answer = text('', 302, { Location: 'http://127.0.0.1:1/' });
  it.each<[string, Answer]>([
    ['is silent', silence],
    ['answers 500', text('no', 500)],
    ['answers 403', text('{"message":"FORBIDDEN"}', 403)],
    ['answers HTML', text('<html>moved</html>', 200, { 'Content-Type': 'text/html' })],
    ['answers in part', halfAnAnswer],
    ['answers without end', endless],
    ['sends us elsewhere', redirect],
    ['gives a script as link', json({ ...GOOD, link: 'javascript:alert(1)//a' })],
    ['gives a link with a password', json({ ...GOOD, link: 'https://a:b@sho.rt/abc' })],
    ['gives a link of many characters', json({ ...GOOD, link: `https://sho.rt/${'a'.repeat(400)}` })],
    ['gives a number as link', json({ ...GOOD, link: 5 })],
    ['gives nothing', json(null)],
  ])('that %s is replaced by our own', async (_name, answer) => {
    const { links: own, register, logged } = links(answer);
    const { url, hash, new_hash } = await own.shorten(PAGE, OWN);
    expect([url, new_hash]).toEqual([`${OWN}/v2/goto/?id=${hash}`, 1]);
    expect([...register.addresses]).toEqual([[hash, PAGE]]);
    expect(logged).toHaveLength(1);
    expect(JSON.stringify(logged)).not.toContain('the-token');
  });

  it('that fails is left alone for a minute', async () => {
    let nowMs = 1000;
    const { links: own } = links(text('no', 503), () => nowMs);
    await own.shorten(PAGE, OWN);
    await own.shorten(PAGE, OWN);
    expect(upstream.asked).toHaveLength(1);
    nowMs += 60_000;
    upstream.answers.v4 = created;
    expect((await own.shorten(PAGE, OWN)).url).toBe(GOOD.link);
  });
});
