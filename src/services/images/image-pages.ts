// Pages of images with their geometry, of any sources, by time or by ids.
import type { ArchivedImage } from '../../domain/image.ts';
import type { ImageIndex, ListedTimes } from '../../ports/images.ts';
import { holdingsPages, type ListPosition, passed } from './image-list.ts';

/** The images that a page has some of: of these sources, at these times, after this position. */
interface PagedImages {
  /** Null for all that have images. */
  readonly sourceIds: readonly number[] | null;
  readonly times: ListedTimes;
  /** The last image of an earlier page; null for the beginning. */
  readonly after: ListPosition | null;
}

/** A page in the order of sources and times, and its last image where more follow. */
interface ImagePage {
  readonly images: readonly ArchivedImage[];
  readonly next: ListPosition | null;
}

type Index = Pick<ImageIndex, 'byIds' | 'extents' | 'listed'>;

const inOrder = (a: ListPosition, b: ListPosition): number => a.sourceId - b.sourceId || a.takenAtMs - b.takenAtMs;

/** The first `limit` of the images that `ids` name, all of which are read for each page. */
export async function namedImagePage(
  index: Index,
  ids: readonly number[],
  { sourceIds, times, after }: PagedImages,
  limit: number,
): Promise<ImagePage> {
  const position = after && { ...after, takenAtMs: passed(after.takenAtMs) };
  const found = (await index.byIds(ids))
    .filter(({ sourceId }) => sourceIds?.includes(sourceId) ?? true)
    .filter(({ takenAtMs }) => takenAtMs > times.afterMs && takenAtMs <= times.toMs)
    .filter((image) => !position || inOrder(position, image) < 0)
    .sort(inOrder);
  const images = found.slice(0, limit);
  return { images, next: found.length > limit ? images.at(-1)! : null };
}

/** The first `limit` images source by source, found by their times and read by their ids. */
export async function imagePage(index: Index, { sourceIds, times, after }: PagedImages, limit: number): Promise<ImagePage> {
  const ids = sourceIds ?? [...(await index.extents()).keys()];
  const pages = holdingsPages(index, { sourceIds: [...ids].sort((a, b) => a - b), times, after }, limit);
  const listed: number[] = [];
  let page = await pages.next();
  for (; !page.done; page = await pages.next()) listed.push(...page.value.map(({ id }) => id));
  return { images: (await index.byIds(listed)).sort(inOrder), next: page.value };
}
