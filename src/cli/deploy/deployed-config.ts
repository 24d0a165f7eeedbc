// Derives the configuration of a deployment, in build/, from wrangler.toml.
import { createHash } from 'node:crypto';
import { claimStatement, databasesOfShards, distributedShards, type HeldShard } from '../../platform/storage/shards.ts';
import { expected } from '../command.ts';
import { executed, type Wrangler } from './wrangler.ts';

/** Host of an origin of workers.dev, which the platform assigns. */
const WORKERS_DEV = /\.workers\.dev$/;
const DOMAIN = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;

/** Asks the operator, for a first deployment; null without a terminal. */
export type Ask = ((question: string) => Promise<string>) | null;

/**
 * The origin, from the first of these that states one. Null for a first deployment to workers.dev. @param known PUBLIC_ORIGIN of wrangler.toml, else
 * of the version that the account runs @throws Error
 */
export async function publicOrigin(domain: string | null, known: string | null, ask: Ask): Promise<string | null> {
  if (domain !== null) return originOf(domain);
  if (known !== null || ask === null) return known;
  const answer = (await ask('Domain of the service, in a zone of the account (empty: a name on workers.dev): ')).trim();
  return answer === '' ? null : originOf(answer);
}

function originOf(domain: string): string {
  if (DOMAIN.test(domain) && !WORKERS_DEV.test(domain)) return `https://${domain}`;
  throw expected('a domain such as images.example.org', 'domain', domain);
}

/** The custom domain of an origin; null for workers.dev. */
export function customDomain(origin: string | null): string | null {
  const host = origin === null ? null : new URL(origin).host;
  return host === null || WORKERS_DEV.test(host) ? null : host;
}

/** The parts of a configuration of wrangler that a deployment changes or uses. */
export interface WranglerConfig {
  readonly name: string;
  readonly main: string;
  readonly d1_databases: readonly D1Binding[];
  readonly r2_buckets: readonly { readonly bucket_name: string }[];
  readonly queues: {
    readonly producers: readonly { readonly queue: string }[];
    readonly consumers: readonly { readonly queue: string; readonly dead_letter_queue?: string }[];
  };
  readonly assets: { readonly directory: string };
  readonly durable_objects: { readonly bindings: readonly { readonly name: string; readonly class_name: string }[] };
  /** Entry points of the Worker, and classes of its Durable Objects, by name. */
  readonly exports: Readonly<Record<string, { readonly type: string }>>;
  readonly containers?: readonly {
    readonly class_name: string;
    readonly image: string;
    readonly image_build_context: string;
  }[];
  readonly analytics_engine_datasets?: readonly { readonly binding: string; readonly dataset: string }[];
  readonly ratelimits: readonly { readonly name: string; readonly namespace_id: string }[];
  readonly routes?: readonly object[];
  readonly workers_dev?: boolean;
  readonly preview_urls?: boolean;
  readonly vars: Readonly<Record<string, string>>;
}

export type D1Binding = Readonly<Record<'binding' | 'database_name' | 'database_id' | 'migrations_dir', string>>;

/** The containers of the movie workers, their class and its binding; or the class without containers; or nothing. */
export type MovieParts = 'containers' | 'class' | 'none';

export const MOVIE_CLASS = 'MovieContainer';

export interface DeployedConfigOptions {
  readonly databases: readonly D1Binding[];
  /** Bindings of the image databases: one for all shards, or that of each shard. */
  readonly shardDatabases: readonly string[];
  readonly movies: MovieParts;
  /** Public origin; null where it is not known, without an account. */
  readonly origin: string | null;
  /** Whether the status is written to Workers Analytics Engine; true unless given. */
  readonly hasAnalytics?: boolean;
}

/** The configuration of an environment: wrangler.toml, or `staging` with resources of its own and one container. @throws Error */
export function configOf(production: WranglerConfig, environment: string): WranglerConfig {
  if (environment === 'production') return production;
  if (environment !== 'staging') throw expected('production or staging', 'env', environment);
  // The name of a dataset of Analytics Engine is one of SQL, without dashes.
  const renamed = JSON.stringify(production).replace(/"helioedge([-_"])/g, (_, next: string) =>
    next === '_' ? '"helioedge_staging_' : `"helioedge-staging${next}`,
  );
  const { containers = [], vars, ...config } = JSON.parse(renamed) as WranglerConfig;
  const one = containers.map((container) => ({ ...container, max_instances: 1 }));
  return { ...config, containers: one, vars: { ...vars, MOVIE_CONTAINERS: '1' } };
}

