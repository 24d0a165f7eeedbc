// The folders of the archive by its index: `<instrument>/<yyyy>/<mm>/<dd>/<leaf>`, and the same with the day first.
import { LISTS } from '../platform/limits/images.ts';
import { DAY_MS } from '../platform/util/durations.ts';
import { Failure } from '../platform/util/errors.ts';
import { countedBins, nextBin, type TimeRange } from '../sun/bins.ts';
import { archiveDirectory, type DataSource } from '../sun/catalogue/datasource.ts';
import { imageSources } from '../sun/catalogue/sources.ts';
import { dayMs, dayParts } from '../sun/time.ts';
import type { ImageIndex } from './image-index/d1-image-index.ts';
import { listedPages } from './image-list.ts';
import { FOLDER_MARGIN_MS, folderOf, isVersionFolder } from './keys.ts';
import type { ListedImage } from './ports.ts';

/** Bins by the number of parts of a date. */
const PERIODS = ['Y', 'M', 'D'] as const;
const DATE_PARTS = 3;
const DATE = /^(?<year>[0-9]{4})(?:\/(?<month>[0-9]{2})(?:\/(?<day>[0-9]{2}))?)?$/;

/** The range of a year, month or day as folders name it; null for other text. */
function rangeOf(date: readonly string[]): TimeRange | null {
  const { year, month = '01', day = '01' } = DATE.exec(date.join('/'))?.groups ?? {};
  const startMs = year === undefined ? null : dayMs(Number(year), Number(month), Number(day));
  return startMs === null ? null : { startMs, endMs: nextBin(PERIODS[date.length - 1]!, startMs) - 1 };
}

/** The folders of a source without the date; the first alone where the names of its files decide. */
function namesOf(source: DataSource): readonly string[] {
  const [instrument, , , , ...leaf] = archiveDirectory(source, 0, '').split('/');
  return typeof source.leafDirectory === 'function' ? [instrument!] : [instrument!, ...leaf];
}

const agree = (one: readonly string[], other: readonly string[]) => one.every((name, i) => (other[i] ?? name) === name);
const inOrder = (names: Iterable<string>) => [...new Set(names)].sort();

/**
 * What is in the folder of a path: folders, images by their paths below it in the order of time, the times of all that is below (null for the whole
 * archive), and the first folders of its images, also those that have none yet. Null for one without images.
 * @param charge Counts images @throws Failure `unsupported` for too many
 */
export async function archiveFolder(
  index: Pick<ImageIndex, 'extents' | 'counts' | 'listed'>,
  path: string,
  charge: (images: number) => Promise<void>,
) {
  const segments = path.split('/').filter((segment) => segment !== '');
  const isDayFirst = /^[0-9]/.test(segments[0] ?? '');
  const at = isDayFirst ? 0 : 1;
  const date = segments.slice(at, at + DATE_PARTS);
  const names = segments.toSpliced(at, DATE_PARTS);
  const range = rangeOf(date);
  if (date.length > 0 && !range) return null;
  const possible = imageSources.filter((source) => agree(namesOf(source), names));
  const instruments = inOrder(possible.map((source) => source.archiveDirectory));
  const extents = await index.extents();
  const sources = possible.filter(({ id }) => extents.has(id));
  const found = (folders: Iterable<string>, files: readonly (readonly [path: string, image: ListedImage])[] = []) => {
    const known = inOrder(folders);
    return known.length + files.length === 0 ? null : { folders: known, files, range, instruments };
  };
  if (segments.length === 0) return found(sources.map((source) => source.archiveDirectory));

  const ids = sources.map(({ id }) => id);
  if (date.length < DATE_PARTS) {
    const ends = ids.map((id) => extents.get(id)!);
    const all = { startMs: Math.min(...ends.map(({ startMs }) => startMs)), endMs: Math.max(...ends.map(({ endMs }) => endMs)) };
    if (ids.length === 0) return null;
    const counts = await index.counts(ids, countedBins(PERIODS[date.length]!, range ?? all), DAY_MS, 'any');
    return found(counts.flatMap((bins) => [...bins.keys()].map((startMs) => dayParts(startMs)[date.length]!)));
  }

  const { startMs } = range!;
  const counts = await index.counts(ids, [[startMs, startMs + DAY_MS]], DAY_MS);
  const held = sources.flatMap((source, i) => {
    const images = counts[i]!.get(startMs) ?? 0;
    return images > 0 ? [{ source, images, next: namesOf(source)[names.length] }] : [];
  });
  const folders = held.flatMap(({ next }) => next ?? []);
  const listed = held.filter(({ next }) => next === undefined);
  const images = listed.reduce((sum, source) => sum + source.images, 0);
  if (images > LISTS.folderImages)
    throw new Failure('unsupported', `The folder has more than ${LISTS.folderImages} images. Request them by listImages.`);
  await charge(images);
  const files: [string, ListedImage][] = [];
  const day = date.join('/');
  const times = { afterMs: startMs - FOLDER_MARGIN_MS, toMs: startMs + DAY_MS + FOLDER_MARGIN_MS };
  for (const { source } of listed)
    for await (const page of listedPages(index, source.id, times, LISTS.folderImages)) {
      for (const image of page) {
        const [instrument, ...rest] = folderOf(image.key).split('/');
        const own = [instrument!, ...rest.slice(DATE_PARTS)];
        const below = own.slice(names.length);
        if (rest.slice(0, DATE_PARTS).join('/') !== day || !agree(names, own) || own.length < names.length) continue;
        if (below.length === 0 || (below.length === 1 && isVersionFolder(below[0]!))) {
          files.push([[...below, image.fileName].join('/'), image]);
        } else folders.push(below[0]!);
      }
    }
  files.sort(([, a], [, b]) => a.takenAtMs - b.takenAtMs);
  return found(folders, files);
}
