// The configuration that a deployment writes, as wrangler reads it.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { unstable_readConfig as readConfig } from 'wrangler';
import { deployedConfig } from '../../../src/cli/deploy/deployed-config.ts';
import { readMovieQueueSettings } from '../../../src/config/settings/movies.ts';

const root = resolve(import.meta.dirname, '..', '..', '..');
const toml = readFileSync(join(root, 'wrangler.toml'), 'utf8');
const DATABASE_IDS = ['0123abcd-0000-4000-8000-000000000001', '0123abcd-0000-4000-8000-000000000002'] as const;
const written = join(root, 'build', `wrangler-${process.pid}.toml`);

afterAll(() => rmSync(written, { force: true }));

/** The configuration as wrangler parses it. @throws Error for one that wrangler rejects */
function read(withoutMovies: boolean) {
  writeFileSync(written, deployedConfig(toml, { databaseIds: DATABASE_IDS, withoutMovies }));
  return readConfig({ config: written }, { hideWarnings: true });
}

describe.each([
  ['with movies', false],
  ['without movies', true],
])('the configuration of a deployment %s', (_, withoutMovies) => {
  const config = read(withoutMovies);

  it('keeps the local configuration except for the database ids', () => {
    const local = readConfig({ config: join(root, 'wrangler.toml') }, { hideWarnings: true });
    const databases = ['DB', 'IMAGES'].map((binding, i) => expect.objectContaining({ binding, database_id: DATABASE_IDS[i] }));
    expect(config.d1_databases).toEqual(databases);
    for (const part of ['r2_buckets', 'queues', 'ratelimits', 'durable_objects', 'migrations', 'triggers', 'rules'] as const)
      expect(config[part], part).toEqual(local[part]);
    expect(Object.keys(config.vars)).toEqual(Object.keys(local.vars));
  });

  it('resolves every path from its own folder', () => {
    const migrations = config.d1_databases.map(({ migrations_dir: folder }: { migrations_dir?: string }) =>
      resolve(root, 'build', folder ?? ''),
    );
    expect([config.main, ...migrations].map((path) => [path, existsSync(path!)])).toEqual([
      [join(root, 'src/index.ts'), true],
      [join(root, 'migrations/main'), true],
      [join(root, 'migrations/images'), true],
    ]);
    expect(resolve(root, 'build', config.assets!.directory!)).toBe(join(root, 'src/web'));
  });
});

describe('the containers of a deployment', () => {
  it('build from the repository root, as many as the service wakes', () => {
    const { containers, vars } = read(false);
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

  it('are left out without movies, and none is woken', () => {
    const { containers, vars, durable_objects: objects } = read(true);
    expect(containers ?? []).toEqual([]);
    expect(readMovieQueueSettings(vars).movieContainers).toBe(0);
    expect(objects.bindings.map((binding: { class_name: string }) => binding.class_name)).toContain('MovieContainer');
  });
});
