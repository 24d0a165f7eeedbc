// The configuration that a deployment writes, as wrangler reads it.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { unstable_readConfig as readConfig, experimental_readRawConfig as readRawConfig } from 'wrangler';
import type { MovieParts, WranglerConfig } from '../../../src/cli/deploy/deployed-config.ts';
import { configOf, databasesOf, deployedConfig } from '../../../src/cli/deploy/deployed-config.ts';
import { MOVIE_QUEUE_VARIABLES } from '../../../src/platform/settings/movies.ts';
import { readVariables } from '../../../src/platform/settings/variable.ts';

const root = resolve(import.meta.dirname, '..', '..', '..');
const toml = readRawConfig({ config: join(root, 'wrangler.toml') }).rawConfig as unknown as WranglerConfig;
const written = join(root, 'build', `wrangler-${process.pid}.json`);

afterAll(() => rmSync(written, { force: true }));

/** The configuration of a new deployment as wrangler parses it. @throws Error for one that wrangler rejects */
function read(environment: string, movies: MovieParts, origin: string | null = null) {
  const config = configOf(toml, environment);
  const { own, images } = databasesOf(config, new Set(), null);
  const databases = [...own, ...images].map((database) => ({ ...database, database_id: `id of ${database.database_name}` }));
  const shardDatabases = databases.slice(own.length).map(({ binding }) => binding);
  writeFileSync(written, JSON.stringify(deployedConfig(config, { databases, shardDatabases, movies, origin })));
  return readConfig({ config: written }, { hideWarnings: true });
}

describe.each(['production', 'staging'])('the configuration of %s', (environment) => {
  const config = read(environment, 'containers');

  it('binds the databases of visitors and operators and sixteen image databases by their ids', () => {
    const name = environment === 'production' ? 'helioedge' : 'helioedge-staging';
    const databases = config.d1_databases.map(({ binding, database_id: id }: { binding: string; database_id?: string }) => [
      binding,
      id,
    ]);
    expect(databases).toHaveLength(18);
    expect([0, 1, 2, 17].map((i) => databases[i])).toEqual([
      ['DB', `id of ${name}`],
      ['OPERATIONS', `id of ${name}-operations`],
      ['IMAGES_00', `id of ${name}-images-00`],
      ['IMAGES_15', `id of ${name}-images-15`],
    ]);
    expect(config.vars.SHARD_DATABASES).toMatch(/^IMAGES_00,IMAGES_01,.*,IMAGES_15$/);
  });

  it('keeps the rest of wrangler.toml, under names of its own', () => {
    const { containers: _containers, ...own } = configOf(toml, environment);
    writeFileSync(written, JSON.stringify(own));
    const local = readConfig({ config: written }, { hideWarnings: true });
    const parts = [
      'name',
      'r2_buckets',
      'queues',
      'analytics_engine_datasets',
      'durable_objects',
      'exports',
      'triggers',
      'rules',
      'cache',
      'limits',
      'observability',
    ] as const;
    for (const part of parts) expect(config[part], part).toEqual(local[part]);
    expect(Object.keys(config.vars)).toEqual(Object.keys(local.vars));
  });

  it('binds queues for movies, long jobs, notifications of the bucket and webhooks, each with a consumer, as their dead letters have', () => {
    const { producers } = config.queues;
    const bound = producers!.map(({ binding }: { binding: string }) => binding);
    expect(bound).toEqual(['JOBS', 'LONG_JOBS', 'OBJECTS', 'WEBHOOKS']);
    const own = configOf(toml, environment).queues.consumers;
    const filled = [
      ...producers!.map(({ queue }: { queue: string }) => queue),
      ...own.flatMap(({ dead_letter_queue: dead = [] }) => dead),
    ];
    expect(own.map(({ queue }) => queue).sort()).toEqual([...new Set(filled)].sort());
  });

  it('records no URLs, which may have the code and state of an authorisation by the video host', () => {
    // `enabled` of the whole switches on what is not switched off by itself.
    expect(config.observability?.enabled ?? false).toBe(false);
    expect(config.observability).toMatchObject({ logs: { invocation_logs: false }, traces: { enabled: false } });
  });

  it('declares entry points and Durable Objects in one form, a class for each binding', () => {
    const exportsOf = (type: string) =>
      Object.entries<{ readonly type: string }>(config.exports).flatMap(([name, each]) => (each.type === type ? [name] : []));
    expect(config.migrations).toEqual([]);
    expect(exportsOf('worker')).toEqual(['default', 'CachedService', 'ContainerProxy', 'JpxCalls']);
    const bound = config.durable_objects.bindings.map(({ class_name: name }: { class_name: string }) => name);
    expect(exportsOf('durable-object').sort()).toEqual(bound.sort());
    for (const name of ['CachedService', 'JpxCalls', ...bound]) {
      expect(readFileSync(join(root, 'src/worker/index.ts'), 'utf8')).toMatch(new RegExp(`^export (class|\\{) ${name}\\b`, 'm'));
    }
  });

  it('derives the namespaces of rate limits from the name of the Worker, so that two Workers share no counts', () => {
    const ids = (name: string) => read(name, 'containers').ratelimits.map(({ namespace_id: id }: { namespace_id: string }) => id);
    const all = [...ids('production'), ...ids('staging')];
    expect(new Set(all).size).toBe(all.length);
    for (const id of all) expect(id).toMatch(/^[1-9]\d{0,9}$/);
    expect(ids(environment)).toEqual(ids(environment));
    expect(all.filter((id) => /^\d{4}$/.test(id))).toEqual([]);
  });

  it('names the custom domain as the only one, and passes it to the service', () => {
    expect(read(environment, 'containers', 'https://sun.example.org')).toMatchObject({
      routes: [{ pattern: 'sun.example.org', custom_domain: true }],
      workers_dev: false,
      preview_urls: false,
      vars: { PUBLIC_ORIGIN: 'https://sun.example.org' },
    });
  });

  it.each([undefined, 'https://helioedge.someone.workers.dev'])(
    'keeps the name on workers.dev without a domain: %s',
    (origin) => {
      const { routes, workers_dev, preview_urls, vars } = read(environment, 'containers', origin);
      expect([routes, workers_dev, preview_urls, vars.PUBLIC_ORIGIN]).toEqual([undefined, true, false, origin]);
    },
  );

  it('resolves every path from its own folder', () => {
    const migrations = config.d1_databases.map(({ migrations_dir: folder }: { migrations_dir?: string }) =>
      resolve(root, 'build', folder ?? ''),
    );
    const paths = [...new Set([config.main, ...migrations])];
    expect(paths.map((path) => [path, existsSync(path!)])).toEqual([
      [join(root, 'src/worker/index.ts'), true],
      [join(root, 'migrations/main'), true],
      [join(root, 'migrations/operations'), true],
      [join(root, 'migrations/images'), true],
    ]);
    expect(resolve(root, 'build', config.assets!.directory!)).toBe(join(root, 'build/web'));
  });
});

