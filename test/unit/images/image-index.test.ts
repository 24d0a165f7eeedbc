// The index and the register of images over databases of SQLite; test/worker/images has what only D1 and Durable Objects show.
import { beforeEach, expect, it, vi } from 'vitest';
import { D1ImageIndex } from '../../../src/archive/image-index/d1-image-index.ts';
import { D1ImageRegister } from '../../../src/archive/image-index/d1-image-register.ts';
import { databasesFrom } from '../../../src/platform/storage/databases.ts';
import { imageId, sequenceOf } from '../../../src/platform/storage/shards.ts';
import { makeImage } from '../../support/imaging/images.ts';
import { MemoryIdSequences } from '../../support/memory/id-sequences.ts';
import { databasesIn, migrated } from '../../support/memory/sqlite-d1.ts';

const AIA_171 = 10;
const NOON = Date.UTC(2021, 5, 1, 12);
let databases: ReturnType<typeof databasesIn>;
let index: D1ImageIndex;
let register: D1ImageRegister;

beforeEach(() => {
  databases = databasesIn(migrated());
  index = new D1ImageIndex(databases);
  register = new D1ImageRegister({ databases, ids: new MemoryIdSequences() });
});

async function archive(sourceId: number, ...times: number[]) {
  for (const time of times) await register.add(makeImage(sourceId, time));
}

const ofShard = (change: string) => databases.ofShard(10).prepare(`UPDATE held_shards SET ${change} WHERE shard = 10`).run();

it('the image index keeps the header strings of an XRT image', async () => {
  const params = { XCEN: '1.5', YCEN: '-2', CDELT1: '1.03', CDELT2: '1.03' };
  const plain = makeImage(42, NOON);
  const image = { ...plain, geometry: { ...plain.geometry, sunCenterOffsetParams: params } };
  await register.add(image);
  expect((await index.neighbours(42, NOON)).after?.geometry.sunCenterOffsetParams).toEqual(params);
});

it('the image index finds the last image before an instant and the first at or after it', async () => {
  await archive(AIA_171, NOON - 2, NOON - 1, NOON, NOON + 1);
  await archive(11, NOON - 1, NOON);
  const at = async (ms: number) => {
    const { before, after } = await index.neighbours(AIA_171, ms);
    return [before?.takenAtMs ?? null, after?.takenAtMs ?? null];
  };
  expect(await at(NOON)).toEqual([NOON - 1, NOON]);
  expect(await at(NOON - 0.5)).toEqual([NOON - 1, NOON]);
  expect(await at(NOON - 9)).toEqual([null, NOON - 2]);
  expect(await at(NOON + 9)).toEqual([NOON + 1, null]);
});

it('the image index excludes the requested time from the adjacent times', async () => {
  await archive(AIA_171, NOON - 5, NOON, NOON + 7);
  expect(await index.adjacentTimes(AIA_171, NOON)).toEqual({ beforeMs: NOON - 5, afterMs: NOON + 7 });
  expect(await index.adjacentTimes(AIA_171, NOON + 7)).toEqual({ beforeMs: NOON, afterMs: null });
});

it('the image index finds the first and the last image of a range, of a source and of a group', async () => {
  await archive(38, NOON - 50, NOON + 60);
  await archive(42, NOON - 40, NOON + 90);
  const ends = async (sourceId: number, from: number, to: number) => {
    const { first, last } = await index.ends(sourceId, NOON + from, NOON + to);
    return [first, last].map((image) => image && [image.sourceId, image.takenAtMs - NOON]);
  };
  expect(await ends(38, -50, 60)).toEqual([
    [38, -50],
    [38, 60],
  ]);
  expect(await ends(38, -49, 59)).toEqual([
    [38, 60],
    [38, -50],
  ]);
  expect(await ends(38, 61, 99)).toEqual([null, [38, 60]]);
  expect(await ends(10_001, -45, 100)).toEqual([
    [42, -40],
    [42, 90],
  ]);
  expect(await ends(AIA_171, -50, 60)).toEqual([null, null]);
});

