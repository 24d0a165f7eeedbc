import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { experimental_readRawConfig as readRawConfig } from 'wrangler';
import {
  configOf,
  type DeployedConfigOptions,
  deployedConfig,
  type WranglerConfig,
} from '../../../src/cli/deploy/deployed-config.ts';
import { deploy } from '../../../src/cli/deploy/deployment.ts';
import { ProgramError, run, WRANGLER } from '../../../src/cli/run.ts';

const toml = readRawConfig({ config: 'wrangler.toml' }).rawConfig as unknown as WranglerConfig;
const IMAGE_TABLES = readFileSync('migrations/images/0000_image_index.sql', 'utf8');

const NO_ANALYTICS = 'wrangler deploy failed.\n✘ [ERROR] You need to enable Analytics Engine.  [code: 10089]';

/** An account in memory, as wrangler shows it. */
class MemoryAccount {
  readonly commands: string[] = [];
  readonly resources = new Set<string>();
  readonly secrets = new Map<string, string>();
  readonly rules = new Map<string, string>();
  /** Image databases by binding, once they have been migrated. */
  readonly images = new Map<string, DatabaseSync>();
  /** Classes of the deployed versions, oldest first. */
  readonly versions: string[][] = [];
  readonly notifications: string[] = [];
  deployments = 0;
  loggedIn = true;
  hasAnalytics = true;
  /** Whether the configuration that is deployed next writes to Analytics Engine. */
  isConfiguredForAnalytics = true;

  wrangler = async (args: readonly string[], input?: string): Promise<string> => {
    const command = args.filter((arg) => !arg.startsWith('--') && arg !== 'json' && !arg.endsWith('.json')).join(' ');
    this.commands.push(command);
    const [kind, verb, ...rest] = command.split(' ');
    const name = rest.at(-1)!;
    if (command === 'whoami') return this.#check(this.loggedIn);
    if (command === 'd1 list') {
      const list = [...this.resources].map((name) => ({ uuid: `id of ${name}`, name }));
      return `a notice\n${JSON.stringify(list)}\n`;
    }
    if (verb === 'info' || rest[0] === 'info') return this.#check(this.resources.has(name));
    if (verb === 'create' || rest[0] === 'create') {
      this.#check(!this.resources.has(name));
      this.resources.add(name);
    }
    if (kind === 'deploy') {
      if (this.isConfiguredForAnalytics && !this.hasAnalytics) throw new ProgramError(NO_ANALYTICS);
      this.deployments += 1;
    }
    if (command.startsWith('d1 migrations apply IMAGES')) this.#migrate(name);
    if (command.startsWith('d1 execute')) return this.#query(args[2]!, args.at(-1)!);
    if (command.startsWith('versions list'))
      return JSON.stringify(this.versions.map((_, i) => ({ id: `version-${i}`, number: i })));
    if (command.startsWith('versions view')) return JSON.stringify(this.versions[Number(args[2]!.slice('version-'.length))]);
    if (command.startsWith('r2 bucket notification list')) {
      this.#check(this.notifications.length > 0);
      return this.notifications.join('\n');
    }
    if (command.startsWith('r2 bucket notification create')) {
      this.notifications.push(args.join(' '));
      return '';
    }
    if (command.startsWith('r2 bucket lifecycle list')) return [...this.rules].join('\n');
    if (command.startsWith('r2 bucket lifecycle add')) this.rules.set(args[5]!, args.slice(6, -1).join(' '));
    if (command === 'secret list') return JSON.stringify([...this.secrets.keys()].map((secret) => ({ name: secret })));
    if (command.startsWith('secret put')) this.secrets.set(name, input!.trim());
    return '';
  };

  #migrate(binding: string): void {
    if (this.images.has(binding)) return;
    const database = new DatabaseSync(':memory:');
    database.exec(IMAGE_TABLES);
    this.images.set(binding, database);
  }

  #query(binding: string, sql: string): string {
    return `▲ [WARNING] a notice\n${JSON.stringify([{ results: this.images.get(binding)!.prepare(sql).all(), success: true }], null, 2)}`;
  }

  #check(good: boolean): string {
    if (!good) throw new ProgramError('no');
    return '';
  }
}

