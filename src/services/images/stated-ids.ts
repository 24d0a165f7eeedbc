// Ids of images beside their files, so that an index that is rebuilt from the files has the ids that it had: in the metadata of a file that
// the service has written, and in lists below ids/ for files of others, which are not written again, and where the metadata is not right.
// Lists have priority. What states no id, or one that cannot be, gets a new one.
import { SEQUENCES } from '../../config/limits/images.ts';
import { contentName, folderOf, idListKey, idListPrefix, idListRange } from '../../domain/archive/keys.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import { sequenceOf, shardOfImage, shardOfSource } from '../../domain/shards.ts';
import type { FoundObjects, ObjectMetadata, ObjectStore } from '../../ports/objects.ts';
import { jsonBytes, jsonOf } from '../../util/bytes.ts';
import { mapConcurrently } from '../../util/concurrency.ts';

type Objects = Pick<ObjectStore, 'put' | 'readAll'> & Pick<FoundObjects, 'list'>;

/** Calls of R2 at once. */
const AT_ONCE = 6;
const METADATA = 'image-id';

/** Metadata of the file of an image. */
export const idMetadata = (id: number): ObjectMetadata => ({ [METADATA]: String(id) });

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
      for await (const list of listsOf(
        objects,
        folder,
        ofFolder.map(({ fileName }) => fileName),
      )) {
        for (const image of ofFolder) {
          const [id = 0, content] = list[image.fileName] ?? [];
          if (content === contentName(image) && isPossible(id, image))
            listed.set(image.key, Math.max(id, listed.get(image.key) ?? 0));
        }
      }
      for (const [key, id] of listed) stated.set(key, id);
    },
  );
  return stated;
}

/** The lists of a folder that may have one of the names. */
async function* listsOf(objects: Objects, folder: string, names: readonly string[]): AsyncGenerator<IdList> {
  const [first, last] = [names.reduce((a, b) => (a < b ? a : b)), names.reduce((a, b) => (a > b ? a : b))];
  for (let after: string | null | undefined; after !== null; ) {
    const page = await objects.list(idListPrefix(folder), { limit: 1000, ...(after === undefined ? {} : { after }) });
    for (const { key } of page.objects) {
      const range = idListRange(key, folder);
      if (!range || range.first > last || range.last < first) continue;
      const bytes = await objects.readAll(key);
      yield (bytes && jsonOf<IdList>(bytes)) ?? {};
    }
    after = page.next;
  }
}

/** States the ids of images in lists, one for each folder. */
export async function stateIds(objects: Objects, images: readonly ArchivedImage[]): Promise<void> {
  await mapConcurrently(Map.groupBy(images, ({ key }) => folderOf(key)).values(), AT_ONCE, async (ofFolder) => {
    const inOrder = ofFolder.toSorted((a, b) => (a.fileName < b.fileName ? -1 : 1));
    const list: IdList = Object.fromEntries(inOrder.map((image) => [image.fileName, [image.id, contentName(image)]]));
    await objects.put(idListKey(inOrder), jsonBytes(list), 'application/json');
  });
}
