// Histories: actions by a seed, their run in a world, and what must hold at the end.
import { createHash } from 'node:crypto';
import { MINUTE_MS, SECOND_MS } from '../../src/platform/util/durations.ts';
import { randomNumbers } from '../support/imaging/rasters.ts';
import type { Action } from './clients/actions.ts';
import { jsonOf } from './clients/answers.ts';
import { type Beginning, Clients, PICTURE } from './clients/clients.ts';
import { moviePath } from './clients/visitors.ts';
import { expectQuiet } from './end.ts';
import { FOUND, PATHS, STABLE } from './files.ts';
import { NONE, type Planted } from './planted.ts';
import { type Broken, Checks, type StatementName } from './statements.ts';
import { ADMIN_TOKEN, START_MS, World } from './world.ts';

/** Actions of a history by its seed alone, and the most of one that is made of another: some 200 steps. */
const [ACTIONS, MOST_ACTIONS] = [8, 4];
/** Steps of the world between two actions at most. */
const BETWEEN = 25;
const MOST_STEPS = 40_000;

export interface Outcome {
  readonly broken: Broken | null;
  readonly steps: number;
  readonly trace: readonly string[];
  readonly counts: ReadonlyMap<StatementName, number>;
  readonly happened: ReadonlyMap<string, number>;
  readonly points: ReadonlySet<string>;
  /** The last lines of the log. */
  readonly logged: readonly string[];
}

type Planned = Exclude<Action['do'], 'steps'>;
type Weights = Readonly<Partial<Record<Planned, number>>>;

/** Actions that have to do with each other, with their weights: a history has those of one or two subjects. */
const SUBJECTS: readonly Weights[] = [
  { upload: 16, withdraw: 8, view: 10, file: 4, header: 2, look: 3, jpx: 4, 'break off': 2 },
  { upload: 12, withdraw: 6, view: 6, save: 4, restore: 4, put: 2 },
  { put: 8, upload: 4, index: 2, reconcile: 2, look: 2 },
  { webhook: 6, upload: 12, refuse: 4 },
  { movie: 12, 'movie status': 3, 'kill worker': 8, 'end worker': 2, flood: 2 },
  { share: 8, 'host fault': 8 },
  { read: 6, search: 4, stream: 6, screenshot: 5, 'old screenshot': 4, shorten: 3 },
  { 'move shard': 5, pass: 3, upload: 10, withdraw: 5, view: 6, file: 2, put: 2 },
  { appear: 4, 'mirror fault': 8 },
];
/** What happens whatever the subject is. */
const ALWAYS: Weights = { fault: 10, outage: 2, kill: 5, deploy: 1, 'roll back': 1, 'rotate tokens': 1, cron: 3, pass: 12 };
/** Factors of the weights, so that some histories have some of the actions close together. */
const FACTORS = [0, 1, 1, 2, 4];
const SERVICES = ['d1', 'd1', 'd1', 'r2', 'r2', 'queue', 'ids', 'cache', 'encoder'] as const;
const MIRROR_FAULTS = ['error', 'busy', 'cut', 'short', 'hang'] as const;
const HOST_FAULTS = ['error', 'hang', 'lost', 'cut', 'forget'] as const;
const KINDS = ['before', 'after', 'special', 'slow', 'end'] as const;
const PASSES = [SECOND_MS, 30 * SECOND_MS, MINUTE_MS, 3 * MINUTE_MS, 6 * MINUTE_MS, 70 * MINUTE_MS];

/** The actions of a seed. */
export function plan(seed: number, length = ACTIONS): Action[] {
  const random = randomNumbers(seed);
  const below = (count: number) => Math.floor(random() * count);
  const pick = <T>(values: readonly T[]) => values[below(values.length)]!;
  const subjects = random() < 0.5 ? [pick(SUBJECTS)] : [pick(SUBJECTS), pick(SUBJECTS)];
  const weights = [...subjects, ALWAYS].flatMap((each) => Object.entries(each) as [Planned, number][]);
  const often = weights.flatMap(([name, weight]) => Array.from({ length: weight * pick(FACTORS) }, () => name));
  if (often.length === 0) often.push('pass');
  const action = (): Action => {
    const name = pick(often);
    switch (name) {
      case 'upload':
      case 'break off':
        return { do: name, name: pick(['a', 'a', 'b'] as const), content: below(4) };
      case 'withdraw':
      case 'look':
        return { do: name, name: pick(['a', 'a', 'b'] as const) };
      case 'view':
      case 'file':
      case 'header':
        return { do: name, id: pick([0, 0, 1, 2]) };
      case 'read':
        return { do: name, of: below(STABLE.length), path: below(PATHS) };
      case 'search':
      case 'stream':
      case 'screenshot':
        return { do: name, of: below(STABLE.length) };
      case 'put':
        return { do: name, of: below(FOUND.length) };
      case 'jpx':
        return { do: name, of: below(4) };
      case 'old screenshot':
      case 'shorten':
      case 'movie':
      case 'movie status':
        return { do: name, of: below(3) };
      case 'save':
      case 'restore':
        return { do: name, database: pick(['IMAGES', 'IMAGES', 'IMAGES', 'DB'] as const) };
      case 'mirror fault':
        return { do: name, fault: pick(MIRROR_FAULTS) };
      case 'host fault':
        return { do: name, fault: pick(HOST_FAULTS) };
      case 'refuse':
        return { do: name, status: pick([500, 503, 404, 410]) };
      case 'fault':
        return { do: name, on: pick(SERVICES), kind: pick(KINDS), skip: below(8) };
      case 'outage':
        return { do: name, on: pick(SERVICES), ms: pick(PASSES.slice(0, 4)) };
      case 'pass':
        return { do: name, ms: pick(PASSES) };
      default:
        return { do: name };
    }
  };
  return Array.from({ length }, action);
}

