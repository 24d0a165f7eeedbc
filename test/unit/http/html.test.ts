import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { failedPage, playerPage, waitingPage } from '../../../src/faces/movies/movie-files.ts';
import { htmlReply } from '../../../src/platform/http/html.ts';
import { type BytesRepresentation, NO_STORE } from '../../../src/platform/http/response.ts';

const ATTACK = `"'><script>alert(1)</script><img src=x onerror=alert(2)>&`;

const textOf = ({ bytes }: BytesRepresentation) => new TextDecoder().decode(bytes);

/** The Content Security Policy, with the hash of the style in the page replaced by STYLE. */
function policyOf(reply: BytesRepresentation) {
  const style = /<style>([\s\S]*?)<\/style>/.exec(textOf(reply))![1]!;
  const hash = createHash('sha256').update(style).digest('base64');
  return reply.headers['Content-Security-Policy']!.replace(`'sha256-${hash}'`, 'STYLE');
}

const player = (title: string, id: string) => {
  const found = { movie: { id, createdAtMs: 0, layers: [] }, build: { firstFrameMs: 0, lastFrameMs: 0 } } as never;
  return playerPage(title, found, { width: 640, height: 480 }, ['movie.mp4']);
};

it.each([
  ['sharing', () => htmlReply({ title: ATTACK, body: '<p>Text</p>' }, { policy: NO_STORE })],
  ['player', () => player(ATTACK, ATTACK)],
  ['queued movie', () => waitingPage(ATTACK, ATTACK)],
  ['failed movie', () => failedPage(ATTACK, ATTACK)],
])('HTML pages escape text and attributes (%s)', async (_name, page) => {
  const text = textOf(await page());
  expect(text).toContain('&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(2)&gt;&amp;');
  expect(text).not.toMatch(/<script|<img|onerror=alert\(2\)>/);
});

it('HTML pages give a heading within the landmarks, and the ways to the other pages of the service', async () => {
  const text = textOf(await htmlReply({ title: 'Shared', body: '<p>Text</p>' }, { policy: NO_STORE }));
  expect(text).toMatch(
    /<header>.*<\/header>\n<main>\n<h1>Shared<\/h1>\n<p>Text<\/p>\n<\/main>\n<footer><nav aria-label="[^"]+">/,
  );
  for (const path of ['/', '/docs/', '/status']) expect(text).toContain(`<a href="${path}">`);
  for (const page of [await player('A movie', 'a'), await waitingPage('A movie', 'Waits.'), await failedPage('A', 'B')])
    expect(textOf(page)).toMatch(/<main>\n<h1>A/);
});

it('HTML pages allow a page of sharing its style and forms to this service only, and no frames', async () => {
  const policy = policyOf(await htmlReply({ title: 'Shared', body: '' }, { policy: NO_STORE }));
  expect(policy).toBe("default-src 'none'; style-src STYLE; base-uri 'none'; form-action 'self'; frame-ancestors 'none'");
});

it('HTML pages allow a page of a movie videos and images of this service only, and frames of any site', async () => {
  for (const reply of [await player('A movie', 'a'), await waitingPage('A movie', 'Waits.'), await failedPage('A', 'B')]) {
    expect(policyOf(reply)).toBe(
      "default-src 'none'; media-src 'self'; img-src 'self'; style-src STYLE; base-uri 'none'; form-action 'none'; frame-ancestors *",
    );
  }
});

it('HTML pages state for a queued movie when to reload, for browsers and for programs', async () => {
  const reply = await waitingPage('A movie', 'It waits.');
  expect([reply.status, reply.headers['Retry-After']]).toEqual([202, '10']);
  expect(textOf(reply)).toContain('<meta http-equiv="refresh" content="10">');
  expect(textOf(await failedPage('A movie', 'No.'))).not.toContain('refresh');
});
