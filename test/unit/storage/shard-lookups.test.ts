// Which image databases a search by file name asks.
import { expect, it, vi } from 'vitest';
import { D1ImageIndex } from '../../../src/archive/image-index/d1-image-index.ts';
import { D1ImageRegister } from '../../../src/archive/image-index/d1-image-register.ts';
import { claimStatement, SHARDS } from '../../../src/platform/storage/shards.ts';
import { makeImage } from '../../support/imaging/images.ts';
import { MemoryIdSequences } from '../../support/memory/id-sequences.ts';
import { migrated } from '../../support/memory/sqlite-d1.ts';

const NOON = Date.UTC(2024, 4, 10, 12);
/** An image of source 10. */
const NAME = '2024_05_10__12_00_00_000__SDO_AIA_AIA_171.jp2';

async function sixteenDatabases() {
  const images = SHARDS.map(() => migrated('images'));
  await Promise.all(images.map((database, shard) => database.exec(claimStatement([shard]))));
  const prepared = images.map((database) => vi.spyOn(database, 'prepare'));
  const all = { main: migrated(), operations: migrated('operations'), images, ofShard: (shard: number) => images[shard]! };
  /** Shards whose databases have been asked since the last call. */
  const asked = () => {
    const shards = prepared.flatMap(({ mock }, shard) => (mock.calls.length > 0 ? [shard] : []));
    for (const spy of prepared) spy.mockClear();
    return shards;
  };
  const index = new D1ImageIndex(all);
  const register = new D1ImageRegister({ databases: all, ids: new MemoryIdSequences() });
  return { index, register, asked };
}

it('a search for a file name asks the database of the source in the name, and at most two for another pattern', async () => {
  const { index, register, asked } = await sixteenDatabases();
  await register.add(makeImage(10, NOON, { fileName: NAME }));
  asked();
  expect((await index.byFileName(NAME))?.fileName).toBe(NAME);
  expect(asked()).toEqual([10]);
  expect(await index.byFileName(NAME.replace('12_00', '12_01'))).toBeNull();
  expect(asked()).toEqual([10]);
  await register.add(makeImage(10, NOON + 1, { fileName: 'another.jp2' }));
  asked();
  expect((await index.byFileName('another.jp2'))?.sourceId).toBe(10);
  expect(asked().length).toBeLessThanOrEqual(2);
});
