// Renders a whole image as PNG, JPEG or WebP, strip by strip.
import type { DownloadSize } from '../../domain/download-size.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import { occulterRing } from '../../domain/occulter.ts';
import type { StageTimings } from '../../ports/timing.ts';
import { type ImageType, type LayerEncoder, layerEncoder } from './image-formats.ts';
import { type LayerRenderer, RENDER_VERSION, rowsPerStrip } from './layer-renderer.ts';
import type { RenderedFile } from './render-slots.ts';

export interface ImageFileRenderer {
  /** Changes with everything that affects pixels. */
  readonly version: number;
  /** The whole frame of the camera, not centred on the Sun. */
  render(image: ArchivedImage, size: DownloadSize, type: ImageType): Promise<RenderedFile>;
}

export class StripImageFileRenderer implements ImageFileRenderer {
  readonly version = RENDER_VERSION;
  readonly #layers: LayerRenderer;
  readonly #now: () => number;

  /** `now`: milliseconds, monotonic. */
  constructor(layers: LayerRenderer, now: () => number) {
    this.#layers = layers;
    this.#now = now;
  }

  /** @throws Jp2Error when the image cannot be decoded, Failure `missing-file` when its file does not exist */
  async render(image: ArchivedImage, size: DownloadSize, type: ImageType): Promise<RenderedFile> {
    const timings: StageTimings = {};
    const { width, height, step } = size;
    const isMasked = occulterRing(image.sourceId, image.geometry)?.masksDownloads ?? false;
    const rows = rowsPerStrip([{ left: 0, top: 0, ...size }], height);
    let encoder: LayerEncoder | undefined;
    let encodeMs = 0;
    for (let y0 = 0; y0 < height; y0 += rows) {
      const grid = { left: 0, top: y0 * step, step, width, height: Math.min(rows, height - y0) };
      const strip = await this.#layers.draw({ image, grid, reference: null, purpose: 'download' }, timings);
      const from = this.#now();
      encoder ??= layerEncoder(type, { width, height, palette: strip.palette, isMasked });
      await encoder.write(strip);
      encodeMs += this.#now() - from;
    }
    const from = this.#now();
    const bytes = (await encoder?.finish()) ?? new Uint8Array(0);
    return { bytes, timings: { ...timings, encode: encodeMs + this.#now() - from } };
  }
}
