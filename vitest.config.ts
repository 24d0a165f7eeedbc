import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin';
import { defineConfig } from 'vitest/config';

/** Projects that run in Node. `e2e` starts the service for real, `browser` looks at it in Chromium. */
const inNode = (name: string, include: string[], maxWorkers?: number) => ({
  test: {
    name,
    include,
    environment: 'node' as const,
    testTimeout: 120_000,
    hookTimeout: 180_000,
    ...(maxWorkers ? { maxWorkers } : {}),
  },
});

export default defineConfig(async () => ({
  test: {
    root: '.',
    projects: [
      inNode('node', ['test/{unit,property,conformance,golden,fuzz}/**/*.test.ts']),
      inNode('e2e', ['test/e2e/**/*.test.ts'], 1),
      inNode('browser', ['test/browser/**/*.test.ts'], 1),
      {
        plugins: [
          cloudflareTest({
            main: './src/index.ts',
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              bindings: {
                MIGRATIONS: await readD1Migrations('migrations'),
                ADMIN_TOKEN: 'a-token-for-tests-only',
                MOVIE_TOKEN: 'a-token-of-the-movie-workers',
                // Nobody listens there: the tests are the movie workers, and sources of events do not answer.
                MOVIE_WORKER_URL: 'http://127.0.0.1:9',
                EVENTS_UPSTREAM: 'http://127.0.0.1:9',
              },
            },
          }),
        ],
        test: {
          name: 'worker',
          include: ['test/worker/**/*.test.ts'],
          globalSetup: ['test/worker/sample.ts'],
          setupFiles: ['test/worker/setup.ts'],
          testTimeout: 30_000,
        },
      },
    ],
  },
}));
