import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runCommand } from '../support/commands.ts';

/** Size limit of a compressed Worker on the free plan. */
const FREE_PLAN_KIB = 3 * 1024;

it.each([
  ['', [], { containers: '4', hasClass: true, database: 'helioedge-images-15' }],
  [
    ' of staging without movies',
    ['--env', 'staging', '--without-movies'],
    { containers: '0', hasClass: false, database: 'helioedge-staging-images-15' },
  ],
])('a dry run of the deployment%s needs no account, and writes the Worker where it says', async (_, flags, expected) => {
  const noAccount = { CLOUDFLARE_API_TOKEN: '', CLOUDFLARE_ACCOUNT_ID: '' };
  const { code, stdout, stderr } = await runCommand('src/cli/deploy.ts', ['--dry-run', ...flags], noAccount);
  expect([code, stderr]).toEqual([0, '']);
  const [, compressedKib] = /gzip: ([\d.]+) KiB/.exec(stdout)!;
  expect(Number(compressedKib)).toBeLessThan(FREE_PLAN_KIB);
  expect(stdout).toMatch(new RegExp(`env\\.IMAGES_15 \\(${expected.database}\\) .*D1 Database`));
  expect(stdout).toMatch(new RegExp(`env\\.MOVIE_CONTAINERS \\("${expected.containers}"\\)`));
  expect(stdout).toMatch(/env\.STATUS_POINTS \(helioedge_(staging_)?status\) .*Analytics Engine Dataset/);
  expect(stdout.includes('(MovieContainer)')).toBe(expected.hasClass);
  const [, config, folder] = /The configuration is in (.+), the Worker in (.+)\.\n/.exec(stdout)!;
  expect([config, `${folder}/index.js`].map((path) => existsSync(path!))).toEqual([true, true]);
});
