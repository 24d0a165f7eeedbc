// `npm start` with viewers at a thousand addresses, in turn with and without one more address that attacks by every way that
// docs/security.md bounds, for half an hour (ATTACK_MINUTES): response times and refusals of the viewers, processor time, and what the
// databases hold against their budgets, with a verdict. The attacks of ATTACK_BY alone, the start of their name, show what each costs. With
// ATTACK_RESULTS, a file, a run that was interrupted goes on after its last part, with a new service.
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { localDatabases } from '../../../src/cli/local/migrations.ts';
import { databaseFile } from '../../../src/cli/local/state-lock.ts';
import { MOVIE_STATUS } from '../../../src/movies/movie.ts';
import { BUDGETS, type BudgetName } from '../../../src/platform/limits/admission.ts';
import { freePort, type Started, startService } from '../../support/commands.ts';
import { inFolder } from '../../support/system/in-folder.ts';
import { median, quantile } from '../measure.ts';
import { processorSeconds } from '../memory.ts';
import type { Bench, Run } from '../run.ts';
import { ADMIN_TOKEN } from '../service.ts';
import type { AttackAnswers, Attacked, AttackOrder } from './attacker.ts';
import { durationOf, serveImages } from './served-images.ts';
import { type Answered, type Images, viewersOf, visit } from './viewers.ts';

const MINUTES = 30;
/** Parts with (true) and without the attack: pairs, of which every other one begins with the attack, so that nothing favours a side. */
const PARTS = [false, true, true, false, false, true, true, false, false, true, true, false];
/** Views before the first part, in which tiles are drawn that all later parts find in the cache, in seconds. */
const WARM_UP_SECONDS = 30;
/** Between parts, the service finishes what it has accepted, such as movies: it rests when it takes less of a processor than this. */
const REST = { share: 0.25, lookMs: 500, mostMs: 30_000 };
/** Longest time for the movie of the attacks on the video host. */
const MOVIE_MS = 120_000;
const CONNECTIONS = 6;
/**
 * Requests of all viewers in a second: one of each in ten seconds, and less than the runtime can answer, as a service has room at most times.
 * With fewer, most of a response time is that of an idle processor that has to wake.
 */
const VIEWS_A_SECOND = 100;
const ADDRESSES = 1000;
const BY = process.env.ATTACK_BY ?? '';
/** The greatest p95 of the viewers during the attack, as a multiple of that without it. */
const MOST_RATIO = 1.5;
/** MB by which a database may grow to which no visitor adds: by heartbeats of the clock, and by what SQLite had not yet written back. */
const SETTLING_MB = 8;

/** Viewers at all addresses in turn, each part other ones. */
function view(url: string, images: Images, seconds: number, number: number): Promise<Answered[]> {
  let next = 0;
  const addressOf = () => {
    const host = next++ % ADDRESSES;
    return `10.1.${host >> 8}.${host & 255}`;
  };
  const requests = (connection: number) => viewersOf(images)(number * CONNECTIONS + connection);
  const pace = { connections: CONNECTIONS, seconds, paceMs: (1000 * CONNECTIONS) / VIEWS_A_SECOND };
  return visit(url, requests, { ...pace, addressOf });
}

/** MB of the databases by their bindings. */
async function databaseSizes(stateDir: string): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  for (const { binding, id } of await localDatabases()) {
    sizes.set(binding, statSync(databaseFile(stateDir, id)).size / 1e6);
  }
  return sizes;
}

/** What has been charged to the client with the most, in percent of its budgets, of those that have been charged at all. */
async function budgetUse(stateDir: string): Promise<{ readonly budget: BudgetName; readonly percent: number }[]> {
  const main = (await localDatabases()).find(({ binding }) => binding === 'DB')!;
  const database = new DatabaseSync(databaseFile(stateDir, main.id), { readOnly: true });
  const sums = database.prepare(`SELECT budget, max(hourly) AS hour, max(daily) AS day FROM (
    SELECT budget, max(amount) AS hourly, sum(amount) AS daily FROM charges WHERE client <> '' GROUP BY budget, client) GROUP BY budget`);
  const rows = sums.all() as { budget: BudgetName; hour: number; day: number }[];
  database.close();
  return rows.map(({ budget, hour, day }) => {
    const { clientHour, clientDay } = BUDGETS[budget];
    return { budget, percent: 100 * Math.max(hour / clientHour, day / clientDay) };
  });
}

/** Processor seconds of a process; none of one that has ended. */
function secondsOf(pid: number): number {
  try {
    return processorSeconds(pid).own;
  } catch {
    return 0;
  }
}