/** Some of the actions, with some of another seed among them. */
export function mutated(actions: readonly Action[], seed: number): Action[] {
  const random = randomNumbers(seed);
  const result = actions.filter(() => random() < 0.9);
  for (const action of plan(seed, 1 + Math.floor(random() * 5))) result.splice(Math.floor(random() * result.length), 0, action);
  while (result.length > MOST_ACTIONS) result.splice(Math.floor(random() * result.length), 1);
  return result;
}

let begun: Promise<Beginning> | undefined;

/** The archive with the images that stay and a movie of them, made once. */
async function beginning(): Promise<Beginning> {
  // Over before histories begin, because what it noted of its jobs would keep theirs from beginning.
  const world = new World(0, NONE, [], { startMs: START_MS - 10 * MINUTE_MS });
  try {
    const stable: { id: number; sha256: string }[] = [];
    let movie = '';
    const headers = { Authorization: `Bearer ${ADMIN_TOKEN}` };
    const fill = async () => {
      for (const { name, bytes, sha256 } of STABLE) {
        const { body } = await world.request(`/admin/images/${name}`, { method: 'PUT', headers, body: bytes });
        stable.push({ id: JSON.parse(new TextDecoder().decode(body)).id, sha256 });
      }
      for (const { id } of stable) await world.request(PICTURE(id));
      movie = jsonOf<{ id: string }>(await world.request(moviePath(9))).id;
    };
    void fill();
    await world.scheduler.run(world.nowMs + MINUTE_MS, MOST_STEPS);
    await world.pass(3 * MINUTE_MS);
    return {
      contents: Object.fromEntries(Object.entries(world.databases).map(([name, each]) => [name, each.save()])),
      objects: new Map(world.bucket.objects),
      storages: [...world.storages].map(([name, values]) => [name, [...values]] as const),
      stable,
      movie,
    };
  } finally {
    world.close();
  }
}

export interface Given {
  readonly seed: number;
  readonly actions?: readonly Action[];
  readonly planted?: Planted;
}

/** Runs a history. */
export async function replay({ seed, actions = plan(seed), planted = NONE }: Given): Promise<Outcome> {
  begun ??= beginning();
  const before = await begun;
  const world = new World(seed, planted, actions, { contents: before.contents });
  const checks = new Checks();
  try {
    for (const [key, object] of before.objects) world.bucket.objects.set(key, object);
    for (const [name, values] of before.storages) world.storages.set(name, new Map(values));
    const clients = new Clients(world, checks, before);
    for (const [i, action] of actions.entries()) {
      if (checks.broken) break;
      if (action.do === 'pass') await world.pass(action.ms);
      else if (action.do === 'steps') await world.scheduler.some(action.count);
      else {
        const failed = (error: unknown) => checks.expect('honest', false, () => `${action.do}: ${(error as Error).stack}`);
        void clients.run(action).catch(failed);
        if (actions[i + 1]?.do !== 'steps') await world.scheduler.some(world.scheduler.below(BETWEEN));
      }
    }
    if (!checks.broken) await expectQuiet(world, clients, checks);
  } catch (error) {
    checks.expect('quiet', false, () => (error as Error).stack ?? String(error));
  } finally {
    world.close();
  }
  const { scheduler, happened } = world;
  return {
    broken: checks.broken,
    steps: scheduler.steps,
    trace: scheduler.trace,
    counts: checks.counts,
    happened,
    points: scheduler.points,
    logged: world.logged,
  };
}

/** @throws Broken for the first statement that does not hold in a history */
export async function expectHolds(seed: number, actions: readonly Action[]): Promise<void> {
  const { broken } = await replay({ seed, actions });
  if (broken) throw broken;
}

/** Expects the statements in the histories of `count` seeds; returns the number of times that each was checked. */
export async function expectHistories(first: number, count: number): Promise<ReadonlyMap<StatementName, number>> {
  const counts = new Map<StatementName, number>();
  for (let seed = first; seed < first + count; seed += 1) {
    const outcome = await replay({ seed });
    if (outcome.broken) throw new Error(`seed ${seed} (npm run simulate -- --seed ${seed}): ${outcome.broken.message}`);
    for (const [name, checked] of outcome.counts) counts.set(name, (counts.get(name) ?? 0) + checked);
  }
  return counts;
}

export const digest = (trace: readonly string[]): string => createHash('sha256').update(trace.join('\n')).digest('hex');