it('the staging environment names its resources after itself, and has one container', () => {
  const {
    d1_databases: databases,
    r2_buckets: buckets,
    queues,
    analytics_engine_datasets: datasets,
    ...config
  } = configOf(toml, 'staging');
  expect([config.name, config.vars.MOVIE_CONTAINERS, config.containers]).toMatchObject([
    'helioedge-staging',
    '1',
    [{ max_instances: 1 }],
  ]);
  const names = [...databases.map((each) => each.database_name), ...buckets.map((each) => each.bucket_name)];
  const dead = queues.consumers.flatMap(({ queue, dead_letter_queue: next = queue }) => [queue, next]);
  for (const name of [...names, ...queues.producers.map(({ queue }) => queue), ...dead])
    expect(name).toMatch(/^helioedge-staging(-|$)/);
  expect(datasets!.map(({ dataset }) => dataset)).toEqual(['helioedge_staging_status', 'helioedge_staging_requests']);
});

it('the staging environment rejects another name than staging', () => {
  expect(() => configOf(toml, 'test')).toThrow('Expected production or staging for --env, got test.');
});

const classes = ({ durable_objects: objects, exports }: ReturnType<typeof readConfig>) => [
  objects.bindings.map((binding: { class_name: string }) => binding.class_name).includes('MovieContainer'),
  'MovieContainer' in exports,
];

it('the movie workers of a deployment build from the repository root, as many as the service wakes', () => {
  const { containers, vars } = read('production', 'containers');
  expect(containers).toEqual([
    expect.objectContaining({
      class_name: 'MovieContainer',
      image: join(root, 'containers/movie/Dockerfile'),
      image_build_context: root,
      instance_type: 'standard-3',
    }),
  ]);
  expect(readVariables(MOVIE_QUEUE_VARIABLES, vars).MOVIE_CONTAINERS).toBe(containers![0]!.max_instances);
});

it('the movie workers of a deployment disappear without movies, apart from their class and its binding, and none starts', () => {
  const config = read('production', 'none');
  expect([config.containers ?? [], classes(config)]).toEqual([[], [false, false]]);
  expect(readVariables(MOVIE_QUEUE_VARIABLES, config.vars).MOVIE_CONTAINERS).toBe(0);
});

it('the movie workers of a deployment keep their class when an earlier version has it', () => {
  const config = read('production', 'class');
  expect([config.containers ?? [], classes(config)]).toEqual([[], [true, true]]);
  expect(readVariables(MOVIE_QUEUE_VARIABLES, config.vars).MOVIE_CONTAINERS).toBe(0);
});

const names = (present: readonly string[], requested: number | null) =>
  databasesOf(toml, new Set(present), requested).images.map(({ database_name: name }) => name);

it('the image databases of a deployment number sixteen, or as many as are requested, and stay as many as exist', () => {
  expect(names([], null)).toHaveLength(16);
  expect(names([], 1)).toEqual(['helioedge-images-00']);
  const present = ['helioedge', 'helioedge-images-00', 'helioedge-images-01', 'helioedge-staging-images-02'];
  expect(names(present, null)).toEqual(['helioedge-images-00', 'helioedge-images-01']);
  expect(names(present, 3)).toHaveLength(3);
  expect(() => names(present, 1)).toThrow('Expected at least the 2 that exist for --image-databases, got 1.');
});
