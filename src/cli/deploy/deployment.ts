// The steps of a deployment, each of which may be repeated: resources, database tables, the Worker with the image of its movie
// workers, secrets.
import { SHARDS } from '../../domain/shards.ts';
import { claimStatement } from '../../storage/images/held-shards.ts';
import { ProgramError } from '../run.ts';
import { ensureLifecycle } from './lifecycle.ts';

const DATABASE = 'helioedge';
const IMAGE_DATABASE = 'helioedge-images';
const BUCKET = 'helioedge-archive';
const QUEUES = ['helioedge-jobs', 'helioedge-jobs-dead'];

/** Secrets that are created when they are missing. Only those that the operator needs are shown. */
const SECRETS = [
  { name: 'ADMIN_TOKEN', isShown: true },
  { name: 'MOVIE_TOKEN', isShown: false },
  { name: 'SESSION_KEY', isShown: false },
] as const;

/**
 * Runs wrangler and resolves with its output.
 * @throws ProgramError when it fails
 */
export type Wrangler = (args: readonly string[], input?: string) => Promise<string>;

interface DeploymentOptions {
  readonly wrangler: Wrangler;
  /** Writes the configuration for the databases with these ids. @returns its path */
  readonly writeConfig: (databaseIds: readonly [main: string, images: string]) => Promise<string>;
  readonly newToken: () => string;
  /** Whether container images can be built on this machine. */
  readonly hasDocker: () => Promise<boolean>;
  /** Leaves out the containers that build movies. */
  readonly withoutMovies: boolean;
  readonly say: (line: string) => void;
}

/**
 * Deploys everything.
 * @throws Error with a sentence for the user
 * @throws ProgramError with the output of wrangler
 */
export async function deploy(options: DeploymentOptions): Promise<void> {
  const { wrangler, writeConfig, newToken, hasDocker, withoutMovies, say } = options;
  if (!(await succeeds(wrangler(['whoami', '--json'])))) {
    throw new Error('Expected CLOUDFLARE_API_TOKEN or a login by `npx wrangler login`, got neither.');
  }
  if (!withoutMovies && !(await hasDocker())) {
    throw new Error(
      'Expected a running Docker, which builds the image of the movie workers, got none. ' +
        '`npm run deploy -- --without-movies` deploys everything else.',
    );
  }
  const config = await writeConfig([await databaseId(wrangler, DATABASE, say), await databaseId(wrangler, IMAGE_DATABASE, say)]);
  await ensure(wrangler, ['r2', 'bucket'], BUCKET, say);
  for (const queue of QUEUES) await ensure(wrangler, ['queues'], queue, say);
  await ensureLifecycle(wrangler, BUCKET, say);

  say('migrating the databases');
  for (const binding of ['DB', 'IMAGES']) {
    await wrangler(['d1', 'migrations', 'apply', binding, '--remote', '--config', config]);
  }
  await wrangler(['d1', 'execute', 'IMAGES', '--remote', '--config', config, '--command', claimStatement(SHARDS)]);
  say('deploying the Worker');
  say((await wrangler(['deploy', '--config', config])).trim());

  const secrets = json(await wrangler(['secret', 'list', '--format', 'json', '--config', config])) as { name: string }[];
  for (const { name, isShown } of SECRETS.filter(({ name }) => !secrets.some((secret) => secret.name === name))) {
    const token = newToken();
    await wrangler(['secret', 'put', name, '--config', config], `${token}\n`);
    if (isShown) say(`${name} is now ${token}\nKeep it: npm run ingest needs it, and it is not shown again.`);
  }
}

async function databaseId(wrangler: Wrangler, database: string, say: (line: string) => void): Promise<string> {
  const find = async () => {
    const databases = json(await wrangler(['d1', 'list', '--json'])) as { name: string; uuid: string }[];
    return databases.find(({ name }) => name === database)?.uuid;
  };
  const present = await find();
  if (present) return present;
  say(`creating the database ${database}`);
  await wrangler(['d1', 'create', database]);
  const created = await find();
  if (!created) throw new Error(`Expected the database ${database} after it was created, got none.`);
  return created;
}

/** Creates a resource that `<command> info <name>` does not find. */
async function ensure(wrangler: Wrangler, command: readonly string[], name: string, say: (line: string) => void): Promise<void> {
  if (await succeeds(wrangler([...command, 'info', name]))) return;
  say(`creating ${name}`);
  await wrangler([...command, 'create', name]);
}

async function succeeds(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error instanceof ProgramError) return false;
    throw error;
  }
}

/** The JSON list in the output of wrangler, which may have notices around it. */
function json(output: string): unknown {
  return JSON.parse(output.slice(output.indexOf('['), output.lastIndexOf(']') + 1));
}
