import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { ProgramError, wrangler } from '../../../src/cli/command.ts';
import { runCommand } from '../../support/commands.ts';
import { deployTo, MemoryAccount } from '../../support/system/memory-account.ts';

const it = test.extend('account', () => new MemoryAccount());

it('a deployment creates every resource, migrates before deploying, and shows each secret to keep once', async ({ account }) => {
  const { said, config } = await deployTo(account, { imageDatabases: 1 });
  expect([...account.resources].sort()).toEqual([
    'helioedge',
    'helioedge-archive',
    'helioedge-images-00',
    'helioedge-jobs',
    'helioedge-jobs-dead',
    'helioedge-long-jobs',
    'helioedge-objects',
    'helioedge-objects-dead',
    'helioedge-operations',
    'helioedge-webhooks',
  ]);
  expect(config.databases.map(({ database_id: id }) => id)).toEqual([
    'id of helioedge',
    'id of helioedge-operations',
    'id of helioedge-images-00',
  ]);
  const steps = [
    'd1 create helioedge-images-00',
    'd1 migrations apply DB',
    'd1 migrations apply OPERATIONS',
    'd1 migrations apply IMAGES_00',
    'd1 execute IMAGES_00 SELECT shard',
    'deploy',
  ];
  const places = steps.map((step) => account.commands.findIndex((command) => command.startsWith(step)));
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(places[0]).toBeGreaterThan(0);
  expect(account.secrets.get('ADMIN_TOKEN')).toBe('fresh-token');
  expect(said).toContain('The new ADMIN_TOKEN is fresh-token');
  expect([...account.secrets.keys()]).toEqual(['ADMIN_TOKEN', 'MOVIE_TOKEN', 'SESSION_KEY']);
  expect(account.openedWith).toEqual([['ADMIN_TOKEN', 'MOVIE_TOKEN', 'SESSION_KEY']]);
  // The databases cannot be read without it; MOVIE_TOKEN can be replaced.
  expect(said).toContain('The new SESSION_KEY is fresh-token');
  expect(said.match(/fresh-token/g)).toHaveLength(2);
});

it('a deployment leaves out Analytics Engine in an account that does not have it, and says so', async ({ account }) => {
  account.hasAnalytics = false;
  const { said } = await deployTo(account, { imageDatabases: 1 });
  expect([account.deployments, account.isConfiguredForAnalytics]).toEqual([1, false]);
  expect(said).toContain('Workers Analytics Engine is not enabled for this account');
  expect(account.secrets.get('ADMIN_TOKEN')).toBe('fresh-token');
});

it('a deployment adds expiry rules for files that can be rebuilt, and keeps existing rules', async ({ account }) => {
  account.rules.set('helioedge-derived-movies', 'derived/movies/ 7');
  await deployTo(account);
  expect(Object.fromEntries(account.rules)).toMatchObject({
    'helioedge-derived-movies': 'derived/movies/ 7',
    'helioedge-derived-screenshots': 'derived/screenshots/ --expire-days 180',
    'helioedge-multipart': '--abort-multipart-days 1',
  });
});

it('a deployment makes the bucket notify the queue of written files, once', async ({ account }) => {
  await deployTo(account);
  await deployTo(account);
  expect(account.notifications).toEqual([
    'r2 bucket notification create helioedge-archive --event-type object-create --queue helioedge-objects --prefix jp2/ --suffix .jp2',
  ]);
});

it('a deployment changes nothing without Docker, unless movies are left out', async ({ account }) => {
  await expect(deployTo(account, { docker: false })).rejects.toThrow(/^Docker is not running\..*--without-movies/);
  expect(account.commands).toEqual(['whoami']);
  await deployTo(account, { docker: false, withoutMovies: true, imageDatabases: 1 });
  expect(account.deployments).toBe(1);
});

it('a deployment creates nothing and keeps the token when it is repeated', async ({ account }) => {
  await deployTo(account, { imageDatabases: 1 });
  account.commands.length = 0;
  const { said } = await deployTo(account);
  expect(account.commands.filter((command) => /create|put/.test(command))).toEqual([]);
  expect(said).not.toContain('fresh-token');
  // Nor where the secrets of the Worker cannot be listed.
  account.failure = new ProgramError('wrangler secret list failed.\n✘ [ERROR] fetch failed');
  await expect(deployTo(account)).rejects.toThrow('fetch failed');
  expect(account.deployments).toBe(2);
});

it('a deployment gives each shard to an image database of its own, bound under its number', async ({ account }) => {
  const { config } = await deployTo(account);
  const bindings = Array.from({ length: 16 }, (_, i) => `IMAGES_${String(i).padStart(2, '0')}`);
  expect(config.shardDatabases).toEqual(bindings);
  expect(account.resources).toContain('helioedge-images-15');
  const held = bindings.map((binding) => account.databases.get(binding)!.prepare('SELECT shard FROM held_shards').all());
  expect(held.map((rows) => rows.map(({ shard }) => shard))).toEqual(bindings.map((_, shard) => [shard]));
});

