// An account in memory, as wrangler and the API show it, and deployments to it.
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { experimental_readRawConfig as readRawConfig } from 'wrangler';
import { ProgramError } from '../../../src/cli/command.ts';
import type { DeployedConfigOptions, WranglerConfig } from '../../../src/cli/deploy/deployed-config.ts';
import { configOf, deployedConfig } from '../../../src/cli/deploy/deployed-config.ts';
import { deploy } from '../../../src/cli/deploy/deployment.ts';

const toml = readRawConfig({ config: 'wrangler.toml' }).rawConfig as unknown as WranglerConfig;
const IMAGE_TABLES = readFileSync('migrations/images/0000_baseline.sql', 'utf8');

const NO_WORKER = 'wrangler versions list failed.\n✘ [ERROR] This Worker does not exist on your account. [code: 10007]';
const NO_ANALYTICS = 'wrangler deploy failed.\n✘ [ERROR] You need to enable Analytics Engine.  [code: 10089]';

/** An account in memory, as wrangler shows it. */
export class MemoryAccount {
  readonly commands: string[] = [];
  /** Commands that created resources, with their flags. */
  readonly created: string[] = [];
  readonly resources = new Set<string>();
  readonly secrets = new Map<string, string>();
  readonly rules = new Map<string, string>();
  /** Databases by binding, once they have been migrated. */
  readonly databases = new Map<string, DatabaseSync>();
  /** Bindings of the deployed versions, oldest first. */
  readonly versions: object[][] = [];
  /** Addresses and bodies of requests to the API. */
  readonly requests: [string, object][] = [];
  /** What the API answers at a path, and the refusals; lists are empty unless they are here. */
  readonly answers = new Map<string, unknown>([
    ['/zones?name=example.org', [{ id: 'zone', name: 'example.org' }]],
    ['/workers/subdomain', { subdomain: 'someone' }],
  ]);
  readonly refusals = new Map<string, string>();
  /** Secrets of the file that the next deployment has. */
  secretsOfFile: Readonly<Record<string, string>> = {};
  /** Secrets of the Worker when each deployment opened it. */
  readonly openedWith: string[][] = [];
  /** Whether the connection breaks off at a command. */
  breaksOff: (command: string) => boolean = () => false;
  /** Failure of the next commands about the Worker. */
  failure: ProgramError | null = null;
  readonly notifications: string[] = [];
  deployments = 0;
  loggedIn = true;
  hasAnalytics = true;
  /** Whether the configuration that is deployed next writes to Analytics Engine. */
  isConfiguredForAnalytics = true;
  /** Bindings of the databases in the configuration that is deployed next, and its PUBLIC_ORIGIN. */
  configuredDatabases: readonly string[] = [];
  configuredOrigin: string | null = null;

  wrangler = async (args: readonly string[]): Promise<string> => {
    const command = args.filter((arg) => !arg.startsWith('--') && arg !== 'json' && !arg.endsWith('.json')).join(' ');
    this.commands.push(command);
    if (this.breaksOff(command)) throw new ProgramError('The connection broke off.');
    if (args.includes('create')) this.created.push(args.join(' '));
    const [kind, verb, ...rest] = command.split(' ');
    const name = args.includes('create') ? args[args.indexOf('create') + 1]! : rest.at(-1)!;
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
      if (args.includes('--secrets-file'))
        for (const [name, value] of Object.entries(this.secretsOfFile)) this.secrets.set(name, value);
      this.openedWith.push([...this.secrets.keys()]);
      this.versions.push([
        { name: 'PUBLIC_ORIGIN', type: 'plain_text', text: this.configuredOrigin ?? undefined },
        ...this.configuredDatabases.map((name) => ({ name, type: 'd1' })),
      ]);
      return 'Uploaded helioedge';
    }
    if (/^(versions|secret) list/.test(command)) {
      if (this.failure) throw this.failure;
      if (this.deployments === 0 && this.versions.length === 0) throw new ProgramError(NO_WORKER);
    }
    if (command.startsWith('d1 migrations apply')) this.#migrate(name);
    if (command.startsWith('d1 execute')) return this.#query(args[2]!, args.at(-1)!);
    if (command.startsWith('versions list'))
      return JSON.stringify(this.versions.map((_, i) => ({ id: `version-${i}`, number: i })));
    if (command.startsWith('versions view'))
      return JSON.stringify({ resources: { bindings: this.versions[Number(args[2]!.slice('version-'.length))] } });
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
    if (command.startsWith('secret list')) return JSON.stringify([...this.secrets.keys()].map((secret) => ({ name: secret })));
    return '';
  };

  get = async (path: string): Promise<unknown> => {
    this.commands.push(`GET ${path}`);
    const known = path.replace('/accounts/account', '').replace('&account.id=account', '');
    for (const [start, sentence] of this.refusals) if (known.startsWith(start)) throw new Error(sentence);
    return this.answers.get(known) ?? [];
  };

  #migrate(binding: string): void {
    if (this.databases.has(binding)) return;
    const database = new DatabaseSync(':memory:');
    database.exec("CREATE TABLE d1_migrations (name TEXT); INSERT INTO d1_migrations VALUES ('0000_baseline.sql')");
    if (binding.startsWith('IMAGES')) database.exec(IMAGE_TABLES);
    this.databases.set(binding, database);
  }

  #query(binding: string, sql: string): string {
    const database = this.databases.get(binding);
    if (!database) throw new ProgramError('✘ [ERROR] no such table: d1_migrations: SQLITE_ERROR [code: 7500]');
    return `▲ [WARNING] a notice\n${JSON.stringify([{ results: database.prepare(sql).all(), success: true }], null, 2)}`;
  }

  #check(good: boolean): string {
    if (!good) throw new ProgramError('no');
    return '';
  }
}

export function deployTo(
  account: MemoryAccount,
  {
    docker = true,
    withoutMovies = false,
    imageDatabases = null as number | null,
    environment = 'production',
    vars = {} as Record<string, string>,
    domain = 'sun.example.org' as string | null,
    takeOver = false,
    location = null as string | null,
    answers = null as string[] | null,
    apiFails = false,
    said = [] as string[],
  } = {},
) {
  const asked: string[] = [];
  const configs: DeployedConfigOptions[] = [];
  const config = configOf(toml, environment);
  const options = {
    wrangler: account.wrangler,
    config: { ...config, vars: { ...config.vars, ...vars } },
    writeConfig: async (config: DeployedConfigOptions) => {
      configs.push(config);
      account.isConfiguredForAnalytics = deployedConfig(toml, config).analytics_engine_datasets?.length !== 0;
      account.configuredOrigin = config.origin;
      account.configuredDatabases = config.databases.map(({ binding }) => binding);
      return 'build/wrangler.json';
    },
    newToken: () => 'fresh-token',
    sessionKey: null,
    hasDocker: async () => docker,
    withoutMovies,
    imageDatabases,
    domain,
    location,
    ask:
      answers &&
      (async (question: string) => {
        asked.push(question);
        return answers.shift() ?? '';
      }),
    takeOver,
    api: async () => ({
      accountId: 'account',
      get: account.get,
      put: async (path: string, body: object) => {
        if (apiFails) throw new Error('status 403');
        account.requests.push([path, body]);
      },
    }),
    withSecrets: async (secrets: Readonly<Record<string, string>>, use: (path: string) => Promise<void>) => {
      account.secretsOfFile = secrets;
      return use('/tmp/secrets.json');
    },
    say: (line: string) => said.push(line),
  };
  return deploy(options).then(() => ({ said: said.join('\n'), config: configs.at(-1)!, asked }));
}
