// Finds an image by its id, path or time, and the one that a difference subtracts.
import { needsReference, type Operations, referenceTime, refusalOf } from '../picture/operations/operations.ts';
import { SETTLED_AFTER_MS } from '../platform/limits/images.ts';
import type { Stopwatch } from '../platform/ports/timing.ts';
import { didYouMean, Failure } from '../platform/util/errors.ts';
import { findSource, sourceInSentence, suggestedSource } from '../sun/catalogue/sources.ts';
import type { ArchivedImage, WithdrawnImage } from '../sun/image.ts';
import { formatDateTime } from '../sun/time.ts';
import type { ImageIndex } from './image-index/d1-image-index.ts';
import { archivePath, keyedName } from './keys.ts';

type Ports = { readonly index: ImageIndex; readonly stopwatch: Stopwatch };

function withdrawnImage({ id, replacedBy }: WithdrawnImage, parameter = 'id'): Failure {
  const what = replacedBy === null ? 'has been withdrawn' : `has been replaced by image ${replacedBy}`;
  return new Failure('withdrawn', `Image ${id} ${what}.`, { parameter, replacedBy });
}

/** A failure as it is; `withdrawn` where a file is missing because its image was withdrawn while it was read. @throws as the index */
export async function withdrawnOr(index: Pick<ImageIndex, 'withdrawnByFileName'>, failure: Failure): Promise<Failure> {
  const { missingKey } = failure;
  if (missingKey === undefined) return failure;
  const versions = await index.withdrawnByFileName(keyedName(missingKey));
  const withdrawn = versions.find(({ key }) => key === missingKey);
  return withdrawn ? withdrawnImage(withdrawn) : failure;
}

/** Checks the images of an earlier picture or movie, which `what` names. @throws Failure `withdrawn` for one that is no longer archived */
export async function checkNotWithdrawn(index: Pick<ImageIndex, 'withdrawn'>, what: string, ids: readonly number[]) {
  const [found] = await index.withdrawn(ids);
  if (!found) return;
  throw new Failure('withdrawn', `${what} has an image (${found.id}) that has been withdrawn or replaced. Request a new one.`);
}

/** @param parameter Name of the id in the request. @throws Failure `unknown-id`, or `withdrawn` */
export async function imageById({ index, stopwatch }: Ports, id: number, parameter = 'id'): Promise<ArchivedImage> {
  const image = await stopwatch.measure('index', () => index.byId(id));
  if (image) return image;
  const [withdrawn] = await stopwatch.measure('index', () => index.withdrawn([id]));
  if (withdrawn) throw withdrawnImage(withdrawn, parameter);
  throw new Failure('unknown-id', `No image has the id ${id}. getClosestImage returns the ids of images.`, { parameter });
}

function checked(image: ArchivedImage, layer: Operations): ArchivedImage {
  const refused = refusalOf(layer, image.sourceId);
  if (refused) throw refused;
  return image;
}

/** The image of a picture with operations. @throws Failure as `imageById`, or `bad-parameter` for an operation that its source cannot have */
export const imageOfLayer = async (ports: Ports, id: number, layer: Operations): Promise<ArchivedImage> =>
  checked(await imageById(ports, id), layer);

/** The images of a layer at several times, in the order of `ids`. @throws as `imageOfLayer` */
export async function imagesOfLayer(ports: Ports, ids: readonly number[], layer: Operations): Promise<ArchivedImage[]> {
  const found = await ports.stopwatch.measure('index', () => ports.index.byIds(ids));
  const byId = new Map(found.map((image) => [image.id, image]));
  return Promise.all(ids.map(async (id) => checked(byId.get(id) ?? (await imageById(ports, id, 'ids')), layer)));
}

/** A path of the archive with the day first, as some programs have it: `2024/05/10/AIA/171/<file name>`. */
const DAY_FIRST = /^([0-9]{4}\/[0-9]{2}\/[0-9]{2})\/([^/]+)(?=\/)/;

export type PathIndex = Pick<ImageIndex, 'byFileName' | 'withdrawnByFileName'>;

/** The image at a path, in which the day may be first. It is compared with a key but never used as one. @throws Failure `withdrawn` */
export async function imageByPath(index: PathIndex, given: string): Promise<ArchivedImage | null> {
  const path = given.replace(DAY_FIRST, '$2/$1');
  const fileName = path.slice(path.lastIndexOf('/') + 1);
  const image = await index.byFileName(fileName);
  if (image && archivePath(image.key) === path) return image;
  const withdrawn = (await index.withdrawnByFileName(fileName)).find(({ key }) => archivePath(key) === path);
  if (withdrawn) throw withdrawnImage(withdrawn);
  return null;
}

export interface NearestImage {
  readonly image: ArchivedImage;
  /** Image time minus requested time: negative when the image is older. */
  readonly distanceSeconds: number;
  /** True when the image after this one is known and so old that no image is expected to be added between them. */
  readonly isSettled: boolean;
}

