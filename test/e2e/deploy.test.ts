import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runCommand } from '../support/commands.ts';

/** Size limit of a compressed Worker on the free plan. */
const FREE_PLAN_KIB = 3 * 1024;

it('a dry run of the deployment of staging without movies needs no account, and writes the Worker where it says', async () => {
  const flags = ['--env', 'staging', '--without-movies'];
  const noAccount = { CLOUDFLARE_API_TOKEN: '', CLOUDFLARE_ACCOUNT_ID: '' };
  const { code, stdout, stderr } = await runCommand('src/cli/deploy.ts', ['--dry-run', ...flags], noAccount);
  expect([code, stderr]).toEqual([0, '']);
  const [, compressedKib] = /gzip: ([\d.]+) KiB/.exec(stdout)!;
  expect(Number(compressedKib)).toBeLessThan(FREE_PLAN_KIB);
  expect(stdout).toMatch(/env\.IMAGES_15 \(helioedge-staging-images-15\) .*D1 Database/);
  expect(stdout).toMatch(/env\.MOVIE_CONTAINERS \("0"\)/);
  expect(stdout).toMatch(/env\.STATUS_POINTS \(helioedge_staging_status\) .*Analytics Engine Dataset/);
  expect(stdout).not.toContain('(MovieContainer)');
  const [, config, folder] = /The configuration is in (.+), the Worker in (.+)\.\n/.exec(stdout)!;
  expect([config, `${folder}/index.js`].map((path) => existsSync(path!))).toEqual([true, true]);
});
