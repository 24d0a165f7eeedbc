// The steps of a deployment, each of which may be repeated: resources, database tables, the Worker with its containers, secrets.
import { EXPIRY_DAYS, imagePrefix } from '../../archive/keys.ts';
import { DAY_MS, SECOND_MS } from '../../platform/util/durations.ts';
import { when } from '../../platform/util/errors.ts';
import { checkWorkerVariables, expected, ProgramError } from '../command.ts';
import { BASELINE } from '../local/migrations.ts';
import type { Ask, D1Binding, DeployedConfigOptions, MovieParts, WranglerConfig } from './deployed-config.ts';
import { customDomain, databasesOf, isOfImages, MOVIE_CLASS, publicOrigin, shardBindings } from './deployed-config.ts';
import type { AccountApi, DeployedVersion, Wrangler } from './wrangler.ts';
import { d1Ids, executed, jsonList, latestVersion, ofWorker, replicate, succeeds, variableOf } from './wrangler.ts';

/** Days after which a multipart upload ends that was not completed: an attempt at a movie takes minutes. */
const ABANDONED_UPLOAD_DAYS = 1;

/** Rules with options of `wrangler r2 bucket lifecycle add`; an empty prefix is for all keys. */
export const LIFECYCLE_RULES = [
  ...Object.entries(EXPIRY_DAYS).map(([prefix, days]) => ({
    name: `helioedge-${prefix.replace(/\/$/, '').replaceAll('/', '-')}`,
    prefix,
    options: ['--expire-days', String(days)],
    meaning: `files below ${prefix} expire after ${days} days`,
  })),
  {
    name: 'helioedge-multipart',
    prefix: '',
    options: ['--abort-multipart-days', String(ABANDONED_UPLOAD_DAYS)],
    meaning: `multipart uploads end after ${ABANDONED_UPLOAD_DAYS} day`,
  },
];

/** Adds missing rules only, because operators may have changed the others. */
async function ensureLifecycle({ wrangler, say }: DeploymentOptions, bucket: string) {
  const command = ['r2', 'bucket', 'lifecycle'];
  const present = new Set((await wrangler([...command, 'list', bucket])).split(/[\s,|│]+/));
  for (const { name, prefix, options, meaning } of LIFECYCLE_RULES) {
    if (present.has(name)) continue;
    say(meaning);
    await wrangler([...command, 'add', bucket, name, ...(prefix ? [prefix] : []), ...options, '--force']);
  }
}

/** Queues of notifications, which a first copy of millions of files may fill for days, and whose messages are deleted when they are too old. */
const KEPT_LONG = /-objects(-dead)?$/;
/** The longest time that the platform keeps messages: 14 days. */
const RETENTION = ['--message-retention-period-secs', String((14 * DAY_MS) / SECOND_MS)] as const;

const SECRETS = ['ADMIN_TOKEN', 'MOVIE_TOKEN', 'SESSION_KEY'] as const;

export interface DeploymentOptions {
  readonly wrangler: Wrangler;
  readonly config: WranglerConfig;
  /** Writes the configuration of the deployment. @returns its path */
  readonly writeConfig: (options: DeployedConfigOptions) => Promise<string>;
  readonly newToken: () => string;
  /** SESSION_KEY of a lost deployment, whose databases are encrypted by it; null without one. */
  readonly sessionKey: string | null;
  readonly hasDocker: () => Promise<boolean>;
  readonly withoutMovies: boolean;
  /** Custom domain of the service; null to keep that of the version that the account runs. */
  readonly domain: string | null;
  readonly takeOver: boolean;
  /** Location hint of new databases and of a new bucket; null for a place near this machine. */
  readonly location: string | null;
  readonly ask: Ask;
  readonly api: () => Promise<AccountApi>;
  /** Keeps secrets in a file for as long as `use` runs. */
  readonly withSecrets: (secrets: Readonly<Record<string, string>>, use: (path: string) => Promise<void>) => Promise<void>;
  /** Number of image databases; null for those that exist, or 16 new ones. */
  readonly imageDatabases: number | null;
  readonly say: (line: string) => void;
}

