import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  applyStatement,
  budgetAfter,
  CacheModel,
  MAX_MESSAGE_BYTES,
  MESSAGE_OVERHEAD_BYTES,
  parseModel,
  planMessages,
  type RequestedBins,
  statementOf,
} from '../../../src/jp2/jpip/cache-model.ts';
import type { ChannelRequest } from '../../../src/jp2/jpip/channel.ts';
import { MemoryChannels } from '../../support/memory/channels.ts';

const inBytes = (bytes: number) => ({ bytes, messages: Number.POSITIVE_INFINITY });
const TARGET = { name: 'image', tid: '1' };

function window(bins: readonly number[], lengthOf: (bin: number) => number, binsInGroup = 100): RequestedBins {
  const lengths = Uint32Array.from(bins, lengthOf);
  return { group: 1, binsInGroup, bins: Uint32Array.from(bins), lengths, requestedBytes: lengths };
}

const request = (response: string, requested: RequestedBins, more: Partial<ChannelRequest> = {}): ChannelRequest => ({
  response,
  isLast: true,
  window: [...requested.bins].join(),
  requestId: null,
  statements: [],
  requested: [requested],
  budget: inBytes(100_000),
  ...more,
});

async function binsOf(channels: MemoryChannels, asked: ChannelRequest): Promise<number[]> {
  const plan = await channels.plan('a', TARGET, asked);
  return (plan?.messages ?? []).map(({ binIndex }) => asked.requested[0]?.bins[binIndex] as number);
}

const length = () => 50;

it('a response under way plans the bins of an undelivered response again, also of one that counts as lost beside many younger ones', async () => {
  const channels = new MemoryChannels();
  expect(await binsOf(channels, request('first', window([1, 2, 3], length)))).toEqual([1, 2, 3]);
  expect(await binsOf(channels, request('second', window([2, 3, 4], length)))).toEqual([2, 3, 4]);
  await channels.delivered('a', 'second');
  expect(await binsOf(channels, request('third', window([1, 2, 3, 4], length)))).toEqual([1]);
  await channels.delivered('a', 'first');
  expect(await binsOf(channels, request('fourth', window([1, 2, 3, 4, 5], length)))).toEqual([5]);
  for (let n = 10; n < 60; n++) await binsOf(channels, request(`${n}`, window([n], length)));
  for (const response of ['10', '59']) await channels.delivered('a', response);
  expect(await binsOf(channels, request('last', window([10, 59], length)))).toEqual([10]);
});

const BINS = 3;
const LENGTH = 100;
const ALL = { name: 'movie', tid: '1' };
const groupAt = (group: number): RequestedBins => ({ ...window([0, 1, 2], () => LENGTH, BINS), group });

interface Sent {
  readonly bins: readonly [group: number, bin: number, from: number, to: number][];
  readonly isDone: boolean;
  readonly completeGroups: number;
}

/** Plans the groups 1..count in steps of these sizes, until the budget ends. */
async function send(
  channels: MemoryChannels,
  response: string,
  [count, steps, bytes]: readonly [number, readonly number[], number],
  requestId: number | null = null,
): Promise<Sent> {
  const bins: [number, number, number, number][] = [];
  let left = inBytes(bytes);
  for (let from = 1, i = 0; ; i++) {
    const to = Math.min(count + 1, from + (steps[i % steps.length] as number));
    const requested = Array.from({ length: to - from }, (_, n) => groupAt(from + n));
    const isLast = to > count;
    const details = { response, isLast, window: `${count}`, requestId, statements: [], requested, budget: left };
    const plan = (await channels.plan('a', ALL, details))!;
    for (const message of plan.messages) {
      bins.push([from + message.groupIndex, message.binIndex, message.from, message.to]);
    }
    if (!plan.isComplete || isLast) return { bins, isDone: plan.isComplete, completeGroups: plan.completeGroups };
    left = budgetAfter(left, plan.messages);
    from = to;
  }
}

const places = (count: number) => Array.from({ length: count * BINS }, (_, i) => [1 + Math.floor(i / BINS), i % BINS, 0, LENGTH]);

it('a response in steps delivers the bins of all steps together, and none before the last one', async () => {
  const channels = new MemoryChannels();
  expect(await send(channels, 'lost', [10, [4], 1e6])).toEqual({ bins: places(10), isDone: true, completeGroups: 10 });
  expect((await send(channels, 'first', [10, [1, 3], 1e6])).bins).toEqual(places(10));
  await channels.delivered('a', 'first');
  expect(await send(channels, 'more', [12, [5], 1e6])).toMatchObject({ bins: places(12).slice(30), completeGroups: 12 });
});

it('a response in steps repeats a whole window that was answered to its end, also when a repetition takes several responses', async () => {
  const channels = new MemoryChannels();
  await send(channels, 'done', [10, [3], 1e6]);
  await channels.delivered('a', 'done');
  const repeated: (readonly number[])[] = [];
  for (let n = 0; n < 20; n++) {
    const { bins, isDone } = await send(channels, `${n}`, [10, [2], 7 * (LENGTH + MESSAGE_OVERHEAD_BYTES)]);
    await channels.delivered('a', `${n}`);
    repeated.push(...bins);
    if (isDone) break;
  }
  expect(repeated).toEqual(places(10));
});

