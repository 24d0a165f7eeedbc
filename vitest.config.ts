import { availableParallelism } from 'node:os';
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin';
import { fetch, Response } from 'miniflare';
import { defineConfig } from 'vitest/config';
import LongestFirst from './test/support/longest-first.ts';

/**
 * Test files at once, in every project, so that all of them share one pool of workers. One more than there are cores, because many
 * tests wait for processes, leases and encoders, and because each further worker loads and compiles the service for itself.
 */
const maxWorkers = availableParallelism() + 1;
/** Chromium alone keeps the cores busy. */
const MAX_BROWSERS = Math.max(2, availableParallelism());

/** Limits for a hang alone: a busy machine takes several times the usual time. */
const TEST_TIMEOUT_MS = 180_000;
const HOOK_TIMEOUT_MS = 180_000;
/** A file of the world keeps a core busy for half a minute. */
const WORLD_TIMEOUT_MS = 1_200_000;
/** Limit of `expect.poll`. */
const POLL_TIMEOUT_MS = 60_000;

/**
 * Node loads the modules itself, as it does those of the programs: under Vite's module runner every use of an import is a call, which takes
 * a third of the time of the tests that draw.
 */
const NATIVE = { viteModuleRunner: false, nodeLoader: false };
/** Tests that replace modules of the service, which only the module runner can do where these import each other. */
const REPLACING = [
  'test/property/guards.test.ts',
  'test/unit/explorer/actions.test.ts',
  'test/unit/explorer/tile-sheet.test.ts',
  'test/unit/movies/parsing.test.ts',
];

/** Memory for young objects, of which a world makes many: with the usual 16 MiB a tenth of its time is their collection. */
const WORLD_MEMORY = ['--max-semi-space-size=64'];

/** Projects that run in Node. `e2e` starts the whole service, `browser` shows it in Chromium, `judges` shows it to programs of others. */
const inNode = (
  name: string,
  include: string[],
  isolate: boolean,
  others: {
    maxWorkers?: number;
    globalSetup?: string;
    exclude?: string[];
    experimental?: typeof NATIVE;
    execArgv?: string[];
    testTimeout?: number;
  } = {},
) => ({
  test: {
    name,
    include,
    isolate,
    maxWorkers,
    environment: 'node' as const,
    setupFiles: ['test/support/byte-equality.ts'],
    // The next file of the process would have them.
    unstubGlobals: true,
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: HOOK_TIMEOUT_MS,
    expect: { poll: { timeout: POLL_TIMEOUT_MS } },
    experimental: NATIVE,
    ...others,
  },
});

/** The statements of all migrations in a folder, and their record, which the worker tests run at once before each test. */
const migrationOf = async (folder: string) => [
  'CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TEXT DEFAULT CURRENT_TIMESTAMP NOT NULL)',
  "INSERT INTO d1_migrations (name) VALUES ('all')",
  ...(await readD1Migrations(folder)).flatMap(({ queries }) => queries),
];

/** Address at which nothing listens. */
const CLOSED = 'http://127.0.0.1:9';

export default defineConfig(async () => ({
  test: {
    root: '.',
    sequence: { sequencer: LongestFirst },
    projects: [
      // One process for many files, because loading the service takes longer than most files.
      inNode('node', ['test/{unit,property,conformance,golden,fuzz}/**/*.test.ts'], false, { exclude: REPLACING }),
      // A world replaces the clock, timers and randomness of its process while it runs.
      inNode('node-world', ['test/world/**/*.test.ts'], false, { execArgv: WORLD_MEMORY, testTimeout: WORLD_TIMEOUT_MS }),
      inNode('node-replacing', REPLACING, true, { experimental: { ...NATIVE, viteModuleRunner: true } }),
      inNode('e2e', ['test/e2e/**/*.test.ts'], false),
      inNode('browser', ['test/browser/**/*.test.ts'], false, {
        maxWorkers: MAX_BROWSERS,
        globalSetup: 'test/support/browser/shared-archives.ts',
      }),
      inNode('judges', ['test/judges/**/*.test.ts'], false, { maxWorkers: MAX_BROWSERS, globalSetup: 'test/judges/setup.ts' }),
      {
        plugins: [
          cloudflareTest({
            main: './src/worker/local.ts',
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              // Closed ports answer here, because workerd writes a page of its stack for each refused connection.
              outboundService: (request) =>
                new URL(request.url).origin === CLOSED ? new Response(null, { status: 503 }) : fetch(request),
              d1Databases: { IMAGES_ODD: 'images-odd', IMAGES_SPARE: 'images-spare' },
              bindings: {
                MIGRATIONS: await migrationOf('migrations/main'),
                OPERATIONS_MIGRATIONS: await migrationOf('migrations/operations'),
                IMAGE_MIGRATIONS: await migrationOf('migrations/images'),
                SHARD_DATABASES: Array.from({ length: 16 }, (_, shard) => (shard % 2 === 0 ? 'IMAGES' : 'IMAGES_ODD')).join(','),
                ADMIN_TOKEN: 'a-token-for-tests-only',
                MOVIE_TOKEN: 'a-token-of-the-movie-workers',
                // Closed ports: the tests act as the movie workers, and no event source answers.
                MOVIE_WORKER_URL: CLOSED,
                EVENTS_UPSTREAM: CLOSED,
              },
            },
          }),
        ],
        test: {
          name: 'worker',
          maxWorkers,
          include: ['test/worker/**/*.test.ts'],
          globalSetup: ['test/worker/samples/provide-samples.ts', 'test/worker/description-server.ts'],
          // One workerd for all files: the setup file resets the bindings before each test.
          isolate: false,
          setupFiles: ['test/worker/setup.ts'],
          testTimeout: TEST_TIMEOUT_MS,
          hookTimeout: HOOK_TIMEOUT_MS,
        },
      },
    ],
  },
}));
