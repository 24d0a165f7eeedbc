// Which tiles a view needs and where they lie. Lengths are arcseconds from the centre of the image, x to the right, y down.

/** Width and height of a tile in its own pixels. */
const TILE_PIXELS = 512;
/** Arcseconds per pixel of level 0; every level has twice the one before. All clients use this ladder, so they share caches. */
const LEVEL_0_SCALE = 0.60511022;
/** How much coarser than the screen tiles may be before a finer level is taken. */
const COARSENESS = 1.25;
/** Screens finer than this get no finer tiles: four times the bytes for what few eyes see. */
const MOST_DEVICE_PIXELS = 2;
/** An image is enlarged up to this many screen pixels for each of its own. */
const MOST_ENLARGED = 8;
const MOST_REDUCED = 64;

/** Arcseconds per pixel of a level, with the six decimals that clients send. */
export const levelScale = (level) => Number((LEVEL_0_SCALE * 2 ** level).toFixed(6));

const levelBelow = (scale) => Math.floor(Math.log2(scale / LEVEL_0_SCALE));

/** The level for a view: as fine as the screen shows, not finer than the image is. */
export function levelFor(image, view, devicePixels) {
  const finest = levelBelow(image.scale * 1.1);
  return Math.max(finest, levelBelow((view.scale * COARSENESS) / Math.min(devicePixels, MOST_DEVICE_PIXELS)));
}

/** The view that has the whole image in it. */
export function wholeImage(image, size) {
  return { x: 0, y: 0, scale: image.scale * Math.max(image.width / size.width, image.height / size.height) };
}

/** The view by a factor nearer (above 1) or further, around a point of the screen counted from its centre. */
export function zoomed(image, view, factor, at = { x: 0, y: 0 }) {
  const wanted = view.scale / factor;
  const scale = Math.min(Math.max(wanted, image.scale / MOST_ENLARGED), image.scale * MOST_REDUCED);
  return within(image, { x: view.x + at.x * (view.scale - scale), y: view.y + at.y * (view.scale - scale), scale });
}

/** The view moved by pixels of the screen. */
export function moved(image, view, pixels) {
  return within(image, { ...view, x: view.x + pixels.x * view.scale, y: view.y + pixels.y * view.scale });
}

/** Keeps the centre of the view on the image. */
function within(image, view) {
  const [halfWidth, halfHeight] = [(image.width * image.scale) / 2, (image.height * image.scale) / 2];
  const clamp = (value, limit) => Math.min(Math.max(value, -limit), limit);
  return { ...view, x: clamp(view.x, halfWidth), y: clamp(view.y, halfHeight) };
}

/** Tile numbers [x, y] of a level that show something of the image in the view, those nearest to its centre first. */
export function visibleTiles(image, view, size, level) {
  const side = TILE_PIXELS * levelScale(level);
  const span = (centre, pixels, imagePixels) => {
    // What is narrower than a pixel of the screen is worth no tile: images are often that much larger than 2^n tiles.
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

/** Where a tile lies on the screen, in whole pixels so that neighbours leave no seam. */
export function tileBox(view, size, level, [x, y]) {
  const side = TILE_PIXELS * levelScale(level);
  const edge = (number, centre, pixels) => Math.round((number * side - centre) / view.scale + pixels / 2);
  const [left, top] = [edge(x, view.x, size.width), edge(y, view.y, size.height)];
  return { left, top, width: edge(x + 1, view.x, size.width) - left, height: edge(y + 1, view.y, size.height) - top };
}
