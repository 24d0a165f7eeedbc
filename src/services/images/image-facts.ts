// The facts of an image by its id, as an object beside its file, so that a tile needs no database.
import type { ArchivedImage } from '../../domain/image.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import { imageFactsKey } from '../../storage/keys.ts';

/** Changes with the members of ArchivedImage, so that objects of an older form are not read. */
const VERSION = 1;

export const factsKey = (id: number): string => imageFactsKey(VERSION, id);

export async function writeFacts(objects: Pick<ObjectStore, 'put'>, image: ArchivedImage): Promise<void> {
  await objects.put(factsKey(image.id), new TextEncoder().encode(JSON.stringify(image)), 'application/json');
}

/** Null for an image that was added before there were facts, or that has been withdrawn. */
export async function readFacts(objects: Pick<ObjectStore, 'readAll'>, id: number): Promise<ArchivedImage | null> {
  const bytes = await objects.readAll(factsKey(id));
  const facts = bytes && (JSON.parse(new TextDecoder().decode(bytes)) as ArchivedImage);
  return facts?.id === id ? facts : null;
}
