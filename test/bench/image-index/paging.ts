// Pages of a source of a million images through STAC and HAPI, at its beginning, middle and end: the time of a page, in local D1 (Miniflare)
// and in plain SQLite on the same file, and the memory that is held after many pages.
import type { D1ImageIndex } from '../../../src/archive/image-index/d1-image-index.ts';
import { STAC } from '../../../src/faces/stac/stac.ts';
import { LISTS } from '../../../src/platform/limits/images.ts';
import { DAY_MS, SECOND_MS } from '../../../src/platform/util/durations.ts';
import { formatExact } from '../../../src/sun/time.ts';
import { servedApp, testServices } from '../../support/test-services.ts';
import { clockMs, inTurns } from '../measure.ts';
import { collectGarbage } from '../memory.ts';
import type { Bench, Run } from '../run.ts';
import { addQuantiles, benchRows, fillRows, type LocalIndex, START, withLocalIndex } from './local-index.ts';

const [ROWS = 0] = benchRows([1_000_000]);
const SOURCE = 10;
/** The cadence of AIA, at which a million images are 139 days. */
const CADENCE_MS = 12 * SECOND_MS;
/** Rows of `fillRows` are missing in the first two days of a year. */
const FIRST_MS = START + 2 * DAY_MS;
const PLACES = { beginning: 0.001, middle: 0.5, end: 0.99 } as const;
/** Images of a page. */
const PAGE = STAC.maxItems;
const ROUNDS = 20;
/** Pages after which the memory is compared with that after the first. */
const PAGES = 100;
/** Records of a stream of HAPI: the most of a response. */
const RECORDS = LISTS.maxImages;
const ORIGIN = 'http://helioedge.test';

const appOn = (index: D1ImageIndex) => servedApp(testServices({ index }));
type App = ReturnType<typeof appOn>;

async function textOf(app: App, address: string): Promise<string> {
  const response = await app.direct(address);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${address} gave ${response.status} ${text.slice(0, 200)}`);
  return text;
}

const isoAt = (place: number) => formatExact(FIRST_MS + Math.floor(place * ROWS) * CADENCE_MS);
const stopAt = (place: number) => formatExact(FIRST_MS + (Math.floor(place * ROWS) + PAGE) * CADENCE_MS);

const ADDRESSES: Readonly<Record<string, (place: number) => string>> = {
  STAC: (place) => `/stac/collections/source-${SOURCE}/items?limit=${PAGE}&token=${SOURCE},${isoAt(place)}`,
  HAPI: (place) => `/hapi/data?dataset=images_${SOURCE}&start=${isoAt(place)}&stop=${stopAt(place)}`,
};

/** Megabytes of the heap after a collection of garbage. */
function heldMegabytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

const NEXT = /"rel":"next","href":"([^"]+)"/;

/** Follows the links of STAC, and reads a stream of HAPI. */
async function memory(app: App, { add }: Run): Promise<void> {
  let address: string | undefined = `${ORIGIN}/stac/collections/source-${SOURCE}/items?limit=${PAGE}`;
  const held: number[] = [];
  for (let page = 0; page < PAGES && address !== undefined; page++) {
    address = NEXT.exec(await textOf(app, address))?.[1];
    if (page === 0 || page === PAGES - 1) held.push(heldMegabytes());
  }
  const range = `start=${isoAt(0.1)}&stop=${formatExact(FIRST_MS + (Math.floor(0.1 * ROWS) + RECORDS) * CADENCE_MS)}`;
  const { body } = await app.direct(`${ORIGIN}/hapi/data?dataset=images_${SOURCE}&${range}`);
  const streamed: number[] = [];
  let pieces = 0;
  for await (const _piece of body!) {
    pieces += 1;
    if (pieces === 1 || pieces === RECORDS / LISTS.pageImages) streamed.push(heldMegabytes());
  }
  add(`STAC, after ${PAGES} pages against one`, 'heap', 'MB', held.at(-1)!, held[0]);
  add(`HAPI, at the end of ${RECORDS} records against the first page`, 'heap', 'MB', streamed.at(-1)!, streamed[0]);
}

async function measure({ d1, sqlite }: LocalIndex, run: Run): Promise<void> {
  const apps = [d1, sqlite].map(appOn) as [App, App];
  for (const [name, addressAt] of Object.entries(ADDRESSES))
    for (const [label, place] of Object.entries(PLACES)) {
      const took = (app: App) => () => clockMs(() => textOf(app, ORIGIN + addressAt(place)));
      const times = await inTurns({ d1: took(apps[0]), sqlite: took(apps[1]) }, ROUNDS, 2);
      addQuantiles(run, `${name}, a page of ${PAGE} at the ${label}`, times.d1, times.sqlite);
    }
  await memory(apps[1], run);
}

export const bench: Bench = (run) => {
  run.log(`filling ${ROWS} rows`);
  const count = ROWS + (2 * DAY_MS) / CADENCE_MS;
  const fill = (file: string) => fillRows(file, { count, cadenceMs: CADENCE_MS, sources: [SOURCE] });
  return withLocalIndex(fill, (index) => measure(index, run));
};
