// The tiles of a view and their places. Lengths are arcseconds from the centre of the image, x to the right, y down.

/** Width and height of a tile in its own pixels. */
const TILE_PIXELS = 512;
/** Arcseconds per pixel of level 0, doubling with each level. All clients use these scales and so share cache entries. */
const LEVEL_0_SCALE = 0.60511022;
/** Ratio of tile to screen pixels from which the next finer level is used. */
const COARSENESS = 1.25;
/** Upper bound of the device pixel ratio, because a higher one costs four times the bytes for little visible gain. */
const MOST_DEVICE_PIXELS = 2;
/** Largest number of screen pixels per image pixel. */
const MOST_ENLARGED = 8;
const MOST_REDUCED = 64;

/** Arcseconds per pixel of a level, with the six decimals that clients send. */
export const levelScale = (level) => Number((LEVEL_0_SCALE * 2 ** level).toFixed(6));

const levelBelow = (scale) => Math.floor(Math.log2(scale / LEVEL_0_SCALE));

/** The level for a view: as fine as the screen, but no finer than the image. */
export function levelFor(image, view, devicePixels) {
  const finest = levelBelow(image.scale * 1.1);
  return Math.max(finest, levelBelow((view.scale * COARSENESS) / Math.min(devicePixels, MOST_DEVICE_PIXELS)));
}

/** The view of the whole image. */
export function wholeImage(image, size) {
  return { x: 0, y: 0, scale: image.scale * Math.max(image.width / size.width, image.height / size.height) };
}

/** The view zoomed by a factor (above 1: in) around a point of the screen, counted from its centre. */
export function zoomed(image, view, factor, at = { x: 0, y: 0 }) {
  const wanted = view.scale / factor;
  const scale = Math.min(Math.max(wanted, image.scale / MOST_ENLARGED), image.scale * MOST_REDUCED);
  return within(image, { x: view.x + at.x * (view.scale - scale), y: view.y + at.y * (view.scale - scale), scale });
}

/** The view moved by screen pixels. */
export function moved(image, view, pixels) {
  return within(image, { ...view, x: view.x + pixels.x * view.scale, y: view.y + pixels.y * view.scale });
}

/** Keeps the centre of the view on the image. */
function within(image, view) {
  const [halfWidth, halfHeight] = [(image.width * image.scale) / 2, (image.height * image.scale) / 2];
  const clamp = (value, limit) => Math.min(Math.max(value, -limit), limit);
  return { ...view, x: clamp(view.x, halfWidth), y: clamp(view.y, halfHeight) };
}

/** Tile numbers [x, y] of a level that cover the image in the view, nearest to its centre first. */
export function visibleTiles(image, view, size, level) {
  const side = TILE_PIXELS * levelScale(level);
  const span = (centre, pixels, imagePixels) => {
    // A strip narrower than a screen pixel gets no tile, because images often exceed 2^n tiles by that much.
    const half = (imagePixels * image.scale) / 2 - view.scale;
    const reach = (pixels * view.scale) / 2;
    return [Math.floor(Math.max(centre - reach, -half) / side), Math.ceil(Math.min(centre + reach, half) / side)];
  };
  const [x0, x1] = span(view.x, size.width, image.width);
  const [y0, y1] = span(view.y, size.height, image.height);
  const tiles = [];
  for (let y = y0; y < y1; y += 1) for (let x = x0; x < x1; x += 1) tiles.push([x, y]);
  const distance = ([x, y]) => Math.hypot((x + 0.5) * side - view.x, (y + 0.5) * side - view.y);
  return tiles.sort((a, b) => distance(a) - distance(b));
}

/** Place of a tile on the screen in whole pixels, so that neighbours leave no seam. */
export function tileBox(view, size, level, [x, y]) {
  const side = TILE_PIXELS * levelScale(level);
  const edge = (number, centre, pixels) => Math.round((number * side - centre) / view.scale + pixels / 2);
  const [left, top] = [edge(x, view.x, size.width), edge(y, view.y, size.height)];
  return { left, top, width: edge(x + 1, view.x, size.width) - left, height: edge(y + 1, view.y, size.height) - top };
}