it('the image index lists the images of a range in order and counts them, up to a limit', async () => {
  await archive(38, NOON, NOON + 2, NOON + 4);
  await archive(42, NOON + 1, NOON + 3, NOON + 5);
  await archive(11, NOON + 2);
  const times = async (sourceId: number, from: number, to: number, limit: number) => {
    const found = await index.inRange(sourceId, NOON + from, NOON + to, limit);
    expect(await index.countInRange(sourceId, NOON + from, NOON + to, limit)).toBe(found.length);
    return found.map((image) => image.takenAtMs - NOON);
  };
  expect(await times(38, 0, 4, 10)).toEqual([0, 2, 4]);
  expect(await times(38, 1, 3, 10)).toEqual([2]);
  expect(await times(38, 0, 4, 2)).toEqual([0, 2]);
  expect(await times(10_001, 1, 4, 10)).toEqual([1, 2, 3, 4]);
  expect(await times(10_001, 1, 9, 3)).toEqual([1, 2, 3]);
  expect(await times(13, 0, 9, 3)).toEqual([]);
});

it('the image register adds an image once, and numbers those of a shard in order without the numbers of known and rejected ones', async () => {
  const { image } = await register.add(makeImage(AIA_171, NOON));
  expect(await register.add(makeImage(AIA_171, NOON))).toEqual({ outcome: 'known', image });
  await register.add(makeImage(AIA_171, NOON, { fileName: 'other.jp2' }));
  const second = await register.add(makeImage(26, NOON));
  const otherShard = await register.add(makeImage(11, NOON));
  expect([second.image.id, otherShard.image.id]).toEqual([4 * 16 + 10, 1 * 16 + 11]);
});

it('the image register issues an id from the sequence to an image that a later one overtakes, also where it replaces another', async () => {
  const before = (await register.add(makeImage(AIA_171, NOON))).image;
  const [early, late, last] = [await register.reserve(before), await register.reserve(before), await register.reserve(before)];
  await register.add(makeImage(AIA_171, NOON + 1), null, late);
  const replaced = { id: before.id, atMs: NOON };
  const { outcome, image } = await register.add(
    makeImage(AIA_171, NOON, { sha256: 'cd'.repeat(32), key: before.key.replace('/10/', '/10-v2/') }),
    replaced,
    early,
  );
  expect([outcome, image.id > last]).toEqual(['added', true]);
  expect((await index.neighbours(AIA_171, NOON)).after).toMatchObject({ id: image.id, sha256: 'cd'.repeat(32) });
  // The database is restored from before the overtaken image, while an upload of a reserved id is under way.
  await databases.ofShard(10).prepare('DELETE FROM images WHERE id = ?').bind(image.id).run();
  await ofShard(`last_sequence = ${sequenceOf(late)}`);
  expect((await register.add(makeImage(AIA_171, NOON + 2), null, last)).image.id).toBe(last);
  expect(last).not.toBe(image.id);
});

it('the register in bulk gives an image its stated id, also behind later ones, without another number', async () => {
  await ofShard('last_sequence = 9');
  const ids = new MemoryIdSequences();
  const next = vi.spyOn(ids, 'next').mockResolvedValue(5);
  const added = { ...makeImage(AIA_171, NOON), statedId: imageId(3, AIA_171) };
  expect(await new D1ImageRegister({ databases, ids }).addAll([added])).toMatchObject([{ image: { id: imageId(3, AIA_171) } }]);
  expect(next).toHaveBeenCalledTimes(1);
});