it('a response in steps gives a client that repeats the request ID of each lost response every bin in the end', async () => {
  const steps = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 });
  const loss = fc.constantFrom('none', 'in the service', 'behind it');
  const asked = fc.record({
    count: fc.integer({ min: 1, max: 12 }),
    losses: fc.array(loss, { maxLength: 6 }),
    bytes: fc.integer({ min: 60, max: 2000 }),
  });
  await fc.assert(
    fc.asyncProperty(steps, fc.array(asked, { maxLength: 4 }), async (sizes, windows) => {
      const channels = new MemoryChannels();
      const held = new Map<string, number>();
      let [response, requestId] = [0, 0];
      for (const { count, losses, bytes } of windows) {
        const losing = [...losses];
        for (let isDone = false; !isDone; response++) {
          const sent = await send(channels, `${response}`, [count, sizes, bytes], requestId);
          const lost = losing.shift() ?? 'none';
          if (lost !== 'in the service') await channels.delivered('a', `${response}`);
          if (lost !== 'none') continue;
          requestId++;
          ({ isDone } = sent);
          for (const [group, bin, from, to] of sent.bins) {
            const before = held.get(`${group} ${bin}`) ?? 0;
            expect(from).toBeLessThanOrEqual(before);
            held.set(`${group} ${bin}`, Math.max(before, to));
          }
        }
        expect(places(count).filter(([group, bin]) => held.get(`${group} ${bin}`) !== LENGTH)).toEqual([]);
      }
    }),
  );
});

it('long bins are split into messages of bounded size, and a plan ends after its number, where the next one continues', () => {
  const length = 2 * MAX_MESSAGE_BYTES + 5;
  const { messages } = planMessages([window([0], () => length)], () => new CacheModel(), inBytes(Number.POSITIVE_INFINITY));
  expect(messages.map(({ from, to }) => to - from)).toEqual([MAX_MESSAGE_BYTES, MAX_MESSAGE_BYTES, 5]);
  const requested = window([0, 1, 2], (bin) => 100 * (bin + 1));
  const model = new CacheModel();
  const of = (messages: number) => planMessages([requested], () => model, { bytes: 10_000, messages });
  expect(of(2)).toMatchObject({ isComplete: false, messages: [{ binIndex: 0 }, { binIndex: 1 }] });
  expect(of(2)).toMatchObject({ isComplete: true, messages: [{ binIndex: 2 }] });
});

/** A codestream of 2 tiles and 5 precincts. */
const LAYOUT = { group: 1, binsInGroup: 8, tiles: 2 };
/** Bins by their numbers: main header, tile headers, precincts. */
const NAMED_BINS = ['Hm', 'H0', 'H1', 'P0', 'P1', 'P2', 'P3', 'P4'];
const BIN_BYTES = 100;

/** Bytes that the client holds of each bin after the statements of `text`, `before` on all of them. */
function heldAfter(text: string, before: number): Record<string, number> {
  const model = new CacheModel();
  NAMED_BINS.forEach((_, bin) => {
    model.add(bin, before, BIN_BYTES);
  });
  for (const element of parseModel(text)) {
    const statement = element.kind === 'metadata' ? null : statementOf(element, LAYOUT);
    if (statement) applyStatement(model, statement);
  }
  const held = NAMED_BINS.map((name, bin) => [name, model.isComplete(bin) ? BIN_BYTES : model.partialBytes(bin)] as const);
  return Object.fromEntries(held.filter(([, bytes]) => bytes !== before));
}

it.each<[string, number, Record<string, number>]>([
  ['Hm', 0, { Hm: 100 }],
  ['H1,P0', 0, { H1: 100, P0: 100 }],
  ['H*', 0, { H0: 100, H1: 100 }],
  ['P*', 0, { P0: 100, P1: 100, P2: 100, P3: 100, P4: 100 }],
  ['P3:20', 0, { P3: 20 }],
  ['P3:20', 40, {}],
  ['P3:20', 100, {}],
  ['-P3', 100, { P3: 0 }],
  ['-P3:20', 100, { P3: 20 }],
  ['-P3:60', 40, {}],
  ['-H*,H0', 100, { H1: 0 }],
  ['P*,-P1', 0, { P0: 100, P2: 100, P3: 100, P4: 100 }],
  ['P5,P999999999,H2,T0,-T*,M7', 0, {}],
  ['[0],P1', 0, { P1: 100 }],
  ['[0]P1', 0, { P1: 100 }],
])('cache model statements apply to bins: %s on bins with %i bytes', (text, before, expected) => {
  expect(heldAfter(text, before)).toEqual(expected);
});

it('cache model statements statements of layers or positions add nothing, and subtract all bins that they may mean', () => {
  expect(heldAfter('t0c0r1p2-3,r0:L2,P1:L3', 0)).toEqual({});
  expect(heldAfter('-P1:L3', 100)).toEqual({ P1: 0 });
  expect(heldAfter('-r2:L1', 100)).toEqual({ P0: 0, P1: 0, P2: 0, P3: 0, P4: 0 });
});

it('cache model statements keep the codestreams of a qualifier until the next one', () => {
  const of = (text: string) => parseModel(text).map(({ codestreams }) => codestreams?.map(({ from, to }) => [from, to]) ?? null);
  expect(of('Hm,[2;4-5],P0,P1,[7-]Hm')).toEqual([
    null,
    [
      [2, 2],
      [4, 5],
    ],
    [
      [2, 2],
      [4, 5],
    ],
    [[7, null]],
  ]);
});

it.each(['', 'hm', 'Hm:', 'P', 'P-1', 'P1-3', 'P1:x', '--P1', 'Q1', 'P1,,P2', '[0', '[]', '[a],P1', '[3-2],P1', '*', 'P1 '])(
  'cache model statements raise an error in the form "%s"',
  (text) => {
    expect(() => parseModel(text)).toThrow(expect.objectContaining({ kind: 'bad-parameter', parameter: 'model' }));
  },
);
