// What a deployment asks of the account before it makes anything.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CHECK_WAITS, checkOf, ROW_NAMES } from '../../../src/cli/deploy/check.ts';
import { deployTo, MemoryAccount } from '../../support/system/memory-account.ts';

const it = test.extend('account', () => new MemoryAccount());

it.each([
  ['/workers/scripts', 'Workers Scripts: Edit'],
  ['/d1/database', 'D1: Edit'],
  ['/r2/buckets', 'Workers R2 Storage: Edit'],
  ['/queues', 'Queues: Edit'],
  ['/containers', 'Containers: Edit'],
])('a deployment makes nothing where the account refuses %s, and names the permission', async (path, permission) => {
  const account = new MemoryAccount();
  account.refusals.set(path, 'status 403, Authentication error (10000)');
  const refused = deployTo(account);
  await expect(refused).rejects.toThrow(/^Nothing was made, because the account is not ready\./);
  await expect(refused).rejects.toThrow(`status 403, Authentication error (10000). Give the token the permission ${permission},`);
  expect([account.resources.size, account.deployments]).toEqual([0, 0]);
  if (path === '/containers') await deployTo(account, { withoutMovies: true, imageDatabases: 1 });
});

it('a deployment makes nothing without a name on workers.dev, which it needs where it has no domain', async ({ account }) => {
  account.refusals.set('/workers/subdomain', 'status 404, not found (10007)');
  await expect(deployTo(account, { domain: null })).rejects.toThrow(/no name on workers\.dev: .*or deploy with --domain/);
  expect(account.resources.size).toBe(0);
  await deployTo(account, { imageDatabases: 1 });
});

it('a deployment makes nothing for a domain outside of the zones of the account', async ({ account }) => {
  await expect(deployTo(account, { domain: 'sun.example.net' })).rejects.toThrow('The account has no zone for sun.example.net');
  expect(account.resources.size).toBe(0);
});

const DOMAIN = '/workers/domains?hostname=sun.example.org';
const RECORDS = '/zones/zone/dns_records?name=sun.example.org';

it.each<[string, string, unknown, string]>([
  ['another Worker', DOMAIN, [{ service: 'www' }], 'the custom domain of the Worker www'],
  [
    'DNS records',
    RECORDS,
    [
      { type: 'MX', content: 'mail' },
      { type: 'A', content: '192.0.2.1' },
    ],
    'the DNS record A 192.0.2.1',
  ],
  ['records that it may not read', RECORDS, null, 'DNS records that could not be read (status 403: the token needs DNS: Read)'],
])('a deployment takes over a domain of %s only when it is told to', async (_, path, answer, used) => {
  const account = new MemoryAccount();
  if (answer === null) account.refusals.set(path, 'status 403');
  else account.answers.set(path, answer);
  const sentence = `sun.example.org is in use: ${used}.`;
  await expect(deployTo(account)).rejects.toThrow(`${sentence} A deployment would replace that. Choose another name, or repeat`);
  expect([account.resources.size, account.deployments]).toEqual([0, 0]);
  const { said } = await deployTo(account, { takeOver: true, imageDatabases: 1 });
  expect([said.includes(`${sentence} The deployment replaces that.`), account.deployments]).toEqual([true, 1]);
});

it('a deployment keeps a domain of its own, and asks before it takes back one that was given away', async ({ account }) => {
  await deployTo(account, { imageDatabases: 1 });
  account.answers.set(DOMAIN, [{ service: 'helioedge' }]);
  account.answers.set(RECORDS, [{ type: 'AAAA', content: '100::' }]);
  expect((await deployTo(account, { domain: null })).said).not.toContain('in use');
  account.answers.set(DOMAIN, [{ service: 'www' }]);
  await expect(deployTo(account, { domain: null })).rejects.toThrow('the custom domain of the Worker www');
});

it('a deployment names the settings of the zone that keep out scripts and assistants', async ({ account }) => {
  account.answers.set('/zones/zone/bot_management', { fight_mode: true, ai_bots_protection: 'block' });
  account.answers.set('/zones/zone/settings/browser_check', { value: 'on' });
  const { said } = await deployTo(account, { imageDatabases: 1 });
  for (const name of ['Bot Fight Mode', 'Block AI bots', 'Browser Integrity Check'])
    expect(said).toContain(`example.org: ${name} is on`);
  account.refusals.set('/zones/zone/bot_management', 'status 403');
  expect((await deployTo(account)).said).toContain('some settings could not be read (Bot Management: Read');
  const plain = await deployTo(new MemoryAccount(), { imageDatabases: 1 });
  expect(plain.said).not.toContain('Zone example.org');
});

it('a check that is interrupted does not wait for the end of a movie or of a purge', async () => {
  const given = { serviceUrl: 'http://127.0.0.1:9', token: '', hasMovies: true, nowMs: Date.now(), waits: CHECK_WAITS };
  const check = checkOf({ ...given, signal: AbortSignal.abort() });
  await expect(check.until(CHECK_WAITS.movieMs, 'not built', async () => null)).rejects.toThrow(/aborted/);
});

it('docs/operate.md says of each row of a check what it shows here and in an account', () => {
  const [, section = ''] = readFileSync('docs/operate.md', 'utf8').split('### Check a deployment');
  const described = [...section.split('\n#')[0]!.matchAll(/^\| ([^|]+?) \| [^|]{2,} \| [^|]{2,} \|$/gm)].map(([, name]) => name);
  expect(described.slice(2)).toEqual(ROW_NAMES);
});