/** Deploys everything. @throws Error with a sentence for the user @throws ProgramError with the output of wrangler */
export async function deploy(options: DeploymentOptions): Promise<void> {
  const { wrangler, config, writeConfig, hasDocker, withoutMovies, say } = options;
  checkWorkerVariables(config.vars);
  if (!(await succeeds(wrangler(['whoami', '--json']))))
    throw new Error('Wrangler is not logged in. Set CLOUDFLARE_API_TOKEN, or run `npx wrangler login`.');
  if (!withoutMovies && !(await hasDocker()))
    throw new Error(
      'Docker is not running. It builds the image of the movie workers: start it, or deploy everything else by ' +
        '`npm run deploy -- --without-movies`.',
    );
  const version = await latestVersion(wrangler, config.name);
  const movies = withoutMovies ? movieParts(version) : 'containers';
  const ask = version ? null : options.ask;
  const known = config.vars.PUBLIC_ORIGIN ?? (version && variableOf(version, 'PUBLIC_ORIGIN'));
  const given = await publicOrigin(options.domain, known, ask);
  const location = await locationHint(options.location, ask);
  const domain = config.routes ? null : customDomain(given);
  const assigned = await checkReadiness(options, await options.api(), domain, movies === 'containers');
  const origin = given ?? assigned;
  const placed = location === null ? [] : ['--location', location];
  const databases = await ensureDatabases(options, placed, version);
  const images = databases.filter(isOfImages);
  // Wrangler finds the databases in a configuration; the map of the shards is read from them once they are migrated.
  const first = await writeConfig({ databases, shardDatabases: [images[0]!.binding], movies, origin });
  await refuseOlderDatabases(wrangler, databases, first);
  const { bucket, queues, objectQueue } = resourcesOf(config);
  await ensure(options, ['r2', 'bucket'], bucket, placed);
  for (const queue of queues) await ensure(options, ['queues'], queue, KEPT_LONG.test(queue) ? RETENTION : []);
  await ensureLifecycle(options, bucket);
  await ensureNotification(options, bucket, objectQueue);

  for (const { binding, database_name: name } of databases) {
    say(`migrating ${name}`);
    await wrangler(['d1', 'migrations', 'apply', binding, '--remote', '--config', first]);
  }
  const shardDatabases = await shardBindings(wrangler, images, first, version === null);
  const secrets = await missingSecrets(options, version);
  sayKept(secrets, say);
  say('deploying the Worker');
  await options.withSecrets(secrets, (path) => deployWorker(options, { databases, shardDatabases, movies, origin }, path));
}

/** Shows the secrets to keep before they are uploaded, because what follows may break off when the account has them. */
function sayKept({ ADMIN_TOKEN: token, SESSION_KEY: key }: Readonly<Record<string, string>>, say: (line: string) => void): void {
  if (token !== undefined) say(`The new ADMIN_TOKEN is ${token}\nKeep it: npm run ingest needs it, and it is not shown again.`);
  if (key !== undefined)
    say(
      `The new SESSION_KEY is ${key}\nKeep it with the backup: the secrets of webhooks and the tokens of the video host in the databases ` +
        'are encrypted by it, and it is not shown again.',
    );
}

/** Names of the migrations that a database has had; none before the first, which creates their table. */
export async function migrationsOf(wrangler: Wrangler, binding: string, config: string): Promise<readonly string[]> {
  const rows = await executed(wrangler, binding, config, 'SELECT name FROM d1_migrations').catch(
    when(ProgramError, ({ message }) => (message.includes('no such table') ? [] : undefined)),
  );
  return (rows as { readonly name: string }[]).map(({ name }) => name);
}

/** @throws Error before any database is changed, when one has the migrations of an older version */
async function refuseOlderDatabases(wrangler: Wrangler, databases: readonly D1Binding[], config: string): Promise<void> {
  for (const { binding, database_name: name } of databases) {
    const applied = await migrationsOf(wrangler, binding, config);
    if (applied.length === 0 || applied.includes(BASELINE)) continue;
    throw new Error(
      `The database ${name} was made by an older version. Delete it with \`npx wrangler d1 delete ${name}\`, or deploy that version.`,
    );
  }
}

/** The API's refusal of a dataset of Workers Analytics Engine in an account that has not enabled it. */
const NO_ANALYTICS = /\[code: ?10089\]/;

/** Deploys the Worker with new secrets; without Analytics Engine where the account does not have it. */
async function deployWorker(options: DeploymentOptions, config: DeployedConfigOptions, secretsFile: string): Promise<void> {
  const { wrangler, writeConfig, say } = options;
  const path = await writeConfig(config);
  try {
    say((await wrangler(['deploy', '--config', path, '--secrets-file', secretsFile])).trim());
  } catch (error) {
    if (config.hasAnalytics === false || !NO_ANALYTICS.test(String(error))) throw error;
    say(
      'Workers Analytics Engine is not enabled for this account, so the status is not written to it. ' +
        'Enable it in the dashboard (Workers, Analytics Engine) and run npm run deploy again.',
    );
    await deployWorker(options, { ...config, hasAnalytics: false }, secretsFile);
  }
}

/** The class of the movie workers stays where an earlier version has it, because removing it would delete its objects. */
const movieParts = (version: DeployedVersion | null): MovieParts =>
  version?.resources.bindings.some((binding) => binding.class_name === MOVIE_CLASS) ? 'class' : 'none';

