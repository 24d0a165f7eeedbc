// npm run deploy -- --rollback: goes back to an earlier version of the Worker, which has to fit the databases, and empties the edge cache.
import { fitsSchema } from '../../platform/storage/schema.ts';
import { SHARDS } from '../../platform/storage/shards.ts';
import type { delay } from '../../platform/util/retry.ts';
import { adminJson, ofStatus, posted } from '../ingest/admin-client.ts';
import { BASELINE } from '../local/migrations.ts';
import type { D1Binding } from './deployed-config.ts';
import { migrationsOf } from './deployment.ts';
import { type DeployedVersion, jsonList, jsonObject, variableOf, type Wrangler } from './wrangler.ts';

interface RollbackOptions {
  readonly wrangler: Wrangler;
  readonly name: string;
  /** The version to go back to; null for the one that was deployed before the present one. */
  readonly version: string | null;
  /** The databases of the deployment, with their ids, and a configuration that has them. */
  readonly databases: readonly D1Binding[];
  readonly config: string;
  readonly adminToken: string;
  readonly wait: typeof delay;
  readonly say: (line: string) => void;
}

/** A row of `wrangler deployments list --json`. */
type Deployment = { readonly created_on: string; readonly versions: readonly { readonly version_id: string }[] };

/** After these, no location answers with the newer version any more, and what it stored meanwhile is purged as well. */
const PURGES_AFTER_MS = [5_000, 60_000];

/** The database of each shard by a version. */
function holdersBy(version: DeployedVersion): (string | undefined)[] {
  const databases = variableOf(version, 'SHARD_DATABASES')?.split(',') ?? [];
  return SHARDS.map((shard) => databases[shard % databases.length]);
}

/** @throws Error before anything is changed, when there is no such version, or it does not fit the databases */
export async function rollBack({ wrangler, name, databases, config, adminToken, say, ...options }: RollbackOptions) {
  const list = jsonList(await wrangler(['deployments', 'list', '--json', '--name', name])) as Deployment[];
  const deployed = list
    .sort((a, b) => b.created_on.localeCompare(a.created_on))
    .flatMap(({ created_on: at, versions }) => (versions[0] ? { at, id: versions[0].version_id } : []));
  const current = deployed[0]?.id;
  const id = options.version ?? deployed.find((each) => each.id !== current)?.id;
  if (id === undefined || id === current) throw new Error(`${name} has no earlier version to go back to.`);
  const view = async (of: string) =>
    jsonObject(await wrangler(['versions', 'view', of, '--json', '--name', name])) as DeployedVersion;
  const version = await view(id);
  const [earlier, now] = [holdersBy(version), holdersBy(current === undefined ? version : await view(current))];
  const moved = SHARDS.filter((shard) => now[shard] !== earlier[shard]);
  if (moved.length > 0)
    throw new Error(
      `Version ${id} looks in other databases for shards that have moved (${moved.join(', ')}). Nothing was changed. ` +
        'Check out its code and run npm run deploy, which finds the shards where they are.',
    );
  const needed = variableOf(version, 'SCHEMA_MIGRATIONS')?.split(',') ?? [];
  for (const { binding, database_name: database } of databases) {
    const own = needed.find((text) => text.startsWith(`${binding.replace(/^(IMAGES)_.*/, '$1')}:`))?.split(':')[1];
    const applied = await migrationsOf(wrangler, binding, config);
    if (fitsSchema(applied, own ?? BASELINE.replace(/\.sql$/, ''))) continue;
    throw new Error(
      `Version ${id} does not fit the database ${database}, which has the migration ${applied.at(-1) ?? 'of no version'}. Nothing was changed. ` +
        'Deploy a newer version, or restore the databases to a time before that migration.',
    );
  }
  say(`the databases fit version ${id}${needed.length > 0 ? '' : ', which is older than the released schema'}`);
  say((await wrangler(['rollback', id, '--name', name, '--yes', '--message', 'npm run deploy -- --rollback'])).trim());
  const origin = variableOf(version, 'PUBLIC_ORIGIN');
  for (const ms of PURGES_AFTER_MS) {
    await options.wait(ms);
    say(await purged(origin, adminToken));
  }
  say(
    'The containers of the movie workers keep their image. Where its worker version is another one (log lines with workerVersion), movies wait: ' +
      'deploy from the code of the earlier version, by which the containers follow.',
  );
}

async function purged(origin: string | null, token: string): Promise<string> {
  const byHand =
    'Repeat POST /admin/purge with {"everything": true} until it is accepted: responses of the time before may be shown.';
  if (origin === null) return `The version has no PUBLIC_ORIGIN. ${byHand}`;
  const purge = adminJson(origin, token)('/purge', posted({ everything: true })).then(
    () => `the edge cache of ${origin} is empty`,
    ofStatus(
      404,
      'The version has no POST /admin/purge: responses of the time before are shown until they expire. Deploy from its code, which begins with an empty cache.',
    ),
  );
  return purge.catch(({ message }: Error) => `The purge of ${origin} failed (${message}). ${byHand}`);
}
