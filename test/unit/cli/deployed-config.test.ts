// The configuration that a deployment writes, as wrangler reads it.
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { unstable_readConfig as readConfig, experimental_readRawConfig as readRawConfig } from 'wrangler';
import { configOf, deployedConfig, type MovieParts, type WranglerConfig } from '../../../src/cli/deploy/deployed-config.ts';
import { imageDatabases } from '../../../src/cli/deploy/image-databases.ts';
import { readMovieQueueSettings } from '../../../src/config/settings/movies.ts';

const root = resolve(import.meta.dirname, '..', '..', '..');
const toml = readRawConfig({ config: join(root, 'wrangler.toml') }).rawConfig as unknown as WranglerConfig;
const written = join(root, 'build', `wrangler-${process.pid}.json`);

afterAll(() => rmSync(written, { force: true }));

/** The configuration of a new deployment as wrangler parses it. @throws Error for one that wrangler rejects */
function read(environment: string, movies: MovieParts) {
  const config = configOf(toml, environment);
  const [main, template] = config.d1_databases;
  const databases = [main!, ...imageDatabases(template!, new Set(), null)].map((database) => ({
    ...database,
    database_id: `id of ${database.database_name}`,
  }));
  const shardDatabases = databases.slice(1).map(({ binding }) => binding);
  writeFileSync(written, JSON.stringify(deployedConfig(config, { databases, shardDatabases, movies })));
  return readConfig({ config: written }, { hideWarnings: true });
}

describe.each(['production', 'staging'])('the configuration of %s', (environment) => {
  const config = read(environment, 'containers');

  it('has the main database and sixteen image databases with their ids', () => {
    const name = environment === 'production' ? 'helioedge' : 'helioedge-staging';
    const databases = config.d1_databases.map(({ binding, database_id: id }: { binding: string; database_id?: string }) => [
      binding,
      id,
    ]);
    expect(databases).toHaveLength(17);
    expect([databases[0], databases[1], databases[16]]).toEqual([
      ['DB', `id of ${name}`],
      ['IMAGES_00', `id of ${name}-images-00`],
      ['IMAGES_15', `id of ${name}-images-15`],
    ]);
    expect(config.vars.SHARD_DATABASES).toMatch(/^IMAGES_00,IMAGES_01,.*,IMAGES_15$/);
  });

  it('keeps the rest of wrangler.toml', () => {
    const local = readConfig(
      { config: join(root, 'wrangler.toml'), ...(environment === 'staging' ? { env: environment } : {}) },
      { hideWarnings: true },
    );
    const parts = [
      'name',
      'r2_buckets',
      'queues',
      'ratelimits',
      'analytics_engine_datasets',
      'durable_objects',
      'migrations',
      'triggers',
      'rules',
      'cache',
      'limits',
      'observability',
    ] as const;
    for (const part of parts) expect(config[part], part).toEqual(local[part]);
    expect(Object.keys(config.vars)).toEqual(Object.keys(local.vars));
  });

  it('has queues for movies, for uploads and for notifications of the bucket, each with a consumer', () => {
    const { producers, consumers } = config.queues;
    const name = environment === 'production' ? 'helioedge' : 'helioedge-staging';
    expect(producers).toEqual([
      { binding: 'JOBS', queue: `${name}-jobs` },
      { binding: 'UPLOADS', queue: `${name}-uploads` },
      { binding: 'OBJECTS', queue: `${name}-objects` },
    ]);
    expect(consumers!.map(({ queue }: { queue: string }) => queue)).toEqual([
      `${name}-jobs`,
      `${name}-uploads`,
      `${name}-objects`,
    ]);
  });

  it('limits an invocation and keeps the log', () => {
    expect(config.limits).toEqual({ cpu_ms: 20_000, subrequests: 2_000 });
    expect(config.observability).toMatchObject({
      logs: { enabled: true, head_sampling_rate: 1 },
      traces: { head_sampling_rate: 0.01 },
    });
  });

  it('resolves every path from its own folder', () => {
    const migrations = config.d1_databases.map(({ migrations_dir: folder }: { migrations_dir?: string }) =>
      resolve(root, 'build', folder ?? ''),
    );
    const paths = [...new Set([config.main, ...migrations])];
    expect(paths.map((path) => [path, existsSync(path!)])).toEqual([
      [join(root, 'src/index.ts'), true],
      [join(root, 'migrations/main'), true],
      [join(root, 'migrations/images'), true],
    ]);
    expect(resolve(root, 'build', config.assets!.directory!)).toBe(join(root, 'build/web'));
  });
});

