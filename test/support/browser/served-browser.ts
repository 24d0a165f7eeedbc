import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, vi } from 'vitest';
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

/** Waits until the service has the events of 7 h: the sources have ten seconds for a day, which a busy machine may need more than once. */
export async function eventsLoaded({ service }: Pick<ServedArchive, 'service'>): Promise<void> {
  const states = async () =>
    (await fetch(`${service.url}/v2/events/?startTime=2024-05-10T07:00:00Z`)).headers.get('X-Events-Sources');
  await vi.waitFor(async () => expect(await states()).toMatch(/^HEK=ok/), { timeout: 120_000, interval: 500 });
}
