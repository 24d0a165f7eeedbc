// The grammar of the object keys. Keys are made here and nowhere else, and never from what a request says.
//
//   jp2/<folder>/<file name>                          an archived image, in the layout of the original archive
//   idx/<version>/<folder>/<file name>.idx            its sidecar, as written by that version of the format
//   derived/v<render>/tile/<image>[-<reference>]/<scale>/<x>_<y>.png
//                                                     a tile, or a difference of two images, as that renderer drew it
//   derived/v<render>/image/<image>/<width>.<ext>     a whole image for people, so many pixels wide
//   derived/screenshots/<yyyy>/<mm>/<dd>/<id>/<file name>
//                                                     a screenshot, by the day on which it was taken
//   derived/movies/<build>/<file name>                a file of a movie, or a part of one that is still encoded
//   jpx/<name>.json                                   which frames the JPX file of this name has
//   events/<version>/<feed>/<yyyy>/<mm>/<dd>.json.gz  the last good answer of a source of events for a day
//   news/<source>.xml                                 the news of a blog as they were last given out
//
// <folder> is `<nickname>/<yyyy>/<mm>/<dd>/<leaf>`. Everything under idx/ and derived/ can be made again from jp2/.

import { dayParts } from '../domain/time.ts';

const JP2_PREFIX = 'jp2/';

export function jp2Key(folder: string, fileName: string): string {
  return `${JP2_PREFIX}${folder}/${fileName}`;
}

/** The part of a JP2 key between `jp2/` and the file name. */
export function folderOf(key: string): string {
  return key.slice(JP2_PREFIX.length, key.lastIndexOf('/'));
}

/** `version`: of the sidecar format. */
export function sidecarKey(imageKey: string, version: number): string {
  return `idx/${version}/${imageKey.slice(JP2_PREFIX.length)}.idx`;
}

/** `name`: of a JPX file, without `.jpx`; it has been checked. */
export function jpxManifestKey(name: string): string {
  return `jpx/${name}.json`;
}

/** What a tile shows. `referenceId`: the image that is taken off; null for the image itself. */
export interface TileName {
  readonly imageId: number;
  readonly referenceId: number | null;
  /** Arcseconds per pixel. */
  readonly imageScale: number;
  /** Tile numbers. */
  readonly x: number;
  readonly y: number;
}

/** `renderVersion`: of everything that decides pixels. */
export function tileKey(renderVersion: number, { imageId, referenceId, imageScale, x, y }: TileName): string {
  const images = referenceId === null ? imageId : `${imageId}-${referenceId}`;
  return `derived/v${renderVersion}/tile/${images}/${imageScale}/${x}_${y}.png`;
}

/** `extension`: of the format. */
export function imageCopyKey(renderVersion: number, imageId: number, width: number, extension: string): string {
  return `derived/v${renderVersion}/image/${imageId}/${width}.${extension}`;
}

export function screenshotKey({ id, createdAtMs }: { id: number; createdAtMs: number }, fileName: string): string {
  return `derived/screenshots/${dayParts(createdAtMs).join('/')}/${id}/${fileName}`;
}

/** `version`: of what is in the object; `feed`: one of our own names; `dayMs`: start of the UTC day. */
export function eventDayKey(version: number, feed: string, dayMs: number): string {
  return `events/${version}/${feed}/${dayParts(dayMs).join('/')}.json.gz`;
}

/** `source`: hexadecimal digits that stand for the address of the blog. */
export function newsFeedKey(source: string): string {
  return `news/${source}.xml`;
}

/** `name`: of MOVIE_FILES, or one that SEGMENT_NAME takes. */
export function movieFileKey(buildId: number, name: string): string {
  return `derived/movies/${buildId}/${name}`;
}

const READABLE_KEY = /^(jp2|idx)(\/[A-Za-z0-9][A-Za-z0-9._+-]*)+$/;
const SIDECAR_KEY = /^idx\/[0-9]+\/.+\.idx$/;
/** Bytes of a key, as R2 has it. */
const KEY_LENGTH = 1024;

/** True for the key of an image or of a sidecar: all that movie workers may read. */
export function isArchiveKey(key: string): boolean {
  return key.length <= KEY_LENGTH && READABLE_KEY.test(key);
}

/** True for the key of a sidecar, which movie workers may write. */
export function isSidecarKey(key: string): boolean {
  return isArchiveKey(key) && SIDECAR_KEY.test(key);
}
