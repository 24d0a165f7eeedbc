// Derives the configuration of a deployment, in build/, from wrangler.toml.

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
  readonly migrations: readonly { readonly tag: string; readonly new_sqlite_classes?: readonly string[] }[];
  readonly containers?: readonly {
    readonly class_name: string;
    readonly image: string;
    readonly image_build_context: string;
  }[];
  readonly analytics_engine_datasets?: readonly { readonly binding: string; readonly dataset: string }[];
  readonly vars: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, Partial<WranglerConfig>>>;
}

export interface D1Binding {
  readonly binding: string;
  readonly database_name: string;
  readonly database_id: string;
  readonly migrations_dir: string;
}

/** The containers of the movie workers, their class, its binding and its migration; or the class without containers; or nothing. */
export type MovieParts = 'containers' | 'class' | 'none';

const MOVIE_CLASS = 'MovieContainer';

export interface DeployedConfigOptions {
  readonly databases: readonly D1Binding[];
  /** Bindings of the image databases: one for all shards, or that of each shard. */
  readonly shardDatabases: readonly string[];
  readonly movies: MovieParts;
  /** Whether the status is written to Workers Analytics Engine; true unless given. */
  readonly hasAnalytics?: boolean;
}

/**
 * The configuration of an environment, without the others.
 * @throws Error for an environment that wrangler.toml does not have
 */
export function configOf({ env = {}, ...production }: WranglerConfig, environment: string): WranglerConfig {
  if (environment === 'production') return production;
  const overrides = env[environment];
  if (!overrides) throw new Error(`Expected ${['production', ...Object.keys(env)].join(' or ')} for --env, got ${environment}.`);
  return { ...production, ...overrides };
}

/** Path from the folder build/. */
const fromBuild = (path: string) => `../${path}`;

/** Configuration for the folder build/, with the databases of a deployment. */
export function deployedConfig(
  config: WranglerConfig,
  { databases, shardDatabases, movies, hasAnalytics = true }: DeployedConfigOptions,
): WranglerConfig {
  const {
    containers = [],
    durable_objects: objects,
    migrations,
    vars,
    analytics_engine_datasets: datasets = [],
    ...rest
  } = config;
  const hasClass = movies !== 'none';
  const isDeployed = (className: string | undefined) => hasClass || className !== MOVIE_CLASS;
  return {
    ...rest,
    analytics_engine_datasets: hasAnalytics ? datasets : [],
    main: fromBuild(config.main),
    assets: { ...config.assets, directory: fromBuild(config.assets.directory) },
    d1_databases: databases.map((database) => ({ ...database, migrations_dir: fromBuild(database.migrations_dir) })),
    durable_objects: { bindings: objects.bindings.filter((binding) => isDeployed(binding.class_name)) },
    migrations: migrations.filter(({ new_sqlite_classes: classes }) => isDeployed(classes?.[0])),
    vars: {
      ...vars,
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

/** Whether a version of the Worker, as `wrangler versions view --json` shows it, has the class of the movie workers. */
export const hasMovieClass = (version: string): boolean => version.includes(MOVIE_CLASS);
