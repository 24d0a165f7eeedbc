import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, inject } from 'vitest';
import { launchChromium } from '../served-archive.ts';
import type { SharedArchive } from './shared-archives.ts';

/** A service, as far as all tests use it. */
export interface Served {
  readonly service: { readonly url: string };
  /** Absent for a service that other files use too. */
  readonly close?: () => Promise<void>;
}

/** A service as `serve` starts it, and Chromium, for the tests of the calling file. */
export function servedBrowser<Archive extends Served>(serve: () => Promise<Archive>): Archive & { readonly browser: Browser } {
  const served = {} as Archive & { browser: Browser };
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

/** A service that several files use, at the same time too. @throws Error when it does not start */
export async function sharedArchive(name: SharedArchive): Promise<Served> {
  const response = await fetch(`${inject('sharedArchives')}/${name}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return { service: { url: text } };
}