/** The image at the smaller distance, the earlier one of two at the same distance. Fractions of a second count. */
export function nearer(before: ArchivedImage | null, after: ArchivedImage | null, atMs: number): ArchivedImage | null {
  if (!before || !after) return before ?? after;
  return after.takenAtMs - atMs < atMs - before.takenAtMs ? after : before;
}

type SourceParameter = 'sourceId' | 'layers' | 'tileset';

/** Failure of a source without images, which `parameter` names. The web client takes the name of the layer from its parentheses. */
export function noImages(sourceId: number, parameter: SourceParameter = 'sourceId'): Failure {
  const source = findSource(sourceId);
  const name = source?.nickname ?? `${parameter === 'layers' ? 'sourceId' : parameter} ${sourceId}`;
  const meant = source ? undefined : suggestedSource(String(sourceId));
  const question = meant ? ` There is no source ${sourceId}.${didYouMean({ value: sourceInSentence(meant) })}` : '';
  const sentence = `No data of the requested type (${name}) are currently available.${question}`;
  return new Failure('no-image', sentence, { parameter, suggestion: meant && String(meant.id) });
}

/** The image of `sourceId` nearest to `atMs`. @param parameter Names the source @throws Failure `no-image` for a source without images */
export const nearestImage = async (
  { index, stopwatch }: Ports,
  { sourceId, atMs }: { sourceId: number; atMs: number },
  nowMs: number,
  parameter?: SourceParameter,
): Promise<NearestImage> =>
  stopwatch.measure('index', async () => {
    const { before, after } = await index.neighbours(sourceId, atMs);
    const image = nearer(before, after, atMs);
    if (!image) throw noImages(sourceId, parameter);
    const isOld = (ms: number | null | undefined) => typeof ms === 'number' && ms < nowMs - SETTLED_AFTER_MS;
    const distanceSeconds = Math.round(image.takenAtMs - atMs) / 1000;
    if (image === before) return { image, distanceSeconds, isSettled: isOld(after?.takenAtMs) };
    if (!isOld(image.takenAtMs)) return { image, distanceSeconds, isSettled: false };
    const { afterMs } = await index.adjacentTimes(sourceId, image.takenAtMs);
    return { image, distanceSeconds, isSettled: isOld(afterMs) };
  });

/** For each time the nearest image of a source or, with `isEarlier`, the latest one at or before it; null where there is none. One search. */
export async function imagesAt(
  index: Pick<ImageIndex, 'neighboursOfTimes'>,
  sourceId: number,
  timesMs: readonly number[],
  isEarlier = false,
): Promise<(ArchivedImage | null)[]> {
  const found = await index.neighboursOfTimes(sourceId, timesMs);
  return found.map((around, i) => (isEarlier ? latest(around, timesMs[i]!) : nearer(around.before, around.after, timesMs[i]!)));
}

/** The latest image at or before a time, given the neighbours of that time. */
const latest = (
  { before, after }: { readonly before: ArchivedImage | null; readonly after: ArchivedImage | null },
  atMs: number,
): ArchivedImage | null => (after?.takenAtMs === atMs ? after : before);

export function noReference({ sourceId, takenAtMs }: ArchivedImage, layer: Operations): Failure {
  const atMs = referenceTime(layer, takenAtMs) ?? takenAtMs;
  const nickname = findSource(sourceId)?.nickname ?? '';
  return new Failure('no-earlier-image', `No image on or before ${formatDateTime(atMs)} exists to compare with (${nickname}).`);
}

/** The latest image of the source at or before the reference time; null without a difference. @throws Failure `no-earlier-image` */
export async function referenceImage(index: Pick<ImageIndex, 'neighbours'>, image: ArchivedImage, layer: Operations) {
  const atMs = referenceTime(layer, image.takenAtMs);
  if (atMs === null) return null;
  const found = latest(await index.neighbours(image.sourceId, atMs), atMs);
  if (!found) throw noReference(image, layer);
  return found;
}

/** `referenceImage` of each image with one query per source; null for an image without one. Null for a layer without one. */
export async function referenceImages(
  index: Pick<ImageIndex, 'neighboursOfTimes'>,
  images: readonly ArchivedImage[],
  layer: Operations,
): Promise<(ArchivedImage | null)[] | null> {
  if (!needsReference(layer)) return null;
  const found: (ArchivedImage | null)[] = [];
  for (const sourceId of new Set(images.map((image) => image.sourceId))) {
    const positions = images.flatMap((image, i) => (image.sourceId === sourceId ? i : []));
    const times = positions.map((i) => referenceTime(layer, images[i]!.takenAtMs)!);
    const references = await imagesAt(index, sourceId, times, true);
    for (const [n, i] of positions.entries()) found[i] = references[n]!;
  }
  return found;
}
