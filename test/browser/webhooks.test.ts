// The page of webhooks in Chromium, from the built files, with the service and a receiver of the test.
import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtPages, ORIGIN } from '../support/browser/built-pages.ts';
import { axeViolations, DESKTOP, PHONE, watchTroubles } from '../support/explorer.ts';
import { launchChromium } from '../support/served-archive.ts';
import { ADMIN_TOKEN, type WebhookReceiver, webhookReceiver, webhookService } from '../support/webhooks/webhook-service.ts';

const service = webhookService();

const DEAD_LETTER = `
  INSERT INTO webhook_deliveries (id, webhook_id, type, items, body, state, created_at_ms, attempts, due_at_ms, tried_at_ms, sentence)
  VALUES (?1, 1, 'images.added', 3, '{}', 'dead', ?2, 12, ?2, ?2, 'The receiver responded with status 500.')`;

let browser: Browser;
let respondWithFile: (route: Route) => Promise<void>;
let page: Page;
let there: WebhookReceiver;
let troubles: string[];

/** Answers with the built files under their policy, and by the service. */
async function respond(route: Route): Promise<void> {
  const request = route.request();
  const { pathname } = new URL(request.url());
  if (pathname.startsWith('/admin/')) {
    const body = request.postData();
    const answer = await service.app(
      new Request(request.url(), { method: request.method(), headers: request.headers(), ...(body ? { body } : {}) }),
    );
    return route.fulfill({ status: answer.status, body: await answer.text(), contentType: 'application/json' });
  }
  return respondWithFile(route);
}

beforeAll(async () => {
  respondWithFile = await builtPages();
  [browser, there] = await Promise.all([launchChromium(), webhookReceiver()]);
  page = await browser.newPage({ ...DESKTOP, colorScheme: 'dark' });
  troubles = watchTroubles(page);
  await page.route('**/*', respond);
  await page.goto(`${ORIGIN}/webhooks/`);
});

afterAll(async () => {
  await browser?.close();
  await there?.close();
});

const status = () => page.getByRole('status');
const press = (name: string | RegExp) => page.getByRole('button', { name }).click();

describe('the page of webhooks', () => {
  it('refuses a wrong token, and keeps the right one in its memory alone', async () => {
    await page.getByLabel('Token').fill('a-token-that-is-wrong');
    await press('Open');
    await expect.poll(() => status().textContent()).toBe('The admin token is missing or wrong.');
    await page.getByLabel('Token').fill(ADMIN_TOKEN);
    await press('Open');
    await page.getByText('There is no webhook.').waitFor();
    expect(await page.evaluate('localStorage.length + sessionStorage.length + document.cookie.length')).toBe(0);
  });

  it('says what is wrong with a registration, then shows the secret of a good one', async () => {
    await page.getByLabel('Address').fill('https://169.254.169.254/');
    await page.getByLabel('Datasources').fill('10, 13');
    await page.getByLabel('Types of new events').fill('fl');
    await press('Register');
    await expect.poll(() => status().textContent()).toMatch(/^Expected an https address .* for address, got https:\/\/169/);
    await page.getByLabel('Address').fill(there.address);
    await press('Register');
    await expect.poll(() => page.locator('.secret').textContent()).toMatch(/: whsec_\S+=$/);
    await page.getByText('images of the sources 10, 13; events of the types FL').waitFor();
  });

  it('tests a receiver, and says what it said', async () => {
    await press('Test webhook 1');
    await expect.poll(() => status().textContent()).toBe('Webhook 1 received the test (status 204).');
    there.receiver.respond = (response) => void response.writeHead(500).end();
    await press('Test webhook 1');
    const sentence = 'Webhook 1 did not receive the test. The receiver responded with status 500.';
    await expect.poll(() => status().textContent()).toBe(sentence);
  });

  it('shows dead letters, and sends one again', async () => {
    const { operations } = service.services.databases;
    await operations
      .prepare(DEAD_LETTER)
      .bind(`msg_${'1'.repeat(32)}`, service.time.nowMs)
      .run();
    await press('Dead letters (0) of webhook 1');
    await page.getByText('images.added').waitFor();
    await page.getByRole('button', { name: 'Dead letters (1) of webhook 1' }).waitFor();
    expect(await page.getByText('The receiver responded with status 500.').count()).toBeGreaterThan(0);
    there.receiver.respond = (response) => void response.writeHead(204).end();
    const sent = there.received.length;
    await press('Send again');
    await page.getByText('There are no dead letters.').waitFor();
    await service.minute();
    expect(there.received).toHaveLength(sent + 1);
    expect(troubles.filter((trouble) => !/40[01]/.test(trouble))).toEqual([]);
  });

  it.each([
    ['a dark desktop', 'dark', DESKTOP.viewport],
    ['a light phone', 'light', PHONE.viewport],
  ] as const)('passes axe and fits the width of %s', async (_name, colorScheme, viewport) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    expect(await axeViolations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  });

  it('removes a webhook after it has asked', async () => {
    await press('Remove webhook 1');
    await press('Remove webhook 1 for good');
    await page.getByText('There is no webhook.').waitFor();
    expect(await service.services.webhooks.list()).toEqual([]);
  });
});