/** Namespace of the counts of a rate limit: 31 bits of a hash, because Workers of an account with equal ones share their counts. */
function namespaceOf(worker: string, limit: string): string {
  const hash = createHash('sha256').update(`${worker} ${limit}`).digest();
  return String(Math.max(1, hash.readUInt32BE(0) >>> 1));
}

const fromBuild = (path: string) => `../${path}`;

/** Configuration for the folder build/, with the databases of a deployment. */
export function deployedConfig(
  config: WranglerConfig,
  { databases, shardDatabases, movies, origin, hasAnalytics = true }: DeployedConfigOptions,
): WranglerConfig {
  const { containers = [], durable_objects: objects, exports, vars, analytics_engine_datasets: datasets = [], ...rest } = config;
  const domain = customDomain(origin);
  const hasClass = movies !== 'none';
  const isDeployed = (className: string) => hasClass || className !== MOVIE_CLASS;
  return {
    ...rest,
    analytics_engine_datasets: hasAnalytics ? datasets : [],
    main: fromBuild(config.main),
    assets: { ...config.assets, directory: fromBuild(config.assets.directory) },
    d1_databases: databases.map((database) => ({ ...database, migrations_dir: fromBuild(database.migrations_dir) })),
    durable_objects: { bindings: objects.bindings.filter((binding) => isDeployed(binding.class_name)) },
    exports: Object.fromEntries(Object.entries(exports).filter(([className]) => isDeployed(className))),
    ratelimits: config.ratelimits.map((limit) => ({ ...limit, namespace_id: namespaceOf(config.name, limit.name) })),
    // One name: other hosts would be ways around the rules of the domain.
    ...(domain === null
      ? { workers_dev: true }
      : { workers_dev: false, routes: config.routes ?? [{ pattern: domain, custom_domain: true }] }),
    preview_urls: false,
    vars: {
      ...vars,
      ...(origin === null ? {} : { PUBLIC_ORIGIN: origin }),
      SHARD_DATABASES: shardDatabases.join(','),
      ...(movies === 'containers' ? {} : { MOVIE_CONTAINERS: '0' }),
    },
    ...(movies === 'containers'
      ? {
          containers: containers.map((container) => ({
            ...container,
            image: fromBuild(container.image),
            image_build_context: fromBuild(container.image_build_context),
          })),
        }
      : {}),
  };
}

/** Binding of the local image database, and the beginning of those of a deployment. */
const IMAGES = 'IMAGES';
const NEW_DATABASES = 16;
export const MAX_IMAGE_DATABASES = 64;

const HELD_SHARDS = 'SELECT shard, generation, state FROM held_shards';

export const isOfImages = ({ binding }: D1Binding): boolean => binding.startsWith(IMAGES);

/**
 * The databases of a deployment: those that a configuration has as they are, and in place of its local image database numbered ones, existing and
 * new, up to the requested number. @throws Error for fewer than exist
 */
export function databasesOf(config: WranglerConfig, present: ReadonlySet<string>, requested: number | null) {
  const local = config.d1_databases.find(({ binding }) => binding === IMAGES);
  if (!local) throw new Error(`wrangler.toml has no database with the binding ${IMAGES}.`);
  const numbered = (number: number): D1Binding => {
    const suffix = String(number).padStart(2, '0');
    return { ...local, binding: `${IMAGES}_${suffix}`, database_name: `${local.database_name}-${suffix}` };
  };
  let existing = 0;
  while (present.has(numbered(existing).database_name)) existing += 1;
  const count = requested ?? (existing || NEW_DATABASES);
  if (count < existing) throw expected(`at least the ${existing} that exist`, 'image-databases', String(count));
  const images = Array.from({ length: count }, (_, number) => numbered(number));
  return { own: config.d1_databases.filter((database) => database !== local), images };
}

/**
 * The binding of each shard, as the migrated databases say, or by a new distribution, which a first deployment that broke off may have begun.
 * @throws Error where the databases contradict each other
 */
export async function shardBindings(wrangler: Wrangler, databases: readonly D1Binding[], config: string, isFirst: boolean) {
  const held = new Map<string, readonly HeldShard[]>();
  for (const { binding } of databases) held.set(binding, (await executed(wrangler, binding, config, HELD_SHARDS)) as HeldShard[]);
  const taken = new Set([...held.values()].flat().map(({ shard }) => shard));
  for (const [binding, shards] of taken.size === 0 || isFirst ? distributedShards([...held.keys()]) : []) {
    const free = shards.filter((shard) => !taken.has(shard));
    if (free.length === 0) continue;
    await executed(wrangler, binding, config, claimStatement(free));
    held.set(binding, [...held.get(binding)!, ...free.map((shard): HeldShard => ({ shard, generation: 1, state: 'open' }))]);
  }
  return databasesOfShards(held);
}
