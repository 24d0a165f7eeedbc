// Which image databases a search by file name asks.
import { expect, it } from 'vitest';
import { D1ImageIndex } from '../../../src/archive/image-index/d1-image-index.ts';
import { D1ImageRegister } from '../../../src/archive/image-index/d1-image-register.ts';
import { claimStatement, SHARDS } from '../../../src/platform/storage/shards.ts';
import { makeImage } from '../../support/imaging/images.ts';
import { MemoryIdSequences } from '../../support/memory/id-sequences.ts';
import { recorded } from '../../support/memory/recorded-statements.ts';
import { migrated } from '../../support/memory/sqlite-d1.ts';

const NOON = Date.UTC(2024, 4, 10, 12);
/** An image of source 10. */
const NAME = '2024_05_10__12_00_00_000__SDO_AIA_AIA_171.jp2';

async function sixteenDatabases() {
  const databases = SHARDS.map(() => recorded(migrated('images')));
  await Promise.all(databases.map(({ recording }, shard) => recording.exec(claimStatement([shard]))));
  const images = databases.map(({ recording }) => recording);
  const all = { main: migrated(), operations: migrated('operations'), images, ofShard: (shard: number) => images[shard]! };
  /** Shards whose databases have been asked since the last call. */
  const asked = () => {
    const shards = databases.flatMap(({ texts }, shard) => (texts.size > 0 ? [shard] : []));
    for (const { texts } of databases) texts.clear();
    return shards;
  };
  const index = new D1ImageIndex(all);
  const register = new D1ImageRegister({ databases: all, ids: new MemoryIdSequences() });
  return { index, register, asked };
}

it('a search for a file name asks the database of the source in the name, and no other', async () => {
  const { index, register, asked } = await sixteenDatabases();
  await register.add(makeImage(10, NOON, { fileName: NAME }));
  asked();
  expect((await index.byFileName(NAME))?.fileName).toBe(NAME);
  expect(asked()).toEqual([10]);
  expect(await index.byFileName(NAME.replace('12_00', '12_01'))).toBeNull();
  expect(asked()).toEqual([10]);
});

it('a search for a file name asks at most two databases for a name of another pattern', async () => {
  const { index, register, asked } = await sixteenDatabases();
  await register.add(makeImage(10, NOON, { fileName: 'another.jp2' }));
  asked();
  expect((await index.byFileName('another.jp2'))?.sourceId).toBe(10);
  expect(asked().length).toBeLessThanOrEqual(2);
});
