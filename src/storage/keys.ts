// The grammar of the object keys. Keys are made here and nowhere else, and never from what a request says.
//
//   jp2/<folder>/<file name>                          an archived image, in the layout of the original archive
//   idx/<version>/<folder>/<file name>.idx            its sidecar, as written by that version of the format
//   derived/v<render>/tile/<image>/<scale>/<x>_<y>.png  a tile, as drawn by that version of the renderer
//
// <folder> is `<nickname>/<yyyy>/<mm>/<dd>/<leaf>`. Everything under idx/ and derived/ can be made again from jp2/.

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

/** `renderVersion`: of everything that decides pixels. `x`, `y`: tile numbers; `imageScale` in arcseconds per pixel. */
export function tileKey(renderVersion: number, imageId: number, tile: { x: number; y: number; imageScale: number }): string {
  return `derived/v${renderVersion}/tile/${imageId}/${tile.imageScale}/${tile.x}_${tile.y}.png`;
}
