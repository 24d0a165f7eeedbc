import { expect, it } from 'vitest';
import { runCommand } from '../support/commands.ts';

/** What a Worker may have on the free plan, compressed. */
const FREE_PLAN_KIB = 3 * 1024;

it('a dry run of the deployment needs no account and says how large the Worker is', async () => {
  const noAccount = { CLOUDFLARE_API_TOKEN: '', CLOUDFLARE_ACCOUNT_ID: '' };
  const { code, stdout, stderr } = await runCommand('src/cli/deploy.ts', ['--dry-run'], noAccount);
  expect([code, stderr]).toEqual([0, '']);
  const [, compressedKib] = /gzip: ([\d.]+) KiB/.exec(stdout)!;
  expect(Number(compressedKib)).toBeLessThan(FREE_PLAN_KIB);
  expect(stdout).toMatch(/env\.DB .*D1 Database/);
});
