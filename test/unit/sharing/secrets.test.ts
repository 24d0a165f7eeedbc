// Searches everything that leaves the service for secrets: responses, log records, addresses, database rows.
import { describe, expect, test } from 'vitest';
import { ENTERED, MOVIE, OWN_PAGE, shareThrough, sharingServices } from '../../support/sharing/sharing-service.ts';

const it = test.extend('sun', () => service()).extend('browser', ({ sun }) => sun.browser());

const service = sharingServices();

const STATUS = `/v2/uploadMovieToVideoHost/?id=${MOVIE}&html=true`;

it('codes, tokens, keys and upload addresses stay out of responses, log records and rows', async ({ sun, browser }) => {
  const away = await browser.get(`/v2/getVideoHostAuth/?${new URLSearchParams(ENTERED)}`);
  const state = new URL(away.headers.get('Location')!).searchParams.get('state')!;
  const back = sun.host.allow(away.headers.get('Location')!);
  const forged = new URL(back);
  forged.searchParams.set('state', 'f'.repeat(43));
  const responses = [await browser.get(forged.href), await browser.get(`${back.pathname}?code=${'c'.repeat(40)}`)];
  responses.push(await browser.get(back.href), await browser.get(back.href), await browser.get(STATUS));
  sun.host.faults.push({ breakAfterBytes: 700_000 }, { status: 503 });
  await sun.sharing.runUploads();
  const verifierAndAddress = (await sun.rows('video_shares'))[0]!.sealed_address as string;
  expect(verifierAndAddress.length).toBeGreaterThan(40);
  const halfWay = JSON.stringify([await sun.rows('video_shares'), await sun.rows('video_sessions')]);
  sun.host.takesAccessTokens = false;
  sun.pass(60_000);
  await sun.sharing.runUploads();
  responses.push(await browser.get(STATUS), await browser.get('/v2/getUserVideos/'));
  sun.host.revoke();
  await browser.get(`/v2/uploadMovieToVideoHost/?${new URLSearchParams({ ...ENTERED, id: 'second22' })}`, OWN_PAGE);
  await sun.sharing.runUploads();

  const cookie = [...browser.cookies.values()][0]!;
  const code = back.searchParams.get('code')!;
  const secrets = [...sun.host.secrets, cookie, state, code, 'f'.repeat(43), 'c'.repeat(40)];
  expect(sun.host.secrets.map((secret) => secret.split('-')[0])).toEqual(
    expect.arrayContaining(['code', 'access', 'refresh', 'upload', 'secret']),
  );
  const rows = JSON.stringify([await sun.rows('video_shares'), await sun.rows('video_sessions'), halfWay]);
  const locations = responses.map(({ headers }) => headers.get('Location')).join();
  const everything = [...sun.seen, JSON.stringify(sun.logged), rows, locations].join('\n');
  expect(sun.seen.length).toBeGreaterThan(10);
  expect(sun.logged.length).toBeGreaterThan(1);
  for (const secret of secrets) expect(everything).not.toContain(secret);
});

it('the service logs an internal error on the return from the host without code and state', async ({ sun, browser }) => {
  const away = await browser.get(`/v2/getVideoHostAuth/?${new URLSearchParams(ENTERED)}`);
  const back = sun.host.allow(away.headers.get('Location')!);
  await sun.database.exec('DROP TABLE video_authorisations');
  const response = await browser.get(back.href);
  expect(response.status).toBe(500);
  const logged = JSON.stringify(sun.logged);
  expect(logged).toContain('code=hidden&state=hidden');
  const everything = logged + (await response.text());
  for (const name of ['code', 'state']) expect(everything).not.toContain(back.searchParams.get(name));
});

