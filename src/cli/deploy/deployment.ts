// The steps of a deployment, each of which may be repeated: resources, database tables, the Worker with the image of its movie
// workers, secrets.
import {
  type D1Binding,
  type DeployedConfigOptions,
  hasMovieClass,
  type MovieParts,
  type WranglerConfig,
} from './deployed-config.ts';
import { imageDatabases, shardBindings } from './image-databases.ts';
import { ensureLifecycle } from './lifecycle.ts';
import { ensureNotification } from './notification.ts';
import { jsonList, succeeds, type Wrangler } from './wrangler.ts';

/** Secrets that are created when they are missing. Only those that the operator needs are shown. */
const SECRETS = [
  { name: 'ADMIN_TOKEN', isShown: true },
  { name: 'MOVIE_TOKEN', isShown: false },
  { name: 'SESSION_KEY', isShown: false },
] as const;

interface DeploymentOptions {
  readonly wrangler: Wrangler;
  /** Configuration of the environment in wrangler.toml. */
  readonly config: WranglerConfig;
  /** Writes the configuration of the deployment. @returns its path */
  readonly writeConfig: (options: DeployedConfigOptions) => Promise<string>;
  readonly newToken: () => string;
  /** Whether container images can be built on this machine. */
  readonly hasDocker: () => Promise<boolean>;
  /** Leaves out the containers that build movies. */
  readonly withoutMovies: boolean;
  /** Number of image databases; null for those that exist, or 16 new ones. */
  readonly imageDatabases: number | null;
  readonly say: (line: string) => void;
}

/**
 * Deploys everything.
 * @throws Error with a sentence for the user
 * @throws ProgramError with the output of wrangler
 */
export async function deploy(options: DeploymentOptions): Promise<void> {
  const { wrangler, config, writeConfig, hasDocker, withoutMovies, say } = options;
  if (!(await succeeds(wrangler(['whoami', '--json'])))) {
    throw new Error('Expected CLOUDFLARE_API_TOKEN or a login by `npx wrangler login`, got neither.');
  }
  if (!withoutMovies && !(await hasDocker())) {
    throw new Error(
      'Expected a running Docker, which builds the image of the movie workers, got none. ' +
        '`npm run deploy -- --without-movies` deploys everything else.',
    );
  }
  const movies = withoutMovies ? await movieParts(wrangler, config.name) : 'containers';
  const databases = await ensureDatabases(options);
  const [main, ...images] = databases;
  const { bucket, queues } = resourcesOf(config);
  await ensure(wrangler, ['r2', 'bucket'], bucket, say);
  for (const queue of queues) await ensure(wrangler, ['queues'], queue, say);
  await ensureLifecycle(wrangler, bucket, say);
  await ensureNotification(wrangler, { bucket, queue: objectQueueOf(queues) }, say);

  // The map of the shards is read from the migrated databases, which wrangler finds in the configuration.
  const first = await writeConfig({ databases, shardDatabases: [main!.binding], movies });
  for (const { binding, database_name: name } of databases) {
    say(`migrating ${name}`);
    await wrangler(['d1', 'migrations', 'apply', binding, '--remote', '--config', first]);
  }
  const shardDatabases = await shardBindings(wrangler, images, first);
  const written = { databases, shardDatabases, movies };
  say('deploying the Worker');
  const path = await deployWorker(options, written);
  await ensureSecrets(options, path);
}

/** The API's refusal of a dataset of Workers Analytics Engine in an account that has not enabled it. */
const NO_ANALYTICS = /\[code: ?10089\]/;