/** Processor seconds of the service so far: of its runtime, and of its movie workers with their encoders. */
function processorOf(service: Started): { readonly runtime: number; readonly movies: number } {
  let [runtime, movies] = [0, 0];
  for (const { pid, command } of service.processes()) {
    const own = secondsOf(pid);
    if (command.includes('workerd')) runtime += own;
    else if (command.includes('/movie/')) movies += own;
  }
  return { runtime, movies };
}

/** Id of a movie that has been built. */
async function finishedMovie(url: string, { sourceId }: Images): Promise<string> {
  const json = async (path: string) => (await fetch(url + path)).json() as Promise<{ id?: string; status?: number }>;
  const period = 'startTime=2022-01-01T00:00:00Z&endTime=2022-01-01T00:10:00Z';
  const view = `layers=[${sourceId},1,100]&events=&imageScale=2.42044088&x0=0&y0=0&width=256&height=256&maxFrames=10`;
  const { id } = await json(`/v2/queueMovie/?${period}&${view}`);
  for (let waitedMs = 0; waitedMs < MOVIE_MS; waitedMs += REST.lookMs) {
    if ((await json(`/v2/getMovieStatus/?id=${id}&format=mp4`)).status === MOVIE_STATUS.finished) return id!;
    await sleep(REST.lookMs);
  }
  throw new Error(`The movie was not finished within ${MOVIE_MS / 1000} s.`);
}

/** Waits until the service has finished what it has accepted. */
async function rest(service: Started): Promise<void> {
  const sum = () => Object.values(processorOf(service)).reduce((a, b) => a + b, 0);
  for (let waitedMs = 0, before = sum(); waitedMs < REST.mostMs; waitedMs += REST.lookMs) {
    await sleep(REST.lookMs);
    const now = sum();
    if (now - before < (REST.share * REST.lookMs) / 1000) return;
    before = now;
  }
}

/** What a part has shown of the viewers, in milliseconds, and processor time in percent of a processor. */
type Part = Awaited<ReturnType<typeof measured>>;

/** The parts of a run in the file of ATTACK_RESULTS, if any. */
class Results {
  readonly #file = process.env.ATTACK_RESULTS ?? '';
  readonly #run: string;
  readonly parts: Part[] = [];

