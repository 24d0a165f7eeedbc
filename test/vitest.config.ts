import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'node',
          include: ['test/{unit,property,conformance,fuzz}/**/*.test.ts'],
          environment: 'node',
          testTimeout: 120_000,
        },
      },
    ],
    root: '.',
  },
});