function resourcesOf({ r2_buckets: buckets, queues: { producers, consumers } }: WranglerConfig) {
  const queues = [...producers, ...consumers].map(({ queue }) => queue);
  const dead = consumers.flatMap(({ dead_letter_queue: queue }) => queue ?? []);
  const objectQueue = queues.find((name) => name.endsWith('-objects'));
  if (!objectQueue) throw new Error('wrangler.toml has no consumer of a queue that ends in -objects.');
  return { bucket: buckets[0]!.bucket_name, queues: [...new Set([...queues, ...dead])], objectQueue };
}

/** Creates missing databases: they are migrated before the Worker, with which wrangler would provision them. @returns all, with ids */
async function ensureDatabases(options: DeploymentOptions, placed: readonly string[], version: DeployedVersion | null) {
  const { wrangler, config, imageDatabases: requested, say } = options;
  const present = await d1Ids(wrangler);
  const { own, images } = databasesOf(config, new Set(present.keys()), requested);
  const databases = [...own, ...images];
  const missing = databases.filter(({ database_name: name }) => !present.has(name));
  // The last first: the image databases are counted from the first one on, and a deployment that breaks off must not leave fewer than it is to have.
  for (const { database_name: name } of missing.toReversed()) {
    say(`creating the database ${name}`);
    await wrangler(['d1', 'create', name, ...placed]);
  }
  const ids = missing.length > 0 ? await d1Ids(wrangler) : present;
  const bound: D1Binding[] = databases.map((database) => {
    const id = ids.get(database.database_name);
    if (!id)
      throw new Error(`The database ${database.database_name} was created, but the account does not list it. Deploy again.`);
    return { ...database, database_id: id };
  });
  // Also those of an earlier deployment that broke off, which no version has.
  const isNew = ({ binding }: D1Binding) => !version?.resources.bindings.some(({ name }) => name === binding);
  await replicate(options.api, bound.filter(isOfImages).filter(isNew), say);
  return bound;
}

async function missingSecrets({ wrangler, config, newToken, sessionKey }: DeploymentOptions, version: DeployedVersion | null) {
  const list = version && (await ofWorker(wrangler(['secret', 'list', '--format', 'json', '--name', config.name])));
  const present = list === null ? [] : (jsonList(list) as { readonly name: string }[]).map(({ name }) => name);
  return Object.fromEntries(
    SECRETS.filter((name) => !present.includes(name)).map((name) => [name, (name === 'SESSION_KEY' && sessionKey) || newToken()]),
  );
}

/** Creates a resource that `<command> info <name>` does not find. */
async function ensure(
  { wrangler, say }: DeploymentOptions,
  command: readonly string[],
  name: string,
  flags: readonly string[] = [],
) {
  if (await succeeds(wrangler([...command, 'info', name]))) return;
  say(`creating ${name}`);
  await wrangler([...command, 'create', name, ...flags]);
}

const LOCATIONS: readonly string[] = ['weur', 'eeur', 'apac', 'oc', 'wnam', 'enam'];

/** The location hint of new databases and of a new bucket, given or asked for. Null for a place near this machine. @throws Error */
async function locationHint(given: string | null, ask: Ask): Promise<string | null> {
  const question = `Location of the databases and the bucket, one of ${LOCATIONS.join(', ')} (empty: near this machine): `;
  const hint = given ?? (ask ? (await ask(question)).trim() : '');
  if (hint === '') return null;
  if (LOCATIONS.includes(hint)) return hint;
  throw expected(`one of ${LOCATIONS.join(', ')}`, 'location', hint);
}

/** Makes the bucket report JP2 files that are written below the prefix of the archive to the queue, unless it already does. */
async function ensureNotification({ wrangler, say }: DeploymentOptions, bucket: string, queue: string): Promise<void> {
  const command = ['r2', 'bucket', 'notification'];
  // Fails for a bucket that never had a notification.
  const present = await wrangler([...command, 'list', bucket]).catch(when(ProgramError, () => ''));
  if (present.includes(queue)) return;
  say(`files that are written to ${bucket} are indexed`);
  const filter = ['--prefix', imagePrefix(''), '--suffix', '.jp2'];
  await wrangler([...command, 'create', bucket, '--event-type', 'object-create', '--queue', queue, ...filter]);
}

/** Products of a deployment, each with a list that fails where the account lacks the product or the token its permission. */
const PRODUCTS = [
  { name: 'Workers', path: 'workers/scripts', permission: 'Workers Scripts: Edit' },
  { name: 'D1', path: 'd1/database?per_page=10', permission: 'D1: Edit' },
  { name: 'R2', path: 'r2/buckets?per_page=10', permission: 'Workers R2 Storage: Edit' },
  { name: 'Queues', path: 'queues?per_page=10', permission: 'Queues: Edit' },
] as const;
const CONTAINERS = { name: 'Containers', path: 'containers/me', permission: 'Containers: Edit' } as const;

