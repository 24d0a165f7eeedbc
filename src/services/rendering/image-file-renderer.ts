// Renders a whole image as PNG, JPEG or WebP, strip by strip.
import type { DownloadSize } from '../../domain/download-size.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import { occulterRing } from '../../domain/occulter.ts';
import type { StageTimings } from '../../ports/timing.ts';
import { type ImageType, type LayerEncoder, layerEncoder } from './image-formats.ts';
import { type LayerRenderer, RENDER_VERSION, rowsPerStrip } from './layer-renderer.ts';
import type { RenderedFile } from './render-slots.ts';
import { timed } from './timed.ts';

export interface ImageFileRenderer {
  /** Changes with everything that affects pixels. */
  readonly version: number;
  /**
   * Renders the whole frame of the camera, not centred on the Sun.
   * @throws Jp2Error when the image cannot be decoded, Failure `missing-file` when its file does not exist
   */
  render(image: ArchivedImage, size: DownloadSize, type: ImageType): Promise<RenderedFile>;
}

export function imageFileRenderer(layers: LayerRenderer): ImageFileRenderer {
  return {
    version: RENDER_VERSION,
    async render(image, size, type) {
      const timings: StageTimings = {};
      const { width, height, step } = size;
      const isMasked = occulterRing(image.sourceId, image.geometry)?.masksDownloads ?? false;
      const rows = rowsPerStrip([{ left: 0, top: 0, ...size }], height);
      let encoder: LayerEncoder | undefined;
      for (let y0 = 0; y0 < height; y0 += rows) {
        const grid = { left: 0, top: y0 * step, step, width, height: Math.min(rows, height - y0) };
        const strip = await layers.draw({ image, grid, reference: null, purpose: 'download' }, timings);
        encoder ??= layerEncoder(type, { width, height, palette: strip.palette, isMasked });
        await timed(timings, 'encode', () => encoder!.write(strip));
      }
      const bytes = await timed(timings, 'encode', () => encoder!.finish());
      return { bytes, timings };
    },
  };
}
