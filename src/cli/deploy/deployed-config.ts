// Derives the configuration of a deployment, in build/, from wrangler.toml.
import { createHash } from 'node:crypto';
import { expected } from '../arguments.ts';
import { customDomain } from './origin.ts';

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

export interface D1Binding {
  readonly binding: string;
  readonly database_name: string;
  readonly database_id: string;
  readonly migrations_dir: string;
}

/** The containers of the movie workers, their class and its binding; or the class without containers; or nothing. */
export type MovieParts = 'containers' | 'class' | 'none';

export const MOVIE_CLASS = 'MovieContainer';

export interface DeployedConfigOptions {
  readonly databases: readonly D1Binding[];
  /** Bindings of the image databases: one for all shards, or that of each shard. */
  readonly shardDatabases: readonly string[];
  readonly movies: MovieParts;
  /** Public origin; null while the name on workers.dev is not known. */
  readonly origin: string | null;
  /** Whether the status is written to Workers Analytics Engine; true unless given. */
  readonly hasAnalytics?: boolean;
}

/** The configuration of an environment: wrangler.toml, or `staging` with resources of its own and one container. @throws ArgumentError */
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

const IMAGES = 'IMAGES';

/** The databases of a configuration that are deployed as they are, and the local image database, after which those of images are named. */
export function databasesOf({ d1_databases: databases }: WranglerConfig): { own: readonly D1Binding[]; template: D1Binding } {
  const template = databases.find(({ binding }) => binding === IMAGES);
  if (!template) throw new Error(`wrangler.toml has no database with the binding ${IMAGES}.`);
  return { own: databases.filter((database) => database !== template), template };
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
