import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { deflated } from '../support/imaging/deflated.ts';
import { scramble } from '../support/imaging/strips.ts';

const expectRestored = (parts: readonly Uint8Array[]): void => {
  expect(Buffer.compare(inflateRawSync(deflated(parts)), Buffer.concat(parts))).toBe(0);
};

const LENGTHS = [1, 2, 3, 4, 5, 63, 64, 65, 257, 258, 259, 260, 261, 262, 516, 517, 1000];

/** Pieces of which bytes are put together: a run, noise of few or many values, and a repeat of what came so many bytes before. */
const piece = fc.oneof(
  fc.record({ kind: fc.constant('run'), length: fc.constantFrom(...LENGTHS), value: fc.nat(255) }),
  fc.record({ kind: fc.constant('noise'), length: fc.constantFrom(...LENGTHS, 20_000), value: fc.nat(255) }),
  fc.record({
    kind: fc.constant('repeat'),
    length: fc.constantFrom(...LENGTHS),
    value: fc.constantFrom(1, 2, 3, 4, 5, 7, 8, 258, 4096, 4097, 32_767, 32_768, 32_769),
  }),
);

const content = fc.tuple(fc.array(piece, { minLength: 1, maxLength: 40 }), fc.nat()).map(([pieces, seed]) => {
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const { kind, length, value } of pieces)
    for (const end = at + length; at < end; at++)
      bytes[at] = kind === 'run' ? value : kind === 'noise' ? scramble(at + seed) % (value + 1) : (bytes[at - value] ?? 0);
  return bytes;
});

it('deflate restores any runs, noise and repeats in any number of parts, as zlib reads them', () => {
  const property = fc.property(content, fc.nat(), (bytes, cut) => {
    const at = cut % bytes.length;
    expectRestored(at > 0 ? [bytes.subarray(0, at), bytes.subarray(at)] : [bytes]);
  });
  fc.assert(property, { numRuns: 200, seed: 20261129 });
});

it('deflate restores bytes whose rarest ones would need longer codes than the format has', () => {
  const counts = [1, 1];
  while (counts.length < 24) counts.push(counts.at(-1)! + counts.at(-2)!);
  const bytes = Uint8Array.from(counts.flatMap((count, value) => Array<number>(count).fill(value)));
  // In an order without runs.
  const order = Uint32Array.from(bytes, (_, i) => (scramble(i) & ~0x1ffff) + i).sort();
  expectRestored([bytes.map((_, i) => bytes[order[i]! & 0x1ffff]!)]);
});

it.each([1, 65_535, 65_536, 65_537, 200_000])('deflate restores %i bytes of one value, and of every value alike', (length) => {
  expectRestored([new Uint8Array(length).fill(3)]);
  expectRestored([Uint8Array.from({ length }, (_, i) => scramble(i))]);
});

it('deflate takes no more bytes than zlib for levels of an image with a black surround', () => {
  // Filtered rows: noise about 0, and 0 outside of a disc.
  const bytes = Uint8Array.from({ length: 1 << 18 }, (_, i) => {
    const [x, y] = [(i % 512) - 256, (i >> 9) - 256];
    const bits = scramble(i);
    return x * x + y * y < 200 ** 2 ? (bits & 7) + ((bits >> 3) & 7) + ((bits >> 6) & 7) - 10 : 0;
  });
  const zlib = deflateRawSync(bytes, { level: 6, strategy: constants.Z_RLE }).length;
  expect(deflated([bytes]).length).toBeLessThanOrEqual(1.01 * zlib);
});