function deployTo(
  account: MemoryAccount,
  { docker = true, withoutMovies = false, imageDatabases = null as number | null, environment = 'production' } = {},
) {
  const said: string[] = [];
  const configs: DeployedConfigOptions[] = [];
  const options = {
    wrangler: account.wrangler,
    config: configOf(toml, environment),
    writeConfig: async (config: DeployedConfigOptions) => {
      configs.push(config);
      account.isConfiguredForAnalytics = deployedConfig(toml, config).analytics_engine_datasets?.length === 1;
      return 'build/wrangler.json';
    },
    newToken: () => 'fresh-token',
    hasDocker: async () => docker,
    withoutMovies,
    imageDatabases,
    say: (line: string) => said.push(line),
  };
  return deploy(options).then(() => ({ said: said.join('\n'), config: configs.at(-1)! }));
}

describe('a deployment', () => {
  it('creates every resource of an empty account, migrates before deploying, and shows the new token once', async () => {
    const account = new MemoryAccount();
    const { said, config } = await deployTo(account, { imageDatabases: 1 });
    expect([...account.resources].sort()).toEqual([
      'helioedge',
      'helioedge-archive',
      'helioedge-images-00',
      'helioedge-jobs',
      'helioedge-jobs-dead',
      'helioedge-objects',
      'helioedge-objects-dead',
      'helioedge-uploads',
    ]);
    expect(config.databases.map(({ database_id: id }) => id)).toEqual(['id of helioedge', 'id of helioedge-images-00']);
    const steps = [
      'd1 create helioedge-images-00',
      'd1 migrations apply DB',
      'd1 migrations apply IMAGES_00',
      'd1 execute IMAGES_00',
      'deploy',
    ];
    const places = steps.map((step) => account.commands.findIndex((command) => command.startsWith(step)));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
    expect(account.secrets.get('ADMIN_TOKEN')).toBe('fresh-token');
    expect(said).toContain('ADMIN_TOKEN is now fresh-token');
    expect([...account.secrets.keys()]).toEqual(['ADMIN_TOKEN', 'MOVIE_TOKEN', 'SESSION_KEY']);
    expect(said.match(/fresh-token/g)).toHaveLength(1);
  });

  it('goes without Analytics Engine in an account that does not have it, and says so', async () => {
    const account = new MemoryAccount();
    account.hasAnalytics = false;
    const { said } = await deployTo(account, { imageDatabases: 1 });
    expect([account.deployments, account.isConfiguredForAnalytics]).toEqual([1, false]);
    expect(said).toContain('Workers Analytics Engine is not enabled for this account');
    expect(account.secrets.get('ADMIN_TOKEN')).toBe('fresh-token');
  });

  it('adds expiry rules for files that can be rebuilt, and keeps existing rules', async () => {
    const account = new MemoryAccount();
    account.rules.set('helioedge-movies', 'derived/movies/ 7');
    await deployTo(account);
    expect(Object.fromEntries(account.rules)).toEqual({
      'helioedge-movies': 'derived/movies/ 7',
      'helioedge-quarantine': 'quarantine/ --expire-days 365',
      'helioedge-screenshots': 'derived/screenshots/ --expire-days 180',
      'helioedge-tiles': 'derived/v --expire-days 90',
      'helioedge-derived-coefficients-a': 'derived/coefficients/a/ --expire-days 365',
      'helioedge-derived-coefficients-b': 'derived/coefficients/b/ --expire-days 90',
      'helioedge-derived-coefficients-c': 'derived/coefficients/c/ --expire-days 90',
      'helioedge-derived-plans': 'derived/plans/ --expire-days 365',
      'helioedge-jpx': 'jpx/ --expire-days 365',
      'helioedge-events': 'events/ --expire-days 400',
      'helioedge-multipart': '--abort-multipart-days 1',
    });
  });

  it('has the bucket notify the queue of written files, once', async () => {
    const account = new MemoryAccount();
    await deployTo(account);
    await deployTo(account);
    expect(account.notifications).toEqual([
      'r2 bucket notification create helioedge-archive --event-type object-create --queue helioedge-objects --prefix jp2/ --suffix .jp2',
    ]);
  });

  it('changes nothing without Docker, unless movies are left out', async () => {
    const account = new MemoryAccount();
    await expect(deployTo(account, { docker: false })).rejects.toThrow(/^Expected a running Docker.*--without-movies/);
    expect(account.commands).toEqual(['whoami']);
    await deployTo(account, { docker: false, withoutMovies: true, imageDatabases: 1 });
    expect(account.deployments).toBe(1);
  });

  it('creates nothing and keeps the token when it is repeated', async () => {
    const account = new MemoryAccount();
    await deployTo(account, { imageDatabases: 1 });
    account.commands.length = 0;
    const { said } = await deployTo(account);
    expect(account.commands.filter((command) => /create|put/.test(command))).toEqual([]);
    expect(account.deployments).toBe(2);
    expect(said).not.toContain('fresh-token');
  });

  it('gives each shard to an image database of its own, bound under its number', async () => {
    const account = new MemoryAccount();
    const { config } = await deployTo(account);
    const bindings = Array.from({ length: 16 }, (_, i) => `IMAGES_${String(i).padStart(2, '0')}`);
    expect(config.shardDatabases).toEqual(bindings);
    expect(account.resources).toContain('helioedge-images-15');
    const held = bindings.map((binding) => account.images.get(binding)!.prepare('SELECT shard FROM held_shards').all());
    expect(held.map((rows) => rows.map(({ shard }) => shard))).toEqual(bindings.map((_, shard) => [shard]));
  });

  it('follows a shard that has been moved, and adds databases without giving them shards', async () => {
    const account = new MemoryAccount();
    await deployTo(account, { imageDatabases: 1 });
    const added = await deployTo(account, { imageDatabases: 2 });
    expect(added.config.databases.map(({ binding }) => binding)).toEqual(['DB', 'IMAGES_00', 'IMAGES_01']);
    expect(new Set(added.config.shardDatabases)).toEqual(new Set(['IMAGES_00']));
    account.images.get('IMAGES_00')!.exec("UPDATE held_shards SET state = 'frozen' WHERE shard = 5");
    account.images.get('IMAGES_01')!.exec("INSERT INTO held_shards VALUES (5, 2, 'frozen', 7)");
    const moved = await deployTo(account);
    expect(moved.config.shardDatabases.flatMap((binding, shard) => (binding === 'IMAGES_01' ? [shard] : []))).toEqual([5]);
  });

  it('is refused while the databases contradict each other', async () => {
    const account = new MemoryAccount();
    await deployTo(account, { imageDatabases: 2 });
    account.images.get('IMAGES_01')!.exec("INSERT INTO held_shards VALUES (4, 1, 'open', 7)");
    await expect(deployTo(account)).rejects.toThrow('Expected one database for shard 4, got IMAGES_00 and IMAGES_01.');
    account.images.get('IMAGES_01')!.exec('DELETE FROM held_shards');
    await expect(deployTo(account)).rejects.toThrow('Expected a database for shard 1, got none.');
    expect(account.deployments).toBe(1);
  });

  it('of staging has resources of its own', async () => {
    const account = new MemoryAccount();
    await deployTo(account, { imageDatabases: 1 });
    await deployTo(account, { imageDatabases: 1, environment: 'staging' });
    expect([...account.resources].filter((name) => name.includes('staging')).sort()).toEqual([
      'helioedge-staging',
      'helioedge-staging-archive',
      'helioedge-staging-images-00',
      'helioedge-staging-jobs',
      'helioedge-staging-jobs-dead',
      'helioedge-staging-objects',
      'helioedge-staging-objects-dead',
      'helioedge-staging-uploads',
    ]);
  });

  it('without movies leaves out the class of the movie workers until a version has had it', async () => {
    const account = new MemoryAccount();
    const movies = async (options: object) => (await deployTo(account, { imageDatabases: 1, ...options })).config.movies;
    expect(await movies({ withoutMovies: true })).toBe('none');
    account.versions.push(['JpipChannel', 'IdSequence']);
    expect(await movies({ withoutMovies: true })).toBe('none');
    expect(await movies({})).toBe('containers');
    account.versions.push(['JpipChannel', 'IdSequence', 'MovieContainer']);
    expect(await movies({ withoutMovies: true })).toBe('class');
  });

  it('changes nothing without a login', async () => {
    const account = new MemoryAccount();
    account.loggedIn = false;
    await expect(deployTo(account)).rejects.toThrow(
      'Expected CLOUDFLARE_API_TOKEN or a login by `npx wrangler login`, got neither.',
    );
    expect(account.commands).toEqual(['whoami']);
  });
});

describe('a program that is run', () => {
  it('fails with its output', async () => {
    await expect(run(WRANGLER, ['no-such-command'])).rejects.toThrow(/no-such-command failed\.\n.*Unknown/s);
  });
});