/** Deploys the Worker; without Analytics Engine in an account that does not have it. @returns the path of the configuration */
async function deployWorker(
  { wrangler, writeConfig, say }: Pick<DeploymentOptions, 'wrangler' | 'writeConfig' | 'say'>,
  config: DeployedConfigOptions,
): Promise<string> {
  const path = await writeConfig(config);
  try {
    say((await wrangler(['deploy', '--config', path])).trim());
    return path;
  } catch (error) {
    if (config.hasAnalytics === false || !NO_ANALYTICS.test(String(error))) throw error;
    say(
      'Workers Analytics Engine is not enabled for this account, so the status is not written to it. ' +
        'Enable it in the dashboard (Workers, Analytics Engine) and run npm run deploy again.',
    );
    return deployWorker({ wrangler, writeConfig, say }, { ...config, hasAnalytics: false });
  }
}

/** The class of the movie workers stays where an earlier version has it, because removing it would need a migration of its own. */
async function movieParts(wrangler: Wrangler, name: string): Promise<MovieParts> {
  const list = await wrangler(['versions', 'list', '--json', '--name', name]).catch(() => '[]');
  const latest = (jsonList(list) as { id: string; number: number }[]).sort((a, b) => b.number - a.number)[0];
  if (!latest) return 'none';
  return hasMovieClass(await wrangler(['versions', 'view', latest.id, '--json', '--name', name])) ? 'class' : 'none';
}

/** Bucket and queues of a configuration. */
function resourcesOf({ r2_buckets: buckets, queues: { producers, consumers } }: WranglerConfig) {
  const queues = [...producers, ...consumers].map(({ queue }) => queue);
  const dead = consumers.flatMap(({ dead_letter_queue: queue }) => queue ?? []);
  return { bucket: buckets[0]!.bucket_name, queues: [...new Set([...queues, ...dead])] };
}

/** The queue of the notifications of the bucket. */
function objectQueueOf(queues: readonly string[]): string {
  const queue = queues.find((name) => name.endsWith('-objects'));
  if (!queue) throw new Error('Expected a consumer of a queue that ends in -objects in wrangler.toml, got none.');
  return queue;
}

/** Creates missing databases. @returns the main database and the image databases, with their ids */
async function ensureDatabases(
  options: Pick<DeploymentOptions, 'wrangler' | 'config' | 'imageDatabases' | 'say'>,
): Promise<D1Binding[]> {
  const { wrangler, config, imageDatabases: requested, say } = options;
  const [main, template] = config.d1_databases;
  const list = async () => {
    const databases = jsonList(await wrangler(['d1', 'list', '--json'])) as { name: string; uuid: string }[];
    return new Map(databases.map(({ name, uuid }) => [name, uuid]));
  };
  const present = await list();
  const databases = [main!, ...imageDatabases(template!, new Set(present.keys()), requested)];
  const missing = databases.filter(({ database_name: name }) => !present.has(name));
  for (const { database_name: name } of missing) {
    say(`creating the database ${name}`);
    await wrangler(['d1', 'create', name]);
  }
  const ids = missing.length > 0 ? await list() : present;
  return databases.map((database) => {
    const id = ids.get(database.database_name);
    if (!id) throw new Error(`Expected the database ${database.database_name} after it was created, got none.`);
    return { ...database, database_id: id };
  });
}

async function ensureSecrets({ wrangler, newToken, say }: DeploymentOptions, config: string): Promise<void> {
  const secrets = jsonList(await wrangler(['secret', 'list', '--format', 'json', '--config', config])) as { name: string }[];
  for (const { name, isShown } of SECRETS.filter(({ name }) => !secrets.some((secret) => secret.name === name))) {
    const token = newToken();
    await wrangler(['secret', 'put', name, '--config', config], `${token}\n`);
    if (isShown) say(`${name} is now ${token}\nKeep it: npm run ingest needs it, and it is not shown again.`);
  }
}

/** Creates a resource that `<command> info <name>` does not find. */
async function ensure(wrangler: Wrangler, command: readonly string[], name: string, say: (line: string) => void): Promise<void> {
  if (await succeeds(wrangler([...command, 'info', name]))) return;
  say(`creating ${name}`);
  await wrangler([...command, 'create', name]);
}