describe('the session cookie', () => {
  const AUTHORISE = `/v2/getVideoHostAuth/?${new URLSearchParams(ENTERED)}`;

  it('hides the session cookie from scripts, other sites and hosts, and needs https but on the loopback interface', async ({
    sun,
  }) => {
    const response = await sun.browser().get(AUTHORISE);
    expect(response.headers.get('Set-Cookie')).toMatch(
      /^__Host-helioedge-sharing=[\w-]{43}; Path=\/; Max-Age=86400; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(response.headers.get('Access-Control-Allow-Credentials')).toBeNull();
    const cookieAt = async (origin: string) => (await sun.app.request(origin + AUTHORISE)).headers.get('Set-Cookie');
    expect(await cookieAt('http://127.0.0.1:8787')).toMatch(/^helioedge-sharing=[\w-]{43}; Path=\/; .+; SameSite=Lax$/);
    expect(await cookieAt('http://sun.test')).toMatch(/^__Host-.+; Secure$/);
  });

  it('keeps no row of a visitor who has not returned from the host after an hour', async ({ sun }) => {
    for (let i = 0; i < 5; i += 1) await sun.browser().get(AUTHORISE);
    expect([await sun.rows('video_sessions'), await sun.rows('video_authorisations')].map(({ length }) => length)).toEqual([
      5, 5,
    ]);
    sun.pass(3_600_000);
    await sun.sharing.sweep();
    expect([await sun.rows('video_sessions'), await sun.rows('video_authorisations')]).toEqual([[], []]);
  });

  it('accepts the session cookie for a day from the grant', async ({ sun, browser }) => {
    await browser.get(AUTHORISE);
    sun.pass(45 * 60_000);
    await shareThrough(sun, browser);
    sun.pass(24 * 3_600_000 - 1);
    expect(await sun.rows('video_sessions')).toHaveLength(1);
    expect(await (await browser.get(STATUS.replace('html=true', 'html=false'))).json()).toMatchObject({
      progress: expect.any(Number),
    });
  });

  it('never adopts a session cookie from the visitor', async ({ browser }) => {
    browser.cookies.set('__Host-helioedge-sharing', 'x'.repeat(43));
    await browser.get(AUTHORISE);
    expect(browser.cookies.get('__Host-helioedge-sharing')).not.toBe('x'.repeat(43));
  });
});

describe('the page of an upload', () => {
  it('escapes text of users and hosts', async ({ sun, browser }) => {
    const title = `"Sun" & 'Moon' &lt;b&gt;`;
    await shareThrough(sun, browser, { ...ENTERED, title });
    const html = await (await browser.get(STATUS)).text();
    const shown = '&quot;Sun&quot; &amp; &#39;Moon&#39; &amp;lt;b&amp;gt;';
    expect(html).toContain(`<title>${shown}</title>`);
    expect(html).toContain(`<h1>${shown}</h1>`);
    // Parameter errors are JSON even with html=true, so that no page shows the value.
    const refused = await browser.get('/v2/uploadMovieToVideoHost/?html=true&id=%3Cscript%3E');
    expect([refused.status, refused.headers.get('Content-Type')]).toEqual([400, 'application/json; charset=utf-8']);
  });

  it('runs no scripts, loads nothing, cannot be framed and posts its forms to the service only', async ({ sun, browser }) => {
    await shareThrough(sun, browser);
    const page = await browser.get(STATUS);
    const policy = page.headers.get('Content-Security-Policy')!;
    expect(policy.replace(/'sha256-[\w+/=]{44}'/, 'HASH')).toBe(
      "default-src 'none'; style-src HASH; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    );
    expect([page.headers.get('Referrer-Policy'), page.headers.get('X-Content-Type-Options')]).toEqual(['no-referrer', 'nosniff']);
    expect(page.headers.get('Cache-Control')).toBe('no-store');
    expect(await page.text()).not.toMatch(/<script|\son\w+=|javascript:/i);
  });
});

it('the service redirects users to fixed addresses, whatever the parameters', async ({ sun, browser }) => {
  const evil = 'https://evil.test/';
  const extra = new URLSearchParams({ ...ENTERED, redirect_uri: evil, return: evil, url: evil, state: 'mine', client_id: evil });
  const away = new URL((await browser.get(`/v2/getVideoHostAuth/?${extra}`)).headers.get('Location')!);
  expect([away.origin, away.searchParams.get('redirect_uri')]).toEqual([
    sun.host.url,
    'https://sun.test/v2/uploadMovieToVideoHost/?html=true',
  ]);
  const back = sun.host.allow(away.href);
  back.searchParams.set('id', `//evil.test/${MOVIE}`);
  back.searchParams.set('redirect_uri', evil);
  // Ids have no slashes, so the parameter is refused before anything is done.
  expect((await browser.get(back.href)).status).toBe(400);
  back.searchParams.set('id', 'evil.test');
  const arrived = await browser.get(back.href, { Host: 'evil.test', 'X-Forwarded-Host': 'evil.test' });
  expect(arrived.headers.get('Location')).toBe(`https://sun.test/v2/uploadMovieToVideoHost/?id=${MOVIE}&html=true`);
});
