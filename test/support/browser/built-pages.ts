// The pages of `build/web` in a browser whose requests a test responds to.
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Route } from 'playwright-core';
import { projectRoot } from '../../../src/cli/command.ts';

/** Origin of the pages. */
export const ORIGIN = 'http://sun.test';
export const BUILT_PAGES = join(projectRoot, 'build', 'web');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

/** Responds to requests with the built files, under the Content-Security-Policy of a deployment. */
export async function builtPages(): Promise<(route: Route) => Promise<void>> {
  const policy = /Content-Security-Policy: (.*)/.exec(await readFile(join(BUILT_PAGES, '_headers'), 'utf8'))![1]!;
  return async (route) => {
    const { pathname } = new URL(route.request().url());
    const file = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
    const headers = { 'Content-Security-Policy': policy };
    await route.fulfill({ body: await readFile(join(BUILT_PAGES, file)), contentType: TYPES[extname(file)]!, headers });
  };
}
