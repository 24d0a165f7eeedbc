// `npm run bench -- NAME [--json]`: runs one bench and prints its results.
import { cpus, totalmem } from 'node:os';
import { buildStaleArtefacts } from '../../src/cli/build/artefacts.ts';

/** One measurement. `against` is the compared value in the same unit; `ratio` is how many times better `value` is. */
export interface BenchResult {
  readonly case: string;
  readonly metric: string;
  readonly unit: string;
  readonly value: number;
  readonly against?: number;
  readonly ratio?: number;
}

export interface Bench {
  run(log: (line: string) => void): Promise<BenchResult[]>;
}

/** JPX files, long ones by JPIP, and the first view of an image by JPIP. */
async function jpxAndJpip(): Promise<{ bench: Bench }> {
  const { bench: jpx, longMovies } = await import('./jpx.ts');
  const { bench: jpip } = await import('./jpip.ts');
  return inTurn([jpx, longMovies, jpip]);
}

/** Motion of the explorer, and how similar it is to what stands still. */
async function playAndSimilarity(): Promise<{ bench: Bench }> {
  const { bench: play } = await import('./explorer/play.ts');
  const { bench: similarity } = await import('./explorer/similarity.ts');
  return inTurn([play, similarity]);
}

/** Measurements beside scripts, and a light curve of a year from grids. */
async function measurements(): Promise<{ bench: Bench }> {
  const { bench: measuring } = await import('./measuring/measuring.ts');
  const { bench: grids } = await import('./measuring/grid-year.ts');
  return inTurn([measuring, grids]);
}

function inTurn(benches: readonly Bench[]): { bench: Bench } {
  const run: Bench['run'] = async (log) => {
    const results: BenchResult[] = [];
    for (const bench of benches) results.push(...(await bench.run(log)));
    return results;
  };
  return { bench: { run } };
}

const BENCHES: Readonly<Record<string, () => Promise<{ bench: Bench }>>> = {
  attack: () => import('./load/attack.ts'),
  costs: () => import('./costs.ts'),
  decode: () => import('./decode.ts'),
  encode: () => import('./encode.ts'),
  events: () => import('./events.ts'),
  filters: () => import('./pictures/filters.ts'),
  grids: () => import('./measuring/grid-year.ts'),
  ingest: () => import('./archive/ingest.ts'),
  jpx: jpxAndJpip,
  load: () => import('./load/load.ts'),
  measure: measurements,
  memory: () => import('./memory.ts'),
  movie: () => import('./movie.ts'),
  page: () => import('./explorer/page.ts'),
  play: playAndSimilarity,
  paging: () => import('./image-index/paging.ts'),
  requests: () => import('./runtime/requests.ts'),
  render: () => import('./render.ts'),
  rows: () => import('./image-index/rows.ts'),
  soak: () => import('./load/soak.ts'),
  start: () => import('./runtime/start.ts'),
  tile: () => import('./tile.ts'),
  views: () => import('./views.ts'),
};

const machine = (): string =>
  `${cpus()[0]?.model ?? 'unknown'} x ${cpus().length}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;

function line({ case: name, metric, unit, value, against, ratio }: BenchResult): string {
  const other = against === undefined ? '' : `  against ${against.toFixed(2)} ${unit}  ratio ${ratio?.toFixed(2)}`;
  return `${name.padEnd(44)} ${metric.padEnd(16)} ${value.toFixed(2).padStart(9)} ${unit}${other}`;
}

const [name = '', ...flags] = process.argv.slice(2);
const load = BENCHES[name];
if (!load) {
  console.error(`Expected one of ${Object.keys(BENCHES).join(', ')} for NAME, got ${name || 'nothing'}.`);
  process.exit(2);
}
await buildStaleArtefacts((text) => console.error(text));
const { bench } = await load();
const results = await bench.run((text) => console.error(text));
if (flags.includes('--json')) console.log(JSON.stringify({ name, machine: machine(), results }));
else {
  console.log(`${name}: ${machine()}`);
  for (const result of results) console.log(line(result));
}
process.exit(0);