it('the databases of the shards share one database, or have a binding for each of the sixteen', async () => {
  const names = Array.from({ length: 16 }, (_, shard) => (shard % 2 === 0 ? 'FIRST' : 'SECOND'));
  const all = async () => ({ results: names.map((_, shard) => ({ shard })) });
  const named = (name: string) => ({ prepare: () => ({ all, first: async () => name }) });
  const bound = { DB: named('main'), OPERATIONS: named('main'), FIRST: named('first'), SECOND: named('second') };
  const spread = databasesFrom({ ...bound, SHARD_DATABASES: names.join(',') });
  const found = [spread.ofShard(0), spread.ofShard(15), spread.main].map((database) => database.prepare('').first());
  expect(await Promise.all(found)).toEqual(['first', 'second', 'main']);
  expect(spread.images).toHaveLength(2);
  expect(databasesFrom({ ...bound, SHARD_DATABASES: 'FIRST' }).images).toHaveLength(1);
});

it('the databases of the shards must be bound under the names in SHARD_DATABASES', () => {
  const read = (SHARD_DATABASES: string) => () => databasesFrom({ DB: {}, OPERATIONS: {}, SHARD_DATABASES });
  const expected = 'Expected 1 or 16 binding names separated by commas for SHARD_DATABASES, got';
  expect(read('DB,DB_2')).toThrow(`${expected} DB,DB_2.`);
  expect(read('')).toThrow(`${expected} nothing.`);
  expect(read('OTHER')).toThrow('No D1 database is bound as OTHER.');
});

it('the register in bulk gives the results of single additions, in the order of the images', async () => {
  const present = makeImage(10, NOON);
  await register.add(present);
  const images = [
    makeImage(11, NOON),
    present,
    makeImage(10, NOON, { fileName: 'other.jp2' }),
    { ...present, takenAtMs: NOON + 1 },
    { ...present, sha256: 'cd'.repeat(32) },
    makeImage(26, NOON),
    makeImage(10, NOON + 2),
  ];
  const results = await register.addAll(images);
  expect(results.map(({ outcome }) => outcome)).toEqual(['added', 'known', 'conflict', 'known', 'conflict', 'added', 'added']);
  expect(new Set(results.map((result) => ('image' in result ? result.image.id : 0))).size).toBe(4);
  for (const image of [images[0]!, images[5]!, images[6]!]) {
    expect(await index.byFileName(image.fileName)).toMatchObject(image);
  }
});

it('the register in bulk issues ids above those of the database when the sequences were lost', async () => {
  await register.addAll([makeImage(10, NOON), makeImage(10, NOON + 1)]);
  await ofShard('last_sequence = 500');
  const results = await register.addAll([makeImage(10, NOON + 2), makeImage(10, NOON + 3)]);
  expect(results.map((result) => ('image' in result ? result.image.id : 0))).toEqual([501 * 16 + 10, 502 * 16 + 10]);
  expect((await register.add(makeImage(10, NOON + 4))).image.id).toBe(503 * 16 + 10);
});

it('the register in bulk adds nothing to a shard that is being moved', async () => {
  await ofShard("state = 'frozen'");
  expect(await register.addAll([makeImage(10, NOON), makeImage(12, NOON)])).toMatchObject([
    { outcome: 'busy' },
    { outcome: 'added' },
  ]);
});

it('the register in bulk finds images and keys by their names, also those of other shards', async () => {
  const foreign = makeImage(11, NOON);
  const own = makeImage(10, NOON);
  await register.addAll([foreign, own]);
  const { images, withdrawnKeys } = await register.lookUp([foreign.fileName, own.fileName, 'absent.jp2']);
  expect([...images.keys()].sort()).toEqual([own.fileName, foreign.fileName].sort());
  expect(withdrawnKeys.size).toBe(0);
  await register.withdraw({ id: images.get(own.fileName)!.id, atMs: NOON });
  expect([...(await register.lookUp([own.fileName])).withdrawnKeys]).toEqual([own.key]);
  // A mirror may bring it back, because no operator has withdrawn it.
  expect([...(await register.known([foreign.fileName, own.fileName]))]).toEqual([foreign.fileName]);
});