type Answer = { readonly result?: unknown; readonly refusal?: string };

const asked = (api: AccountApi, path: string): Promise<Answer> =>
  api.get(path).then(
    (result) => ({ result }),
    (error: Error) => ({ refusal: error.message }),
  );

/** @returns the origin on workers.dev; null with a domain @throws Error that says what is missing, or what the domain is used for */
async function checkReadiness(options: DeploymentOptions, api: AccountApi, domain: string | null, hasContainers: boolean) {
  const account = `/accounts/${api.accountId}`;
  const missing: string[] = [];
  for (const { name, path, permission } of hasContainers ? [...PRODUCTS, CONTAINERS] : PRODUCTS) {
    const { refusal } = await asked(api, `${account}/${path}`);
    if (refusal) missing.push(`${name}: ${refusal}. Give the token the permission ${permission}, and the account the product.`);
  }
  const { result, refusal = 'none is chosen' }: Answer = domain === null ? await asked(api, `${account}/workers/subdomain`) : {};
  const { subdomain } = (result ?? {}) as { readonly subdomain?: string };
  if (domain === null && subdomain === undefined) {
    const advice = 'Choose one in the dashboard (Workers & Pages), or deploy with --domain';
    missing.push(`The account has no name on workers.dev: ${refusal}. ${advice}.`);
  }
  if (missing.length > 0) throw new Error(`Nothing was made, because the account is not ready.\n${missing.join('\n')}`);
  if (domain === null) return `https://${options.config.name}.${subdomain}.workers.dev`;
  await checkDomain(domain, api, options);
  return null;
}

const LISTED = /^(A|AAAA|CNAME)$/;

/** @throws Error for a domain outside of the zones of the account, and for one that is in use unless it is taken over */
async function checkDomain(domain: string, api: AccountApi, { config, takeOver, say }: DeploymentOptions): Promise<void> {
  const zone = await zoneOf(domain, api);
  const domains = (await api.get(`/accounts/${api.accountId}/workers/domains?hostname=${domain}`)) as {
    readonly service: string;
  }[];
  const others = domains
    .filter(({ service }) => service !== config.name)
    .map(({ service }) => `the custom domain of the Worker ${service}`);
  // The record of a custom domain belongs to it.
  if (domains.length === 0) {
    const { result, refusal } = await asked(api, `/zones/${zone.id}/dns_records?name=${domain}`);
    const records = (result ?? []) as { readonly type: string; readonly content: string }[];
    others.push(
      ...records.filter(({ type }) => LISTED.test(type)).map(({ type, content }) => `the DNS record ${type} ${content}`),
    );
    if (refusal) others.push(`DNS records that could not be read (${refusal}: the token needs DNS: Read)`);
  }
  if (others.length > 0) {
    const used = `${domain} is in use: ${others.join(', ')}.`;
    if (!takeOver) throw new Error(`${used} A deployment would replace that. Choose another name, or repeat with --take-over.`);
    say(`${used} The deployment replaces that.`);
  }
  await warnOfBlocks(zone, api, say);
}

type Zone = { readonly id: string; readonly name: string };

async function zoneOf(domain: string, api: AccountApi): Promise<Zone> {
  const labels = domain.split('.');
  for (let i = 0; i < labels.length - 1; i += 1) {
    const name = labels.slice(i).join('.');
    const [zone] = (await api.get(`/zones?name=${name}&account.id=${api.accountId}`)) as Zone[];
    if (zone) return zone;
  }
  throw new Error(
    `The account has no zone for ${domain}, or its token no permission Zone: Read. Add the domain to the account first.`,
  );
}

/** Says which settings of the zone keep out scripts, desktop clients and assistants. They cannot be excepted by path on every plan. */
async function warnOfBlocks({ id, name }: Zone, api: AccountApi, say: (line: string) => void): Promise<void> {
  const bots = await asked(api, `/zones/${id}/bot_management`);
  const integrity = await asked(api, `/zones/${id}/settings/browser_check`);
  const { fight_mode: fights, ai_bots_protection: ai } = (bots.result ?? {}) as {
    fight_mode?: boolean;
    ai_bots_protection?: string;
  };
  const { value } = (integrity.result ?? {}) as { value?: string };
  const warnings = [
    ...(fights ? ['Bot Fight Mode is on, which challenges scripts and /mcp'] : []),
    ...(value === 'on' ? ['Browser Integrity Check is on, which refuses scripts without the usual User-Agent'] : []),
    ...(ai === 'block' ? ['Block AI bots is on, which keeps assistants from /llms.txt and /mcp'] : []),
    ...(bots.refusal || integrity.refusal ? ['some settings could not be read (Bot Management: Read, Zone Settings: Read)'] : []),
  ];
  for (const warning of warnings) say(`Zone ${name}: ${warning}. See "The first day" in docs/operate.md.`);
}
