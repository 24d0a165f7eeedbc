import { expect, it } from 'vitest';
import { applyStatement, CacheModel, parseModel, statementOf } from '../../../src/jp2/jpip/cache-model.ts';

/** A codestream of 2 tiles and 5 precincts. */
const LAYOUT = { group: 1, binsInGroup: 8, tiles: 2 };
/** Bins by their numbers: main header, tile headers, precincts. */
const BINS = ['Hm', 'H0', 'H1', 'P0', 'P1', 'P2', 'P3', 'P4'];
const BIN_BYTES = 100;

/** Bytes that the client holds of each bin after the statements of `text`, `before` on all of them. */
function heldAfter(text: string, before: number): Record<string, number> {
  const model = new CacheModel();
  BINS.forEach((_, bin) => {
    model.add(bin, before, BIN_BYTES);
  });
  for (const element of parseModel(text)) {
    const statement = element.kind === 'metadata' ? null : statementOf(element, LAYOUT);
    if (statement) applyStatement(model, statement);
  }
  const held = BINS.map((name, bin) => [name, model.isComplete(bin) ? BIN_BYTES : model.partialBytes(bin)] as const);
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
