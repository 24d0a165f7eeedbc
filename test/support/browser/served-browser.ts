import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { launchChromium, type ServedArchive } from '../served-archive.ts';

/** A service as `serve` starts it, and Chromium, for the tests of the calling file. */
export function servedBrowser(serve: () => Promise<ServedArchive>): ServedArchive & { readonly browser: Browser } {
  const served = {} as ServedArchive & { browser: Browser };
  beforeAll(async () => {
    Object.assign(served, await serve());
    served.browser = await launchChromium();
  });
  afterAll(async () => {
    await served.browser?.close();
    await served.close?.();
  });
  return served;
}