describe('the staging environment', () => {
  it('is production with resources of its own', () => {
    const { name: _name, env, ...production } = toml;
    const overridden = Object.keys(env!.staging!).filter((key) => key !== 'name') as (keyof typeof production)[];
    const renamed = overridden.map((key) => [
      key,
      // The name of a dataset of Analytics Engine is one of SQL, without dashes.
      JSON.parse(
        JSON.stringify(production[key])
          .replaceAll('helioedge', 'helioedge-staging')
          .replaceAll('helioedge-staging_', 'helioedge_staging_'),
      ),
    ]);
    const normalised = overridden.map((key) => [key, env!.staging![key]]);
    const ids = /"(database_id|namespace_id|max_instances|MOVIE_CONTAINERS)":"?[^",}]+"?/g;
    expect(JSON.stringify(normalised).replace(ids, '"$1"')).toBe(JSON.stringify(renamed).replace(ids, '"$1"'));
    const inherited = [
      'main',
      'compatibility_date',
      'compatibility_flags',
      'send_metrics',
      'assets',
      'migrations',
      'dev',
      'triggers',
      'rules',
    ];
    const passedOn = ['cache', 'exports', 'observability', 'limits'];
    expect(
      Object.keys(production).filter((key) => !overridden.includes(key as never) && ![...inherited, ...passedOn].includes(key)),
    ).toEqual([]);
  });

  it('is refused under another name', () => {
    expect(() => configOf(toml, 'test')).toThrow('Expected production or staging for --env, got test.');
  });
});

describe('the movie workers of a deployment', () => {
  const classes = ({ durable_objects: objects, migrations }: ReturnType<typeof readConfig>) => [
    objects.bindings.map((binding: { class_name: string }) => binding.class_name).includes('MovieContainer'),
    JSON.stringify(migrations).includes('MovieContainer'),
  ];

  it('are built from the repository root, as many as the service wakes', () => {
    const { containers, vars } = read('production', 'containers');
    expect(containers).toEqual([
      expect.objectContaining({
        class_name: 'MovieContainer',
        image: join(root, 'containers/movie/Dockerfile'),
        image_build_context: root,
        instance_type: 'standard-3',
      }),
    ]);
    expect(readMovieQueueSettings(vars).movieContainers).toBe(containers![0]!.max_instances);
  });

  it('are left out with their class, its binding and its migration, and none is woken', () => {
    const config = read('production', 'none');
    expect([config.containers ?? [], classes(config)]).toEqual([[], [false, false]]);
    expect(readMovieQueueSettings(config.vars).movieContainers).toBe(0);
  });

  it('keep their class when an earlier version has it', () => {
    const config = read('production', 'class');
    expect([config.containers ?? [], classes(config)]).toEqual([[], [true, true]]);
    expect(readMovieQueueSettings(config.vars).movieContainers).toBe(0);
  });

  it('can be added later: the migration of their class is the last', () => {
    const tags = (movies: MovieParts) => read('production', movies).migrations.map(({ tag }: { tag: string }) => tag);
    expect(tags('containers').slice(0, -1)).toEqual(tags('none'));
  });
});

describe('the image databases of a deployment', () => {
  const template = toml.d1_databases[1]!;
  const names = (present: readonly string[], requested: number | null) =>
    imageDatabases(template, new Set(present), requested).map(({ database_name: name }) => name);

  it('are sixteen, or as many as are requested', () => {
    expect(names([], null)).toHaveLength(16);
    expect(names([], 1)).toEqual(['helioedge-images-00']);
  });

  it('stay as many as exist unless more are requested', () => {
    const present = ['helioedge', 'helioedge-images-00', 'helioedge-images-01', 'helioedge-staging-images-02'];
    expect(names(present, null)).toEqual(['helioedge-images-00', 'helioedge-images-01']);
    expect(names(present, 3)).toHaveLength(3);
    expect(() => names(present, 1)).toThrow('Expected at least the 2 that exist for --image-databases, got 1.');
  });
});
