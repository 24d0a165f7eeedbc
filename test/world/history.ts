// Histories: actions by a seed, their run in a world, and what must hold at the end.
import { createHash } from 'node:crypto';
import { MINUTE_MS, SECOND_MS } from '../../src/platform/util/durations.ts';
import { randomNumbers } from '../support/imaging/rasters.ts';
import { type Action, Clients } from './clients.ts';
import { expectQuiet } from './end.ts';
import { FOUND, PATHS, STABLE } from './files.ts';
import { NONE, type Planted } from './planted.ts';
import type { Content } from './platform/d1.ts';
import { type Broken, Checks, type StatementName } from './statements.ts';
import { ADMIN_TOKEN, World } from './world.ts';

/** Actions of a history. */
const ACTIONS = 20;
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

/** The number of each action among a hundred. */
const WEIGHTS: readonly [Exclude<Action['do'], 'steps'>, number][] = [
  ['upload', 16],
  ['break off', 2],
  ['withdraw', 7],
  ['view', 10],
  ['file', 4],
  ['header', 2],
  ['look', 3],
  ['search', 2],
  ['read', 5],
  ['screenshot', 3],
  ['old screenshot', 2],
  ['shorten', 2],
  ['movie', 8],
  ['movie status', 2],
  ['put', 4],
  ['flood', 1],
  ['appear', 2],
  ['mirror fault', 4],
  ['webhook', 4],
  ['reconcile', 1],
  ['index', 1],
  ['cron', 2],
  ['deploy', 2],
  ['kill', 6],
  ['kill worker', 6],
  ['end worker', 1],
  ['save', 2],
  ['restore', 2],
  ['refuse', 2],
  ['fault', 24],
  ['outage', 2],
  ['pass', 16],
];
/** Factors of the weights: each history leaves out some actions and has others more often, so that some have them close together. */
const FACTORS = [0, 0, 1, 1, 2, 4];
const SERVICES = ['d1', 'd1', 'd1', 'r2', 'r2', 'queue', 'ids', 'cache', 'encoder'] as const;
const MIRROR_FAULTS = ['error', 'busy', 'cut', 'short', 'hang'] as const;
const KINDS = ['before', 'after', 'special', 'slow'] as const;
const PASSES = [SECOND_MS, 30 * SECOND_MS, MINUTE_MS, 3 * MINUTE_MS, 6 * MINUTE_MS, 70 * MINUTE_MS];

/** The actions of a seed. */
export function plan(seed: number, length = ACTIONS): Action[] {
  const random = randomNumbers(seed);
  const below = (count: number) => Math.floor(random() * count);
  const pick = <T>(values: readonly T[]) => values[below(values.length)]!;
  const often = WEIGHTS.flatMap(([name, weight]) => Array.from({ length: weight * pick(FACTORS) }, () => name));
  const action = (): Action => {
    const name = pick(often);
    switch (name) {
      case 'upload':
      case 'break off':
        return { do: name, name: pick(['a', 'b'] as const), content: below(4) };
      case 'withdraw':
      case 'look':
        return { do: name, name: pick(['a', 'b'] as const) };
      case 'view':
      case 'file':
      case 'header':
        return { do: name, id: below(4) };
      case 'read':
        return { do: name, of: below(STABLE.length), path: below(PATHS) };
      case 'search':
      case 'screenshot':
        return { do: name, of: below(STABLE.length) };
      case 'put':
        return { do: name, of: below(FOUND.length) };
      case 'old screenshot':
      case 'shorten':
      case 'movie':
      case 'movie status':
        return { do: name, of: below(3) };
      case 'save':
      case 'restore':
        return { do: name, database: pick(['IMAGES', 'IMAGES', 'DB'] as const) };
      case 'mirror fault':
        return { do: name, fault: pick(MIRROR_FAULTS) };
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
  const before: Action[] = [{ do: 'webhook' }, { do: 'save', database: 'IMAGES' }];
  return [...before.filter(() => random() < 0.5), ...Array.from({ length }, action)];
}

/** Some of the actions, with a few of another seed among them. */
export function mutated(actions: readonly Action[], seed: number): Action[] {
  const random = randomNumbers(seed);
  const result = actions.filter(() => random() < 0.9);
  for (const action of plan(seed, 1 + Math.floor(random() * 5))) result.splice(Math.floor(random() * result.length), 0, action);
  return result;
}

interface Beginning {
  readonly databases: Readonly<Record<string, Content>>;
  readonly objects: World['bucket']['objects'];
  readonly storages: readonly (readonly [string, readonly (readonly [string, unknown])[]])[];
  readonly stable: readonly { readonly id: number; readonly sha256: string }[];
}

let begun: Promise<Beginning> | undefined;

/** The archive with the images that stay, made once. */
async function beginning(): Promise<Beginning> {
  const world = new World(0);
  try {
    const stable: { id: number; sha256: string }[] = [];
    const headers = { Authorization: `Bearer ${ADMIN_TOKEN}` };
    const fill = async () => {
      for (const { name, bytes, sha256 } of STABLE) {
        const { body } = await world.request(`/admin/images/${name}`, { method: 'PUT', headers, body: bytes });
        stable.push({ id: JSON.parse(new TextDecoder().decode(body)).id, sha256 });
      }
    };
    void fill();
    await world.scheduler.run(world.nowMs + MINUTE_MS, MOST_STEPS);
    await world.pass(3 * MINUTE_MS);
    return {
      databases: Object.fromEntries(Object.entries(world.databases).map(([name, each]) => [name, each.save()])),
      objects: new Map(world.bucket.objects),
      storages: [...world.storages].map(([name, values]) => [name, [...values]] as const),
      stable,
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
  const { databases, objects, storages, stable } = await begun;
  const world = new World(seed, planted, { mirrors: actions.some((action) => action.do === 'appear') });
  const checks = new Checks();
  try {
    for (const [name, each] of Object.entries(world.databases)) each.restore(databases[name]!);
    for (const [key, object] of objects) world.bucket.objects.set(key, object);
    for (const [name, values] of storages) world.storages.set(name, new Map(values));
    const clients = new Clients(world, checks, stable);
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
