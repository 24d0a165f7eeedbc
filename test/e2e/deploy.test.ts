import { expect, it } from 'vitest';
import { runCommand } from '../support/commands.ts';

/** Size limit of a compressed Worker on the free plan. */
const FREE_PLAN_KIB = 3 * 1024;

it.each([
  ['', ['--dry-run'], '4'],
  [' without movies', ['--dry-run', '--without-movies'], '0'],
])('a dry run of the deployment%s needs no account and prints the size of the Worker', async (_, flags, containers) => {
  const noAccount = { CLOUDFLARE_API_TOKEN: '', CLOUDFLARE_ACCOUNT_ID: '' };
  const { code, stdout, stderr } = await runCommand('src/cli/deploy.ts', flags, noAccount);
  expect([code, stderr]).toEqual([0, '']);
  const [, compressedKib] = /gzip: ([\d.]+) KiB/.exec(stdout)!;
  expect(Number(compressedKib)).toBeLessThan(FREE_PLAN_KIB);
  expect(stdout).toMatch(/env\.DB .*D1 Database/);
  expect(stdout).toMatch(new RegExp(`env\\.MOVIE_CONTAINERS \\("${containers}"\\)`));
});
