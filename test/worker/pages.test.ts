import { SELF } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';

const root = 'https://helioedge.test';
const textOf = (answer: Response) => answer.headers.get('Content-Type')?.split(';')[0];

describe('the root', () => {
  it('is the page for people, which may load from this site alone', async () => {
    const page = await SELF.fetch(`${root}/`);
    expect([page.status, textOf(page)]).toEqual([200, 'text/html']);
    expect(page.headers.get('Content-Security-Policy')).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(await page.text()).toContain('<script type="module" src="/explorer/main.js">');
  });

  it('answers HEAD as GET, and says to a browser that has the page that it is the same', async () => {
    const head = await SELF.fetch(`${root}/`, { method: 'HEAD' });
    expect([head.status, textOf(head), await head.text()]).toEqual([200, 'text/html', '']);
    const again = await SELF.fetch(`${root}/`, { headers: { 'If-None-Match': head.headers.get('ETag')! } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  it('with an action is an operation, by GET and by POST', async () => {
    const get = await SELF.fetch(`${root}/?action=getDataSources`);
    expect([get.status, await get.json()]).toEqual([200, {}]);
    const post = await SELF.fetch(`${root}/`, { method: 'POST', body: new URLSearchParams({ action: 'getDataSources' }) });
    expect([post.status, await post.json()]).toEqual([200, {}]);
    const unknown = await SELF.fetch(`${root}/?action=explorer`);
    expect([unknown.status, await unknown.json()]).toMatchObject([400, { parameter: 'action' }]);
  });

  it('answers the preflight of a browser', async () => {
    const options = await SELF.fetch(`${root}/`, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('Access-Control-Allow-Origin')]).toEqual([200, '*']);
  });
});

describe('the page', () => {
  it('does not hide the paths of the API', async () => {
    const paths = ['/v2/getDataSources/', '/v1/getDataSources', '/v2/openapi.json', '/health'];
    const statuses = paths.map(async (path) => (await SELF.fetch(root + path)).status);
    expect(await Promise.all(statuses)).toEqual([200, 200, 200, 200]);
    expect((await SELF.fetch(`${root}/admin/images`)).status).toBe(401);
  });

  it('is not at other addresses, which are a failure in JSON', async () => {
    const answer = await SELF.fetch(`${root}/index.htm`);
    expect([answer.status, await answer.json()]).toMatchObject([404, { errno: 255 }]);
  });
});
