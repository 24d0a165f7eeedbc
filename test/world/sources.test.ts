// The sources that a world runs: each takes time, timers and random numbers from where a world replaces them.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..', '..');
const BEGINNINGS = ['src/worker/services.ts', 'src/worker/background.ts', 'containers/movie/build-movie.ts'];

/** The files that some files import, and those that these import. */
function importedBy(files: readonly string[], known = new Set<string>()): ReadonlySet<string> {
  for (const file of files.filter((each) => !known.has(each))) {
    known.add(file);
    const text = readFileSync(join(root, file), 'utf8');
    const specifiers = [...text.matchAll(/(?:from|import\()\s*'(\.[^']+\.ts)'/g)].map((match) => match[1]!);
    const paths = specifiers.map((each) => relative(root, resolve(root, dirname(file), each)));
    importedBy(
      paths.filter((path) => existsSync(join(root, path))),
      known,
    );
  }
  return known;
}

/** What no world can replace. */
const FORBIDDEN =
  /\bnew Date\(\)|\bDate\(\)|node:timers|process\.hrtime|\bsetImmediate\(|process\.nextTick|\brandom(?:Bytes|Int|UUID)\b[^}\n]*\} from 'node:crypto'|\bscheduler\.(?:wait|yield)/;
/** What a world replaces. The cryptographic generator, which it replaces as well, may be used anywhere. */
const REPLACED = /\bDate\.now\b|\bset(?:Timeout|Interval)\(|\bMath\.random\(|\bperformance\.now\(/;
/** Ports, and what waits or measures in one place for all. */
const PORTS: readonly string[] = [
  'containers/movie/build-movie.ts',
  'containers/movie/encode/segments.ts',
  'containers/movie/service.ts',
  'src/archive/ingest/index-objects.ts',
  'src/archive/reading/coefficients.ts',
  'src/faces/jpip/jpip-channel.ts',
  'src/movies/movie-service.ts',
  'src/operator/mirror/upstream/polite-client.ts',
  'src/platform/admission/turns.ts',
  'src/platform/http/local-cache.ts',
  'src/platform/http/response.ts',
  'src/platform/storage/databases.ts',
  'src/platform/util/memory-budget.ts',
  'src/platform/util/retry.ts',
  'src/platform/util/single-flight.ts',
  'src/worker/gateway.ts',
  'src/worker/platform.ts',
];

/** Programs and threads, of which the world imports types alone. */
const APART = /^containers\/movie\/(?:settings|watchdog|draw\/(?:thread|pool))\.ts$/;
const sources = [...importedBy(BEGINNINGS)].filter((file) => !APART.test(file)).sort();
const using = (pattern: RegExp) =>
  sources.filter((file) => pattern.test(readFileSync(join(root, file), 'utf8').replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '')));

it('takes no time and no randomness that a world cannot give', () => {
  expect(sources.length).toBeGreaterThan(300);
  expect(using(FORBIDDEN)).toEqual([]);
});

it('asks for the time, for timers and for Math.random in the listed files alone', () => expect(using(REPLACED)).toEqual(PORTS));
