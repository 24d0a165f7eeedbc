// Recipes and their parts for property tests: everything that parsing can give.
import fc from 'fast-check';
import { allSources } from '../../src/domain/catalogue/sources.ts';
import { type Difference, TIME_UNITS } from '../../src/domain/recipe/difference.ts';
import type { Layer } from '../../src/domain/recipe/layers.ts';

const LAST_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const FIRST_INSTANT = new Date(0).setUTCFullYear(0, 0, 1);

/** Instants that the date notation can name, in whole milliseconds. */
export const instants = fc.integer({ min: FIRST_INSTANT, max: LAST_INSTANT });

export const differences: fc.Arbitrary<Difference> = fc.oneof(
  fc.constant({ kind: 'none' as const }),
  fc
    .record({ kind: fc.constant('running' as const), count: fc.integer(), unit: fc.constantFrom(...TIME_UNITS) })
    .map((running) => ({
      ...running,
      count: running.count % 1_000_000_000 || 1,
    })),
  fc.record({ kind: fc.constant('base' as const), atMs: instants }),
);

export const layers: fc.Arbitrary<Layer[]> = fc.array(
  fc.record({
    sourceId: fc.constantFrom(...allSources.map((source) => source.id)),
    opacity: fc.integer({ min: 1, max: 10_000 }).map((hundredths) => hundredths / 100),
    difference: differences,
  }),
  { minLength: 1, maxLength: 5 },
);
