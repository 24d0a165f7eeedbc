import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import * as keys from '../../../src/archive/keys.ts';
import { LIFECYCLE_RULES } from '../../../src/cli/deploy/deployment.ts';
import { imageId, SHARD_COUNT, shardOfImage, shardOfSource } from '../../../src/platform/storage/shards.ts';

const content = { sha256: 'a'.repeat(64) };
const JP2 = keys.jp2Key('AIA/2024/05/10/171', 'image.jp2');

/** Keys of objects that requests cause to be made again and again. */
const EXPIRING = {
  imageCopyKey: keys.imageCopyKey(1, content, { width: 512, type: 'png' }),
  coefficientKey: keys.coefficientKey(content, 'a', 1),
  jpxMetadataKey: keys.jpxMetadataKey({ sha256: '0123456789abcdef'.repeat(4) }),
  screenshotKey: keys.screenshotKey(1, content),
  movieFileKey: keys.movieFileKey({ key: '0a', generation: 1 }, 'movie.mp4'),
  moviePlanKey: keys.moviePlanKey('0a'),
  jpxManifestKey: keys.jpxManifestKey('AIA_171'),
  mapKey: keys.mapKey(1, content, 'png'),
  eventDayKey: keys.eventDayKey(1, 'hek', 0),
  quarantineKey: keys.quarantineKey(JP2),
  quarantineNoteKey: keys.quarantineNoteKey(JP2),
};

/** Keys whose number is that of the images, of a fixed list, or limited. */
const KEPT = {
  jp2Key: JP2,
  sidecarKey: keys.sidecarKey(JP2, 1),
  imageRecordKey: keys.imageRecordKey(1, 26),
  recordMarkKey: keys.recordMarkKey(1, { id: 26, ...content }),
  lawKey: keys.lawKey(1, content),
  annuliKey: keys.annuliKey(content, 1),
  idListKey: keys.idListKey([{ id: 26, key: JP2, fileName: 'image.jp2' }]),
  sequenceMarkKey: keys.sequenceMarkKey('images-10'),
  imageGridKey: keys.imageGridKey('values', { sourceId: 10, takenAtMs: 0, ...content }),
  gridDayKey: keys.gridDayKey('levels', 10, 0),
  stateTableKey: keys.stateTableKey(1, 'SOHO'),
  newsFeedKey: keys.newsFeedKey('0a'),
  clientStateKey: keys.clientStateKey('0a'),
};

const ruleFor = (key: string) => LIFECYCLE_RULES.find(({ prefix }) => prefix !== '' && key.startsWith(prefix));

it.each(Object.entries(EXPIRING))('the lifecycle rules of the bucket expire the objects of %s', (_name, key) => {
  expect(ruleFor(key)?.options[0]).toBe('--expire-days');
});

it.each(Object.entries(KEPT))('the lifecycle rules of the bucket keep the objects of %s', (_name, key) => {
  expect(ruleFor(key)).toBeUndefined();
});

it('the lifecycle rules of the bucket cover every kind of key, and end multipart uploads that were not completed', () => {
  const makers = Object.keys(keys).filter((name) => name.endsWith('Key') && !name.startsWith('is'));
  expect(makers.sort()).toEqual([...Object.keys(EXPIRING), ...Object.keys(KEPT)].sort());
  expect(LIFECYCLE_RULES).toContainEqual(
    expect.objectContaining({ prefix: '', options: ['--abort-multipart-days', expect.stringMatching(/^\d$/)] }),
  );
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