  /** @throws Error when the file has parts of another run */
  constructor(seconds: number) {
    this.#run = `${BY || 'all attacks'}, ${seconds} s`;
    if (!existsSync(this.#file)) return;
    const { run, parts } = JSON.parse(readFileSync(this.#file, 'utf8')) as { run: string; parts: Part[] };
    if (run !== this.#run)
      throw new Error(`Expected parts of ${this.#run} in ATTACK_RESULTS, got ${run}. Delete the file, or name another one.`);
    this.parts.push(...parts);
  }

  add(part: Part): void {
    this.parts.push(part);
    if (this.#file) writeFileSync(this.#file, JSON.stringify({ run: this.#run, parts: this.parts }));
  }
}

/** Adds medians over the pairs of parts, which stand next to each other in time, so that other work on the machine affects both alike. */
function addParts({ add }: Run, parts: readonly Part[]) {
  const [quiet, attacked] = [false, true].map((side) => parts.filter(({ isAttacked }) => isAttacked === side));
  const compared = (metric: string, unit: string, of: (part: Part) => number): number => {
    const ratio = median(attacked!.map((each, pair) => of(quiet![pair]!) / of(each)));
    add('viewers, attacked against quiet', metric, unit, median(attacked!.map(of)), median(quiet!.map(of)), ratio);
    return ratio;
  };
  compared('requests', '', ({ requests }) => requests);
  compared('p50', 'ms', ({ p50 }) => p50);
  const times = 1 / compared('p95', 'ms', ({ p95 }) => p95);
  compared('runtime', '% of a processor', ({ runtime }) => runtime);
  compared('movie workers', '% of a processor', ({ movies }) => movies);
  const refused = parts.reduce((sum, part) => sum + part.refused, 0);
  add('viewers', 'refused or failed', '', refused);
  return { times, refused };
}

/** Attacks until the returned function is called. */
function startAttack(order: AttackOrder): () => Promise<AttackAnswers> {
  const attacker = new Worker(join(import.meta.dirname, 'attacker.ts'), { workerData: order });
  const counted = once(attacker, 'message');
  return async () => {
    attacker.postMessage('stop');
    return (await counted)[0] as AttackAnswers;
  };
}

/** Times by kind of request, those from the edge cache apart. */
function timesByKind(answers: readonly Answered[]) {
  const kinds = Map.groupBy(answers, ({ kind, isFromCache }) => (isFromCache ? `${kind} from the cache` : kind));
  return [...kinds].sort().map(([kind, all]) => {
    const times = all.map(({ ms }) => ms);
    return [kind, { length: times.length, p50: quantile(times, 0.5), p95: quantile(times, 0.95) }] as const;
  });
}

/** One part with the viewers, and the attacker if it is attacked. */
async function measured(service: Started, images: Attacked, number: number, seconds: number, log: Run['log']) {
  const isAttacked = PARTS[number]!;
  const [from, began] = [processorOf(service), performance.now()];
  const stopAttack = isAttacked ? startAttack({ url: service.url, images, from: number * 100_000, by: BY }) : null;
  const answers = await view(service.url, images, seconds, number);
  const [to, took] = [processorOf(service), (performance.now() - began) / 1000];
  const { counts, missed } = (await stopAttack?.()) ?? { counts: new Map<string, number>(), missed: [] as string[] };
  for (const [what, count] of [...counts].sort()) log(`  ${what}: ${count}`);
  const failed = Map.groupBy(
    answers.filter(({ isError }) => isError),
    ({ kind, status, error }) => `${kind} ${status} ${/"error":"[^"]*"/.exec(error)?.[0] ?? ''}`,
  );
  for (const [what, all] of failed) log(`  viewers: ${what}: ${all.length}`);
  const times = answers.map(({ ms }) => ms);
  for (const [kind, { length, p50, p95 }] of timesByKind(answers)) {
    log(`  ${kind}: ${length}, p50 ${p50.toFixed(0)}, p95 ${p95.toFixed(0)} ms`);
  }
  return {
    isAttacked,
    requests: answers.length,
    refused: answers.filter(({ isError }) => isError).length,
    p50: quantile(times, 0.5),
    p95: quantile(times, 0.95),
    runtime: (100 * (to.runtime - from.runtime)) / took,
    movies: (100 * (to.movies - from.movies)) / took,
    /** Attacks that may have missed what they attack. */
    missed,
  };
}

export const bench: Bench = (run) =>
  inFolder(async (folder) => {
    const { log, add } = run;
    const seconds = (60 * durationOf('ATTACK_MINUTES', MINUTES)) / PARTS.length;
    const kept = new Results(seconds);
    const videoHost = { VIDEO_HOST_CLIENT_ID: 'id-of-the-bench', VIDEO_HOST_CLIENT_SECRET: 'secret-of-the-bench' };
    const service = await startService({ STATE_DIR: folder, PORT: String(await freePort()), ADMIN_TOKEN, ...videoHost });
    let before: ReadonlyMap<string, number>;
    try {
      const served = await serveImages(service.url, log);
      const address = await (await fetch(`${service.url}/v2/getJP2Image/?id=${served.ids[0]}&jpip=true`)).text();
      const jpipPath = address.replace(/^jpips?:\/\/[^/]+/, '');
      const images = { ...served, jpipPath, movieId: await finishedMovie(service.url, served) };
      await view(service.url, images, WARM_UP_SECONDS, PARTS.length);
      before = await databaseSizes(folder);
      for (let number = kept.parts.length; number < PARTS.length; number += 1) {
        await rest(service);
        const part = await measured(service, images, number, seconds, log);
        kept.add(part);
        const { isAttacked, p95, refused, runtime } = part;
        const what = `p95 ${p95.toFixed(0)} ms, ${refused} refused or failed, runtime ${runtime.toFixed(0)} %`;
        log(`part ${number + 1} of ${PARTS.length}${isAttacked ? ', attacked' : ''}: ${what}`);
      }
    } finally {
      await service.interrupt();
    }
    const { times, refused } = addParts(run, kept.parts);
    const budgets = await budgetUse(folder);
    const growth = [...(await databaseSizes(folder))].map(([name, size]) => ({ name, mb: size - (before.get(name) ?? 0) }));
    for (const { budget, percent } of budgets) add('budgets of a client', budget, '%', percent);
    for (const { name, mb } of growth) add(`database ${name}`, 'growth', 'MB', mb);
    // An attack need not have its status in every part, because its client may have used up a budget.
    const attacked = kept.parts.filter(({ isAttacked }) => isAttacked);
    const missed = attacked[0]!.missed.filter((name) => attacked.every((part) => part.missed.includes(name)));
    const shares = [
      [times <= MOST_RATIO, `p95 of the viewers ${times.toFixed(2)} times that without the attack, at most ${MOST_RATIO}`],
      [refused === 0, `${refused} of their requests refused or failed, none allowed`],
      [missed.length === 0, `attacks that never did what they are for: ${missed.join(', ') || 'none'}`],
      [budgets.every(({ percent }) => percent <= 100), 'no client above its budgets'],
      [growth.every(({ name, mb }) => name === 'DB' || mb < SETTLING_MB), 'no growth of the databases that no visitor writes'],
    ] as const;
    for (const [isMet, what] of shares) log(`${isMet ? 'met' : 'MISSED'}: ${what}`);
    add('verdict', 'met', `of ${shares.length}`, shares.filter(([isMet]) => isMet).length);
  });
