// Pages that are made here: what stands in them is text, and what they may do is said by their policy.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { NO_STORE } from '../../../src/http/cache-policy.ts';
import { htmlReply } from '../../../src/http/html.ts';
import type { BytesRepresentation } from '../../../src/http/representation.ts';
import { failedPage, playerPage, waitingPage } from '../../../src/routes/movies/play-movie.ts';

const ATTACK = `"'><script>alert(1)</script><img src=x onerror=alert(2)>&`;

const textOf = ({ bytes }: BytesRepresentation) => new TextDecoder().decode(bytes);

/** The policy with the hash of its style as a word, and whether it is that of the style that stands in the page. */
function policyOf(reply: BytesRepresentation) {
  const style = /<style>([\s\S]*?)<\/style>/.exec(textOf(reply))![1]!;
  const hash = createHash('sha256').update(style).digest('base64');
  return reply.headers['Content-Security-Policy']!.replace(`'sha256-${hash}'`, 'STYLE');
}

const player = (title: string, path: string) =>
  playerPage({ title, width: 640, height: 480, poster: path, sources: [{ path, type: 'video/mp4' }] });

describe('a page', () => {
  it.each([
    ['of sharing', () => htmlReply({ title: ATTACK, body: '<p>Text</p>' }, { policy: NO_STORE })],
    ['that plays a movie', () => player(ATTACK, `/cache/movies/${ATTACK}`)],
    ['of a movie that waits', () => waitingPage(ATTACK, ATTACK)],
    ['of a movie that failed', () => failedPage(ATTACK, ATTACK)],
  ])('%s shows markup as text, in quotes too', async (_name, page) => {
    const text = textOf(await page());
    expect(text).toContain('&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(2)&gt;&amp;');
    expect(text).not.toMatch(/<script|<img|onerror=alert\(2\)>/);
  });

  it('of sharing loads nothing but its style, sends forms to us alone, and stands in no frame', async () => {
    const policy = policyOf(await htmlReply({ title: 'Shared', body: '' }, { policy: NO_STORE }));
    expect(policy).toBe("default-src 'none'; style-src STYLE; base-uri 'none'; form-action 'self'; frame-ancestors 'none'");
  });

  it('that plays a movie loads videos and pictures of ours, and stands in frames of anybody', async () => {
    for (const reply of [await player('A movie', '/a.mp4'), await waitingPage('A movie', 'Waits.'), await failedPage('A', 'B')]) {
      expect(policyOf(reply)).toBe(
        "default-src 'none'; media-src 'self'; img-src 'self'; style-src STYLE; base-uri 'none'; form-action 'none'; frame-ancestors *",
      );
    }
  });

  it('that asks again says so to browsers and to programs', async () => {
    const reply = await waitingPage('A movie', 'It waits.');
    expect([reply.status, reply.headers['Retry-After']]).toEqual([202, '10']);
    expect(textOf(reply)).toContain('<meta http-equiv="refresh" content="10">');
    expect(textOf(await failedPage('A movie', 'No.'))).not.toContain('refresh');
  });
});