it.for(['d1 create helioedge-images-07', 'd1 execute IMAGES_02 INSERT'])(
  'a deployment completes a first one that broke off at %s',
  async (place, { account }) => {
    account.breaksOff = (command) => command.startsWith(place);
    await expect(deployTo(account)).rejects.toThrow('The connection broke off.');
    account.breaksOff = () => false;
    const { config } = await deployTo(account);
    expect(new Set(config.shardDatabases).size).toBe(16);
    // Read replication of each.
    expect(new Set(account.requests.map(([path]) => path)).size).toBe(16);
  },
);

it('a deployment replicates also the databases of an extension that broke off', async ({ account }) => {
  await deployTo(account, { imageDatabases: 1 });
  account.breaksOff = (command) => command === 'd1 create helioedge-images-01';
  await expect(deployTo(account, { imageDatabases: 3 })).rejects.toThrow('The connection broke off.');
  account.breaksOff = () => false;
  for (const _ of ['the extension', 'a later deployment']) await deployTo(account, { imageDatabases: 3 });
  expect(account.requests.map(([path]) => path.split('-').at(-1))).toEqual(['00', '01', '02']);
});

it('a deployment that breaks off when the account may have its secrets has shown them', async ({ account }) => {
  const said: string[] = [];
  account.breaksOff = (command) => command === 'deploy';
  await expect(deployTo(account, { imageDatabases: 1, said })).rejects.toThrow('The connection broke off.');
  expect(said.join('\n')).toMatch(/ADMIN_TOKEN is fresh-token.*SESSION_KEY is fresh-token/s);
});

