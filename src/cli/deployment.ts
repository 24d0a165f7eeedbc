// What a deployment does, in an order in which every step may be repeated: the resources, the database's tables, the Worker,
// its secret.
import { ProgramError } from './run.ts';

const DATABASE = 'helioedge';
const BUCKET = 'helioedge-archive';
const QUEUES = ['helioedge-jobs', 'helioedge-jobs-dead'];
const SECRET = 'ADMIN_TOKEN';

/** Runs wrangler to its end and gives what it printed. Throws ProgramError when it fails. */
export type Wrangler = (args: readonly string[], input?: string) => Promise<string>;

interface DeploymentOptions {
  readonly wrangler: Wrangler;
  /** Writes the configuration for the database with this id and gives its path. */
  readonly writeConfig: (databaseId: string) => Promise<string>;
  readonly newToken: () => string;
  readonly say: (line: string) => void;
}

/** Throws with a sentence for the user, or with wrangler's own words. */
export async function deploy({ wrangler, writeConfig, newToken, say }: DeploymentOptions): Promise<void> {
  if (!(await succeeds(wrangler(['whoami', '--json'])))) {
    throw new Error('Expected CLOUDFLARE_API_TOKEN or a login by `npx wrangler login`, got neither.');
  }
  const config = await writeConfig(await databaseId(wrangler, say));
  await ensure(wrangler, ['r2', 'bucket'], BUCKET, say);
  for (const queue of QUEUES) await ensure(wrangler, ['queues'], queue, say);

  say('migrating the database');
  await wrangler(['d1', 'migrations', 'apply', 'DB', '--remote', '--config', config]);
  say('deploying the Worker');
  say((await wrangler(['deploy', '--config', config])).trim());

  const secrets = json(await wrangler(['secret', 'list', '--format', 'json', '--config', config])) as { name: string }[];
  if (secrets.some(({ name }) => name === SECRET)) return;
  const token = newToken();
  await wrangler(['secret', 'put', SECRET, '--config', config], `${token}\n`);
  say(`${SECRET} is now ${token}\nKeep it: npm run ingest needs it, and it is not shown again.`);
}

async function databaseId(wrangler: Wrangler, say: (line: string) => void): Promise<string> {
  const find = async () => {
    const databases = json(await wrangler(['d1', 'list', '--json'])) as { name: string; uuid: string }[];
    return databases.find(({ name }) => name === DATABASE)?.uuid;
  };
  const present = await find();
  if (present) return present;
  say(`creating the database ${DATABASE}`);
  await wrangler(['d1', 'create', DATABASE]);
  const created = await find();
  if (!created) throw new Error(`Expected the database ${DATABASE} after it was created, got none.`);
  return created;
}

/** Creates what `<command> info <name>` does not find. */
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

/** The JSON list in what wrangler printed, which may have notices around it. */
function json(output: string): unknown {
  return JSON.parse(output.slice(output.indexOf('['), output.lastIndexOf(']') + 1));
}
