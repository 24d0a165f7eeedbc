// Pages that the tests of a file take in turns, because a new page takes Chromium three times as long as another address in an old one.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterEach, expect } from 'vitest';
import type { Shot } from '../../../demo/instruments/instrument.ts';
import { openTool } from '../explorer/acts.ts';
import { settled, watchTroubles } from '../explorer/looks.ts';
import { AT_NOON, AT_SEVEN, DESKTOP, IN_BRITISH_ENGLISH, PATIENCE } from '../explorer/views.ts';
import { serveArchive } from '../served-archive.ts';
import { type Served, servedBrowser, sharedArchive } from './served-browser.ts';
import type { SharedArchive } from './shared-archives.ts';

/**
 * Pages of the calling file. Each test that has neither failed nor set `mayLogErrors` fails when the console of its pages has an error
 * after they were opened.
 */
export function explorerPages(served: Served & { readonly browser: Browser }, { mayLogErrors = false, usual = '/' } = {}) {
  const pages = new Map<string, Page>();
  /** Troubles of the pages that the present test uses. */
  const used = new Map<Page, string[]>();

  /** An empty page without routes, storage and cookies. Tests may close it, after which the next one with its options is another browser. */
  async function empty(options: BrowserContextOptions = DESKTOP): Promise<Page> {
    const key = JSON.stringify(options);
    const old = pages.get(key);
    const page = old && !old.isClosed() ? old : await served.browser.newPage({ ...IN_BRITISH_ENGLISH, ...options });
    page.setDefaultTimeout(PATIENCE.timeout);
    pages.set(key, page);
    if (!used.has(page)) {
      used.set(page, watchTroubles(page));
      // An earlier test may have changed it.
      if (options.viewport) await page.setViewportSize(options.viewport);
    }
    return page;
  }

  /**
   * Opens a path of the service, by default the usual one, in such a page, or in the present one of this test with the same options, and
   * waits for the picture.
   */
  async function open(path = usual, options?: BrowserContextOptions): Promise<Page> {
    const page = await empty(options);
    await page.goto(served.service.url + path);
    await settled(page);
    used.get(page)!.length = 0;
    return page;
  }

  /** Opens a tool in a page that `open` opens. */
  async function openedTool(name: string, ...where: Parameters<typeof open>): Promise<Page> {
    const page = await open(...where);
    await openTool(page, name);
    return page;
  }

  /** Leaves nothing of a test in a page. */
  async function clear(page: Page): Promise<void> {
    for (const event of ['console', 'pageerror', 'request', 'response'] as const) page.removeAllListeners(event);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    const context = page.context();
    await context.setOffline(false);
    await page.goto('about:blank');
    const session = await context.newCDPSession(page);
    await session.send('Storage.clearDataForOrigin', { origin: served.service.url, storageTypes: 'all' });
    await session.send('Page.resetNavigationHistory');
    await session.detach();
    await page.mouse.move(0, 0);
  }

  afterEach(async ({ task }) => {
    const hasFailed = task.result?.state === 'fail';
    const troubles = [...used.values()].flat();
    const open = [...used.keys()].filter((page) => !page.isClosed());
    used.clear();
    // A page in an unknown state is not for another test.
    await Promise.all(open.map((page) => (hasFailed ? page.close() : clear(page).catch(() => page.close()))));
    if (!hasFailed && !mayLogErrors) expect(troubles).toEqual([]);
  });

  return { empty, open, openTool: openedTool };
}

/** What the tests of a shared archive usually open. */
const USUAL: Readonly<Record<SharedArchive, string>> = { seven: AT_SEVEN, noon: AT_NOON, fine: '/' };

/** A service that several files use, with pages for the tests of the calling file. */
export function sharedPages(name: SharedArchive, options?: Parameters<typeof explorerPages>[1]) {
  const served = servedBrowser(() => sharedArchive(name));
  return { served, pages: explorerPages(served, { usual: USUAL[name], ...options }) };
}

/** A service with images of its own, with pages for the tests of the calling file. */
export function archivePages(
  shots: readonly Shot[],
  settings?: Parameters<typeof serveArchive>[1],
  options?: Parameters<typeof explorerPages>[1],
) {
  const served = servedBrowser(() => serveArchive(shots, settings));
  return { served, pages: explorerPages(served, options) };
}
