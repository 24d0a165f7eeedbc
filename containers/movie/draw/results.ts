// What neighbouring frames of a movie share: decoded windows and drawn layers.
import { LRUCache } from 'lru-cache';
import { LayerRenderer } from '../../../src/archive/drawing/layer-renderer.ts';
import { ImageReader, type OpenImage } from '../../../src/archive/reading/image-reader.ts';
import type { DecodedComponent } from '../../../src/jp2/decode.ts';
import type { Rect } from '../../../src/jp2/structure.ts';
import { pictureKey } from '../../../src/picture/picture.ts';
import type { LayerPixels } from '../../../src/picture/raster/compose.ts';
import type { Pace } from '../../../src/platform/ports/timing.ts';

/** Cache that shares pending results as well. Failures are not cached. Results are shared and must not be modified. */
const resultCache = <T extends object>(maxSize: number, bytesOf: (result: T) => number) =>
  new LRUCache<string, T, () => Promise<T>>({
    maxSize,
    sizeCalculation: (result) => Math.max(1, bytesOf(result)),
    fetchMethod: (_key, _stale, { context: compute }) => compute(),
    // A result that is pending is needed, also where its place has been taken.
    ignoreFetchAbort: true,
  });

export class CachedImageReader extends ImageReader {
  readonly #cache: ReturnType<typeof resultCache<DecodedComponent>>;

  constructor(ports: ConstructorParameters<typeof ImageReader>[0], maxBytes: number) {
    super(ports);
    this.#cache = resultCache(maxBytes, ({ samples }) => samples.byteLength);
  }

  override samples(open: OpenImage, reduce: number, window: Rect, pace?: Pace): Promise<DecodedComponent> {
    return this.#cache.forceFetch(pictureKey([open.image, reduce, window]), {
      context: () => super.samples(open, reduce, window, pace),
    });
  }
}

export class CachedLayerRenderer extends LayerRenderer {
  readonly #cache: ReturnType<typeof resultCache<LayerPixels>>;

  constructor(reader: ImageReader, maxBytes: number) {
    super(reader);
    this.#cache = resultCache(maxBytes, ({ samples, alpha }) => samples.length + (alpha?.length ?? 0));
  }

  override draw(...given: Parameters<LayerRenderer['draw']>): Promise<LayerPixels> {
    const [layer, grid, purpose, , view] = given;
    return this.#cache.forceFetch(pictureKey([layer, grid, purpose, view]), { context: () => super.draw(...given) });
  }
}
