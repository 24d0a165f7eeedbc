// Where the pixels of a picture lie in the image of a layer. Pictures are anchored at the Sun's centre, so that layers of
// different instruments line up; tiles at the image centre.
import type { ImageGeometry } from './image.ts';
import type { FieldOfView, Region } from './recipe/region.ts';
import { sunCentre } from './sun-centre.ts';
import { type PixelGrid, TILE_SIZE, tileGrid } from './tile-grid.ts';

type SunInImage = Pick<ImageGeometry, 'width' | 'height' | 'scaleArcsecPerPixel' | 'refPixelX' | 'refPixelY'>;

/** The output pixels of a field of view over an image. Much or all of it may lie outside of the image. */
export function compositionGrid(image: SunInImage, field: FieldOfView): PixelGrid {
  const sun = sunCentre(image);
  const scale = image.scaleArcsecPerPixel;
  return {
    left: sun.x + field.region.left / scale,
    top: sun.y + field.region.top / scale,
    step: field.imageScaleArcsecPerPixel / scale,
    width: field.width,
    height: field.height,
  };
}

/** The region that a tile of an image shows: at the tile's scale its grid is that of the tile, but for rounding errors. */
export function tileRegion(image: SunInImage, tile: { x: number; y: number; imageScale: number }): Region {
  const sun = sunCentre(image);
  const { left, top } = tileGrid(image, tile);
  const x = (left - sun.x) * image.scaleArcsecPerPixel;
  const y = (top - sun.y) * image.scaleArcsecPerPixel;
  const side = TILE_SIZE * tile.imageScale;
  return { left: x, top: y, right: x + side, bottom: y + side };
}
