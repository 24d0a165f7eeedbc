import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { imageId, SHARD_COUNT, shardOfImage, shardOfSource } from '../../../src/platform/storage/shards.ts';

it('imageId is sequence times 16 plus the shard of the source', () => {
  expect(imageId(1, 10)).toBe(26);
  expect(imageId(1, 18)).toBe(18);
  expect(shardOfSource(2088)).toBe(8);
});

it('imageId is inverted by shardOfImage and a division by the shard count', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 48), fc.nat(9999), (sequence, sourceId) => {
      const id = imageId(sequence, sourceId);
      expect(Number.isSafeInteger(id)).toBe(true);
      expect(shardOfImage(id)).toBe(shardOfSource(sourceId));
      expect(Math.floor(id / SHARD_COUNT)).toBe(sequence);
    }),
  );
});
