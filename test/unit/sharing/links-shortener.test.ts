import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { ROW_BYTES } from '../../../src/platform/limits/admission.ts';
import { bitlyShortener } from '../../../src/sharing/short-links.ts';
import type { BudgetLimits } from '../../support/memory/budgets.ts';
import { memoryShortLinks } from '../../support/memory/links.ts';
import type { Responder } from '../../support/upstream/test-upstream.ts';
import { endlessResponse, json, noResponse, text, truncatedResponse } from '../../support/upstream/test-upstream.ts';
import { upstreamOfEachTest } from '../../support/upstream/upstream-of-each-test.ts';

const OWN = 'https://sun.example';
const PAGE = `${OWN}/?date=2024-05-10T12:00:00Z`;
const GOOD = { link: 'https://sho.rt/2ab-Cd', id: 'sho.rt/2ab-Cd', long_url: PAGE, created_at: '2024-05-10T12:00:00+0000' };

const upstream = upstreamOfEachTest();

function shortLinks(responder: Responder, clock = () => 0, limits: BudgetLimits = {}) {
  upstream.responders.v4 = responder;
  const shortener = bitlyShortener({ url: `${upstream.url}/v4/shorten`, token: 'the-token' }, 300);
  return memoryShortLinks({ shortener, clock, limits });
}

const created: Responder = (_url, response) => {
  response.writeHead(201, { 'Content-Type': 'application/json' }).end(JSON.stringify(GOOD));
};

it('an external shortener calls the shortener through the bitly API, and returns its link', async () => {
  const requests: { method?: string; authorization?: string; body: string }[] = [];
  const record: Responder = (url, response, request: IncomingMessage) => {
    let body = '';
    request.on('data', (part) => (body += part));
    request.on('end', () => {
      requests.push({ method: request.method!, authorization: request.headers.authorization!, body });
      created(url, response, request);
    });
  };
  const { shortenAs, addresses } = shortLinks(record);
  expect(await shortenAs(PAGE, OWN, 'local')).toEqual({
    long_url: PAGE,
    url: 'https://sho.rt/2ab-Cd',
    hash: '2ab-Cd',
    global_hash: '2ab-Cd',
    new_hash: 1,
  });
  expect(requests).toEqual([{ method: 'POST', authorization: 'Bearer the-token', body: JSON.stringify({ long_url: PAGE }) }]);
  expect((await addresses()).size).toBe(0);
});

it('an external shortener marks a known address with status 200', async () => {
  const { shortenAs } = shortLinks(json(GOOD));
  expect((await shortenAs(PAGE, OWN, 'local')).new_hash).toBe(0);
});

it('an external shortener asks the shortener for no more links than a client may store', async () => {
  const { shortenAs } = shortLinks(created, undefined, {
    links: { clientHour: 1000, clientDay: 1000, allDay: 5000, subject: 'links' },
  });
  for (let i = 0; i < 5; i++) await shortenAs(`${PAGE}&n=${i}`, OWN, '192.0.2.1');
  const asked = upstream.requests.length;
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThan(5);
  expect((await shortenAs(PAGE, OWN, '192.0.2.1')).url).toBe(PAGE);
  expect((await shortenAs(PAGE, OWN, '192.0.2.2')).url).toBe(GOOD.link);
});

it('an external shortener that fails costs a client no more than the link that replaces its own', async () => {
  const bytes = ROW_BYTES + PAGE.length;
  const limits = { links: { clientHour: bytes, clientDay: bytes, allDay: bytes, subject: 'links' } };
  const { shortenAs } = shortLinks(text('no', 503), undefined, limits);
  expect((await shortenAs(PAGE, OWN, '192.0.2.1')).new_hash).toBe(1);
  expect((await shortenAs(`${PAGE}&n=1`, OWN, '192.0.2.1')).hash).toBe('');
});

it('an external shortener sends the shortener no addresses of other origins', async () => {
  const { shortenAs } = shortLinks(created);
  await shortenAs('https://elsewhere.example/', OWN, 'local');
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
])('an external shortener replaces a shortener that %s by the internal one', async (_name, responder) => {
  const { shortenAs, addresses, logged } = shortLinks(responder);
  const { url, hash, new_hash } = await shortenAs(PAGE, OWN, 'local');
  expect([url, new_hash]).toEqual([`${OWN}/v2/goto/?id=${hash}`, 1]);
  expect([...(await addresses())]).toEqual([[hash, PAGE]]);
  expect(logged).toHaveLength(1);
  expect(JSON.stringify(logged)).not.toContain('the-token');
});

it('an external shortener rests the shortener for a minute after a failure', async () => {
  let nowMs = 1000;
  const { shortenAs } = shortLinks(text('no', 503), () => nowMs);
  await shortenAs(PAGE, OWN, 'local');
  await shortenAs(PAGE, OWN, 'local');
  expect(upstream.requests).toHaveLength(1);
  nowMs += 60_000;
  upstream.responders.v4 = created;
  expect((await shortenAs(PAGE, OWN, 'local')).url).toBe(GOOD.link);
});