it('a deployment that is interrupted leaves no file with its secrets', async () => {
  const program = `import { withSecrets } from '${resolve('src/cli/deploy/wrangler.ts')}';
    await withSecrets({ ADMIN_TOKEN: 'secret' }, (path) => new Promise(() => setInterval(() => console.log(path), 20)));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [path] = String((await once(child.stdout, 'data'))[0]).split('\n');
  expect([basename(path!), statSync(path!).mode & 0o777]).toEqual(['secrets.json', 0o600]);
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([130, null]);
  expect(existsSync(dirname(path!))).toBe(false);
});

it('a deployment refuses a variable that the Worker cannot read, before its first command', async ({ account }) => {
  await expect(deployTo(account, { vars: { TRUSTED_NETWORKS: '2001:db8:0:1::/96=20' } })).rejects.toThrow('TRUSTED_NETWORKS');
  expect(account.commands).toEqual([]);
});

it.each([[['--rollback', '--dry-run']], [['--version', 'abc']]])('npm run deploy refuses %j, and does neither', async (args) => {
  const { code, stderr } = await runCommand('src/cli/deploy.ts', args, { ADMIN_TOKEN: 'a-token-of-this-test' });
  expect([code, stderr]).toEqual([
    1,
    'State one of --dry-run, --check and --rollback at most, and --version beside --rollback alone.\n',
  ]);
});

it('a deployment follows a shard that has been moved, and adds databases without shards', async ({ account }) => {
  await deployTo(account, { imageDatabases: 1 });
  const added = await deployTo(account, { imageDatabases: 2 });
  expect(added.config.databases.map(({ binding }) => binding)).toEqual(['DB', 'OPERATIONS', 'IMAGES_00', 'IMAGES_01']);
  expect(new Set(added.config.shardDatabases)).toEqual(new Set(['IMAGES_00']));
  // Each is replicated once.
  const auto = { read_replication: { mode: 'auto' } };
  expect(account.requests).toEqual([
    ['/accounts/account/d1/database/id of helioedge-images-00', auto],
    ['/accounts/account/d1/database/id of helioedge-images-01', auto],
  ]);
  account.databases.get('IMAGES_00')!.exec("UPDATE held_shards SET state = 'frozen' WHERE shard = 5");
  account.databases.get('IMAGES_01')!.exec("INSERT INTO held_shards VALUES (5, 2, 'frozen', 7)");
  const moved = await deployTo(account);
  expect(moved.config.shardDatabases.flatMap((binding, shard) => (binding === 'IMAGES_01' ? [shard] : []))).toEqual([5]);
});

it('a deployment refuses databases that contradict each other, or are of an older version, before it migrates any', async ({
  account,
}) => {
  await deployTo(account, { imageDatabases: 2 });
  account.databases.get('IMAGES_01')!.exec("INSERT INTO held_shards VALUES (4, 1, 'open', 7)");
  await expect(deployTo(account)).rejects.toThrow('Shard 4 is in more than one database: IMAGES_00 and IMAGES_01.');
  account.databases.get('IMAGES_01')!.exec('DELETE FROM held_shards');
  await expect(deployTo(account)).rejects.toThrow('No database has shard 1.');
  expect(account.deployments).toBe(1);
  account.databases.get('IMAGES_01')!.exec("UPDATE d1_migrations SET name = '0000_image_index.sql'");
  account.commands.length = 0;
  await expect(deployTo(account)).rejects.toThrow(
    'The database helioedge-images-01 was made by an older version. Delete it with `npx wrangler d1 delete helioedge-images-01`',
  );
  expect(account.commands.filter((command) => /^(d1 migrations|deploy)/.test(command))).toEqual([]);
});

it('a deployment creates separate resources for staging', async ({ account }) => {
  await deployTo(account, { imageDatabases: 1 });
  await deployTo(account, { imageDatabases: 1, environment: 'staging' });
  const names = [...account.resources].sort();
  const staging = names.filter((name) => name.includes('-staging'));
  const production = names.filter((name) => !staging.includes(name));
  expect(staging).toEqual(production.map((name) => name.replace('helioedge', 'helioedge-staging')));
});

it('a deployment leaves out the class of the movie workers without movies, until a version has had it', async ({ account }) => {
  const movies = async (options: object) => (await deployTo(account, { imageDatabases: 1, ...options })).config.movies;
  expect(await movies({ withoutMovies: true })).toBe('none');
  account.versions.push([{ name: 'JPIP_CHANNELS', type: 'durable_object_namespace', class_name: 'JpipChannel' }]);
  expect(await movies({ withoutMovies: true })).toBe('none');
  expect(await movies({})).toBe('containers');
  account.versions.push([{ name: 'MOVIE_WORKERS', type: 'durable_object_namespace', class_name: 'MovieContainer' }]);
  expect(await movies({ withoutMovies: true })).toBe('class');
});

it('a deployment keeps notifications of the bucket for 14 days, which a first copy may need', async ({ account }) => {
  await deployTo(account, { imageDatabases: 1 });
  expect(account.created.filter((line) => line.startsWith('queues') && line.includes('--message-retention-period-secs'))).toEqual(
    [
      'queues create helioedge-objects --message-retention-period-secs 1209600',
      'queues create helioedge-objects-dead --message-retention-period-secs 1209600',
    ],
  );
});

it('a deployment asks for domain and location once, and keeps the domain', async ({ account }) => {
  const first = await deployTo(account, { imageDatabases: 1, domain: null, answers: ['images.example.org', 'weur'] });
  expect([first.asked.length, first.config.origin]).toEqual([2, 'https://images.example.org']);
  expect(account.created.filter((line) => line.includes('--location weur'))).toEqual([
    'd1 create helioedge-images-00 --location weur',
    'd1 create helioedge-operations --location weur',
    'd1 create helioedge --location weur',
    'r2 bucket create helioedge-archive --location weur',
  ]);
  const later = await deployTo(account, { domain: null, answers: [] });
  expect([later.asked, later.config.origin]).toEqual([[], 'https://images.example.org']);
});

it('a deployment takes its name on workers.dev without a terminal', async ({ account }) => {
  for (const imageDatabases of [1, null]) {
    const { config } = await deployTo(account, { imageDatabases, domain: null });
    expect(config.origin).toBe('https://helioedge.someone.workers.dev');
  }
});

it.for<[Parameters<typeof deployTo>[1], string]>([
  ...['https://sun.example.org', 'sun', 'sun.example.org/path', 'helioedge.someone.workers.dev', ''].map(
    (domain): [object, string] => [{ domain }, 'Expected a domain such as images.example.org for --domain'],
  ),
  [{ location: 'mars' }, 'Expected one of weur, eeur, apac, oc, wnam, enam for --location, got mars.'],
])('a deployment refuses %j before it changes anything', async ([options, sentence], { account }) => {
  await expect(deployTo(account, options)).rejects.toThrow(sentence);
  expect(account.resources.size).toBe(0);
});

it('a deployment works without replication, and says what is missing', async ({ account }) => {
  const { said } = await deployTo(account, { imageDatabases: 1, apiFails: true });
  expect(said).toContain('Read replication could not be switched on: status 403.');
  expect(account.deployments).toBe(1);
});

it('a deployment changes nothing without a login', async ({ account }) => {
  account.loggedIn = false;
  await expect(deployTo(account)).rejects.toThrow(
    'Wrangler is not logged in. Set CLOUDFLARE_API_TOKEN, or run `npx wrangler login`.',
  );
  expect(account.commands).toEqual(['whoami']);
});

it('a program that is run fails with its output', async () => {
  await expect(wrangler(['no-such-command'])).rejects.toThrow(/no-such-command failed\.\n.*Unknown/s);
});
