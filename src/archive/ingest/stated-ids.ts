// Ids of images beside their files, so that an index that is rebuilt from the files has the ids that it had: in the metadata of a file that
// the service has written, and in lists below ids/ for files of others, which are not written again, and where the metadata is not right.
// Lists have priority. What states no id, or one that cannot be, gets a new one.
import { RECONCILIATION, SEQUENCES } from '../../platform/limits/images.ts';
import type { FoundObjects, ImmutableObjects, ObjectMetadata, ObjectStore } from '../../platform/storage/r2-object-store.ts';
import { sequenceOf, shardOfImage, shardOfSource } from '../../platform/storage/shards.ts';
import { jsonBytes, jsonOf } from '../../platform/util/bytes.ts';
import { mapConcurrently } from '../../platform/util/concurrency.ts';
import type { ArchivedImage } from '../../sun/image.ts';
import { contentName, folderOf, idListKey, idListPrefix, idListRange } from '../keys.ts';

type Objects = Pick<ObjectStore, 'put' | 'readAll'> & Pick<FoundObjects, 'list'>;

/** Calls of R2 at once. */
const AT_ONCE = 6;
const METADATA = 'image-id';
/** The most keys that R2 deletes in a call. */
const MOST_DELETED = 1000;

export const idMetadata = (id: number): ObjectMetadata => ({ [METADATA]: String(id) });

/** Whether the service has written a file. */
export const statesId = (metadata: ObjectMetadata): boolean => metadata[METADATA] !== undefined;

/** The metadata of a file; null without one. */
export async function metadataOf(objects: Pick<FoundObjects, 'list'>, key: string): Promise<ObjectMetadata | null> {
  const [first] = (await objects.list(key, { limit: 1, withMetadata: true })).objects;
  return first?.key === key ? (first.metadata ?? {}) : null;
}

/** Id and content name (`contentName`) by the name of a file. */
type IdList = Readonly<Record<string, readonly [id: number, content: string]>>;

type Named = Pick<ArchivedImage, 'key' | 'fileName' | 'sha256' | 'sourceId'>;

/** Whether an image may have an id: of its shard, and a number that a sequence can issue. */
const isPossible = (id: number, { sourceId }: Named) =>
  Number.isSafeInteger(id) &&
  sequenceOf(id) >= 1 &&
  sequenceOf(id) < SEQUENCES.end &&
  shardOfImage(id) === shardOfSource(sourceId);

/** The ids that are stated for images, by key; of several for one image, the last that was issued. `metadata`: of the file. */
export async function statedIds(
  objects: Objects,
  images: readonly (Named & { readonly metadata: ObjectMetadata })[],
): Promise<ReadonlyMap<string, number>> {
  const stated = new Map<string, number>();
  for (const image of images) {
    const id = Number(image.metadata[METADATA]);
    if (isPossible(id, image)) stated.set(image.key, id);
  }
  await mapConcurrently(
    Map.groupBy(images, ({ key }) => folderOf(key)),
    AT_ONCE,
    async ([folder, ofFolder]) => {
      const listed = new Map<string, number>();
      for await (const { key } of listKeys(objects, folder, ofFolder)) {
        const bytes = await objects.readAll(key);
        const list = bytes && jsonOf<IdList>(bytes);
        for (const image of ofFolder) {
          const [id = 0, content] = list?.[image.fileName] ?? [];
          if (content === contentName(image) && isPossible(id, image))
            listed.set(image.key, Math.max(id, listed.get(image.key) ?? 0));
        }
      }
      for (const [key, id] of listed) stated.set(key, id);
    },
  );
  return stated;
}

/** Keys of the lists of a folder that may have one of these images, and whether they have none of other names. */
async function* listKeys(objects: Objects, folder: string, images: readonly Named[]) {
  const inOrder = inNameOrder(images);
  const [first, last] = [inOrder[0]!.fileName, inOrder.at(-1)!.fileName];
  for (let after: string | null | undefined; after !== null; ) {
    const page = await objects.list(idListPrefix(folder), { limit: 1000, ...(after === undefined ? {} : { after }) });
    for (const { key } of page.objects) {
      const range = idListRange(key, folder);
      if (!range || range.first > last || range.last < first) continue;
      yield { key, isWithin: range.first >= first && range.last <= last };
    }
    after = page.next;
  }
}

const inNameOrder = <Image extends Pick<ArchivedImage, 'fileName'>>(images: readonly Image[]) =>
  images.toSorted((a, b) => (a.fileName < b.fileName ? -1 : 1));

/** States the ids of images in lists, one for each folder. */
export async function stateIds(objects: Objects, images: readonly ArchivedImage[]): Promise<void> {
  await mapConcurrently(Map.groupBy(images, ({ key }) => folderOf(key)).values(), AT_ONCE, async (ofFolder) => {
    const inOrder = inNameOrder(ofFolder);
    const list: IdList = Object.fromEntries(inOrder.map((image) => [image.fileName, [image.id, contentName(image)]]));
    await objects.put(idListKey(inOrder), jsonBytes(list), 'application/json');
  });
}

/**
 * States the ids of images for whose files another one is stated or none, as in archives that are older than the statements: of as many
 * folders as the calls allow. Many lists of a folder become one.
 * @param images Those of some following files, with the metadata of the files
 * @param areAll Whether all files between them have an image: otherwise a list may have what no row has
 */
export async function restateIds(
  objects: Objects & Pick<ImmutableObjects, 'delete'>,
  images: readonly (ArchivedImage & { readonly metadata: ObjectMetadata })[],
  areAll: boolean,
): Promise<{ readonly stated: number; readonly folderCalls: number }> {
  const unsure = images.filter(({ id, metadata }) => metadata[METADATA] !== String(id));
  let [stated, folderCalls] = [0, 0];
  for (const [folder, ofFolder] of Map.groupBy(unsure, ({ key }) => folderOf(key))) {
    if (folderCalls >= RECONCILIATION.folderCalls) break;
    const lists = await Array.fromAsync(listKeys(objects, folder, ofFolder));
    const isMany = lists.length > RECONCILIATION.idLists;
    if (isMany && !areAll) continue;
    const known = isMany ? new Map<string, number>() : await statedIds(objects, ofFolder);
    const wrong = ofFolder.filter(({ id, key }) => known.get(key) !== id);
    await stateIds(objects, wrong);
    if (isMany) {
      const replaced = lists.filter(({ key, isWithin }) => isWithin && key !== idListKey(inNameOrder(wrong)));
      await objects.delete(replaced.slice(0, MOST_DELETED).map(({ key }) => key));
    }
    stated += isMany ? 0 : wrong.length;
    folderCalls += 4 + Math.min(lists.length, RECONCILIATION.idLists);
  }
  return { stated, folderCalls };
}
