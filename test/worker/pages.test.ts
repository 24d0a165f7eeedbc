import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import worker from '../../src/worker/local.ts';
import { fetchService } from './service.ts';

const root = 'https://helioedge.test';
const textOf = (response: Response) => response.headers.get('Content-Type')?.split(';')[0];

it('the root path serves the explorer, which may load resources of this origin only', async () => {
  const page = await fetchService(`${root}/`);
  expect([page.status, textOf(page)]).toEqual([200, 'text/html']);
  expect(page.headers.get('Content-Security-Policy')).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
  expect(await page.text()).toMatch(/<script type="module" src="\/explorer\/app\/main-\w+\.js">/);
});

it('the entry point behind Workers Cache answers as the service does without that cache', async () => {
  const context = createExecutionContext();
  const viaCache = await worker.fetch!(
    new Request<unknown, IncomingRequestCfProperties>(`${root}/v2/getSolarBodiesGlossary/`),
    { ...env },
    context,
  );
  await waitOnExecutionContext(context);
  const direct = await fetchService(`${root}/v2/getSolarBodiesGlossary/`);
  expect([viaCache.status, await viaCache.json()]).toEqual([200, await direct.json()]);
  expect(viaCache.headers.get('Cache-Tag')).toBeNull();
});
