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
