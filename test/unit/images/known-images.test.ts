import { describe, expect, it } from 'vitest';
import { KNOWN_IMAGES } from '../../../src/config/limits/images.ts';
import { factsKey, writeFacts } from '../../../src/services/images/image-facts.ts';
import { KnownImages } from '../../../src/services/images/known-images.ts';
import { MemoryImageIndex } from '../../support/memory/image-index.ts';
import { MemoryObjectStore } from '../../support/memory/object-store.ts';
import { IMAGES } from '../../support/test-archive.ts';

const [, image] = IMAGES;

/** An index whose replica has only some of the images, and the calls of both databases. */
function archive({ onReplica = IMAGES } = {}) {
  const clock = { nowMs: 0 };
  const calls: string[] = [];
  const noting = (name: string, index: MemoryImageIndex) => {
    const { byId } = index;
    index.byId = (id) => {
      calls.push(`${name} ${id}`);
      return byId.call(index, id);
    };
    return index;
  };
  const objects = new MemoryObjectStore();
  const primary = noting('primary', new MemoryImageIndex(IMAGES));
  const replica = noting('replica', new MemoryImageIndex(onReplica));
  return { known: new KnownImages({ replica, primary, objects, clock: () => clock.nowMs }), objects, clock, calls, primary };
}

/** An index that is not available. */
function failing(): MemoryImageIndex {
  const index = new MemoryImageIndex([]);
  index.byId = async () => {
    throw new Error('The index is not available.');
  };
  return index;
}

describe('the facts of an image', () => {
  it('are stored after the first read that did not find them, so that later reads need no database', async () => {
    const { known, objects, calls } = archive();
    await known.byId(26);
    await known.storeMissing();
    expect(objects.objects.has(factsKey(26))).toBe(true);
    calls.length = 0;
    const other = new KnownImages({ replica: failing(), primary: failing(), objects, clock: () => 0 });
    expect(await other.byId(26)).toEqual(image);
    expect(await known.storeMissing()).toBe(0);
  });

  it.each(['write', 'storeMissing'] as const)(
    'do not outlive an image that is withdrawn while they are written (%s)',
    async (how) => {
      const { known, objects, primary } = archive();
      await known.byId(26);
      const { put } = objects;
      objects.put = async (...object) => {
        // The whole withdrawal, between the row that the writer saw and its write.
        primary.withdraw(26);
        await known.delete(26);
        return put.apply(objects, object);
      };
      await (how === 'write' ? known.write(image!) : known.storeMissing());
      expect(objects.objects.has(factsKey(26))).toBe(false);
      expect(await primary.byId(26)).toBeNull();
    },
  );

  it('of an archive whose ids were lost are dropped when the ids are given to other images', async () => {
    const { known, objects } = archive();
    await writeFacts(objects, { ...image!, fileName: 'another.jp2' });
    await known.byId(26);
    await known.forget([26, 42]);
    expect(await known.byId(26)).toEqual(image);
  });
});

describe('an image by its id', () => {
  it('needs no database where the archive has its facts', async () => {
    const { known, objects, calls } = archive();
    await writeFacts(objects, image!);
    expect(await known.byId(26)).toEqual(image);
    expect(calls).toEqual([]);
  });

  it('is looked up in the replica, then in the primary database, and remembered for a minute', async () => {
    const { known, clock, calls } = archive({ onReplica: [] });
    for (let i = 0; i < 3; i++) expect(await known.byId(26)).toEqual(image);
    expect(calls).toEqual(['replica 26', 'primary 26']);
    clock.nowMs = KNOWN_IMAGES.freshMs;
    await known.byId(26);
    expect(calls).toHaveLength(4);
  });

  it('is not taken from facts of another id', async () => {
    const { known, objects } = archive();
    await writeFacts(objects, image!);
    objects.objects.set(factsKey(42), objects.objects.get(factsKey(26))!);
    expect(await known.byId(42)).toMatchObject({ id: 42 });
  });

  it('that does not exist is not remembered as missing', async () => {
    const { known, primary } = archive();
    expect(await known.byId(999)).toBeNull();
    primary.byId = async () => ({ ...image!, id: 999 });
    expect(await known.byId(999)).toMatchObject({ id: 999 });
  });

  it('that is withdrawn is forgotten here at once, and elsewhere after a minute', async () => {
    const { known, objects, primary, clock } = archive({ onReplica: [] });
    await writeFacts(objects, image!);
    await known.byId(26);
    await objects.delete(factsKey(26));
    primary.withdraw(26);
    clock.nowMs = KNOWN_IMAGES.freshMs - 1;
    expect(await known.byId(26)).toEqual(image);
    clock.nowMs = KNOWN_IMAGES.freshMs;
    expect(await known.byId(26)).toBeNull();

    const here = archive({ onReplica: [] });
    await here.known.byId(26);
    here.primary.withdraw(26);
    await here.known.delete(26);
    expect(await here.known.byId(26)).toBeNull();
  });
});
