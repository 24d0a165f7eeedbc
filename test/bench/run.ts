// `npm run bench -- NAME [--json]`: runs one bench and prints its results.
import { cpus, totalmem } from 'node:os';
import { buildStaleArtefacts } from '../../src/cli/build/artefacts.ts';

/** One measurement. `against` is the compared value in the same unit; `ratio` is how many times better `value` is. */
interface BenchResult {
  readonly case: string;
  readonly metric: string;
  readonly unit: string;
  readonly value: number;
  readonly against?: number;
  readonly ratio?: number;
}

/** What a bench is given: its log, and where its results go. */
export interface Run {
  log(line: string): void;
  /** `against`: the compared value, or the goal; `ratio`: unless given, that of values of which less is better. */
  add(name: string, metric: string, unit: string, value: number, against?: number, ratio?: number): void;
}

export type Bench = (run: Run) => Promise<void>;

/** Files of the benches by their names. */
const BENCHES: Readonly<Record<string, readonly string[]>> = {
  attack: ['load/attack'],
  costs: ['costs'],
  decode: ['decode'],
  events: ['events'],
  filters: ['pictures/filters'],
  grids: ['measuring/grid-year'],
  ingest: ['archive/ingest'],
  jpx: ['jpx', 'jpip'],
  load: ['load/load'],
  measure: ['measuring/measuring', 'measuring/grid-year'],
  memory: ['mixed-load'],
  movie: ['movie'],
  page: ['explorer/page'],
  play: ['explorer/play', 'explorer/similarity'],
  paging: ['image-index/paging'],
  requests: ['runtime/requests'],
  render: ['render'],
  rows: ['image-index/rows'],
  soak: ['load/soak'],
  start: ['runtime/start'],
  tile: ['tile'],
  views: ['views'],
};

const machine = (): string =>
  `${cpus()[0]?.model ?? 'unknown'} x ${cpus().length}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;

function line({ case: name, metric, unit, value, against, ratio }: BenchResult): string {
  const other = against === undefined ? '' : `  against ${against.toFixed(2)} ${unit}  ratio ${ratio?.toFixed(2)}`;
  return `${name.padEnd(44)} ${metric.padEnd(16)} ${value.toFixed(2).padStart(9)} ${unit}${other}`;
}

const [name = '', ...flags] = process.argv.slice(2);
const files = BENCHES[name];
if (!files) {
  console.error(`Expected one of ${Object.keys(BENCHES).join(', ')} for NAME, got ${name || 'nothing'}.`);
  process.exit(2);
}
const results: BenchResult[] = [];
const run: Run = {
  log: (text) => console.error(text),
  add(subject, metric, unit, value, against, ratio = against === undefined ? undefined : against / value) {
    const result = { case: subject, metric, unit, value, ...(against === undefined ? {} : { against, ratio: ratio! }) };
    results.push(result);
    console.error(line(result));
  },
};
await buildStaleArtefacts(run.log);
for (const file of files) await ((await import(`./${file}.ts`)) as { readonly bench: Bench }).bench(run);
if (flags.includes('--json')) console.log(JSON.stringify({ name, machine: machine(), results }));
else {
  console.log(`${name}: ${machine()}`);
  for (const result of results) console.log(line(result));
}
process.exit(0);
