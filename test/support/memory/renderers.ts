// Renderers that print their arguments.

import type { FileFormat, ImageType } from '../../../src/archive/drawing/formats/formats.ts';
import type { FrameMarkers, FramePlan, FrameRenderer } from '../../../src/archive/drawing/frame-renderer.ts';
import type { DownloadSize, ImageFileRenderer } from '../../../src/archive/drawing/image-downloads.ts';
import type { MovingFrameRenderer } from '../../../src/archive/drawing/moving-frames.ts';
import type { TileRenderer } from '../../../src/archive/drawing/tile.ts';
import type { PixelGrid } from '../../../src/picture/grids/pixel-grid.ts';
import type { PictureOfPart } from '../../../src/picture/image-part.ts';
import type { ImageLayer } from '../../../src/picture/layers.ts';
import { recipeString } from '../../../src/picture/recipe.ts';
import type { Stopwatch } from '../../../src/platform/ports/timing.ts';
import type { ArchivedImage } from '../../../src/sun/image.ts';

type DrawnTile = Parameters<TileRenderer['render']>[1];

/** Prints its arguments instead of a PNG, and counts calls. */
export class MemoryTileRenderer implements Pick<TileRenderer, 'render' | 'isReady'> {
  drawn = 0;
  readonly isReady = () => true as const;

  async render({ image, reference, ...operations }: ImageLayer<ArchivedImage>, tile: DrawnTile, stopwatch?: Stopwatch) {
    this.drawn += 1;
    await stopwatch?.measure('decode', () => new Promise((resolve) => setTimeout(resolve, 5)));
    stopwatch?.measure('encode', () => undefined);
    const compared = reference ? ` ${operations.difference?.kind === 'ratio' ? 'over' : 'minus'} ${reference.id}` : '';
    const filtered = operations.filter ? ` ${operations.filter.name}` : '';
    return new TextEncoder().encode(`PNG ${image.id}${compared}${filtered} ${tile.x} ${tile.y} ${tile.imageScale}`);
  }
}

/** Prints its arguments instead of a JPEG, and counts calls. */
export class MemoryFrameRenderer implements Pick<MovingFrameRenderer, 'prepare' | 'render' | 'tables'> {
  drawn = 0;
  readonly prepare = async () => undefined;
  readonly tables = async (images: readonly ArchivedImage[]) => ({
    file: new TextEncoder().encode(`TABLES ${images.map(({ id }) => id)}`),
    areSketches: false,
  });

  async render({ image: { id } }: ImageLayer<ArchivedImage>, { left, top, step, width, height }: PixelGrid) {
    this.drawn += 1;
    await new Promise((resolve) => setTimeout(resolve, 5));
    return new TextEncoder().encode(`JPEG ${id} ${left.toFixed(2)} ${top.toFixed(2)} ${step.toFixed(4)} ${width}x${height}`);
  }
}

/** Prints its arguments instead of a PNG, and counts calls. */
export class MemoryPictureRenderer implements Pick<FrameRenderer, 'file'> {
  drawn = 0;

  async file({ recipe, layers }: FramePlan, markers: FrameMarkers, { type, quality }: FileFormat, stopwatch?: Stopwatch) {
    this.drawn += 1;
    const images = layers.map(({ image, reference }) => (reference ? `${image.id}-${reference.id}` : image.id));
    for (const stage of ['decode', 'encode'] as const) stopwatch?.measure(stage, () => undefined);
    return new TextEncoder().encode(
      `${type.toUpperCase()}${quality ?? ''} ${images} ${recipeString(recipe)} ${JSON.stringify(markers)}`,
    );
  }
}

/** Prints its arguments instead of a file, and counts calls. */
export class MemoryImageFileRenderer implements Pick<ImageFileRenderer, 'render' | 'cut'> {
  drawn = 0;

  async render({ image: { id } }: ImageLayer<ArchivedImage>, { width, height }: DownloadSize, { type, quality }: FileFormat) {
    this.drawn += 1;
    return new TextEncoder().encode(`${type}${quality ?? ''} ${id} ${width}x${height}`);
  }

  async cut(
    { id }: ArchivedImage,
    { region: { left, top, width, height }, size, orientation, quality }: PictureOfPart,
    type: ImageType,
  ) {
    this.drawn += 1;
    const turned = `${orientation.isMirrored ? 'mirrored ' : ''}${90 * orientation.quarterTurns}`;
    const text = `${type} ${id} ${left},${top},${width},${height} ${size.width}x${size.height} ${turned} ${quality}`;
    return new TextEncoder().encode(text);
  }
}

export const memoryRenderers = () => ({
  tiles: new MemoryTileRenderer(),
  movingFrames: new MemoryFrameRenderer(),
  imageFiles: new MemoryImageFileRenderer(),
  pictures: new MemoryPictureRenderer(),
  afterRendering: async () => undefined,
});
