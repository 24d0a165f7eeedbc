// What neighbouring frames of a movie share: decoded windows and drawn layers.
import { LRUCache } from 'lru-cache';
import { LayerRenderer } from '../../../src/archive/drawing/layer-renderer.ts';
import type { ImageObjects, ImageReaderOptions, OpenImage } from '../../../src/archive/reading/image-reader.ts';
import { ImageReader } from '../../../src/archive/reading/image-reader.ts';
import type { DecodedComponent } from '../../../src/jp2/decode.ts';
import type { Rect } from '../../../src/jp2/structure.ts';
import { pictureKey } from '../../../src/picture/picture.ts';
import type { LayerPixels } from '../../../src/picture/raster/compose.ts';
import type { Pace } from '../../../src/platform/ports/timing.ts';
import { SingleFlight } from '../../../src/platform/util/single-flight.ts';

/** Cache that shares pending results as well. Failures are not cached. Results are shared and must not be modified. */
class ResultCache<T extends object> {
  readonly #results: LRUCache<string, { readonly result: T }>;
  readonly #pending = new SingleFlight<T>(null);

  constructor(maxBytes: number, bytesOf: (result: T) => number) {
    this.#results = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ result }) => Math.max(1, bytesOf(result)) });
  }

  async get(key: string, compute: () => Promise<T>): Promise<T> {
    const known = this.#results.get(key)?.result;
    if (known) return known;
    return this.#pending.run(key, async () => {
      const result = await compute();
      this.#results.set(key, { result });
      return result;
    });
  }
}

export class CachedImageReader extends ImageReader {
  readonly #cache: ResultCache<DecodedComponent>;

  constructor(objects: ImageObjects, options: ImageReaderOptions, maxBytes: number) {
    super(objects, options);
    this.#cache = new ResultCache(maxBytes, ({ samples }) => samples.byteLength);
  }

  override samples(open: OpenImage, reduce: number, window: Rect, pace?: Pace): Promise<DecodedComponent> {
    return this.#cache.get(pictureKey([open.image, reduce, window]), () => super.samples(open, reduce, window, pace));
  }
}

export class CachedLayerRenderer extends LayerRenderer {
  readonly #cache: ResultCache<LayerPixels>;

  constructor(reader: ImageReader, maxBytes: number) {
    super(reader);
    this.#cache = new ResultCache(maxBytes, ({ samples, alpha }) => samples.length + (alpha?.length ?? 0));
  }

  override draw(...given: Parameters<LayerRenderer['draw']>): Promise<LayerPixels> {
    const [layer, grid, purpose, , view] = given;
    return this.#cache.get(pictureKey([layer, grid, purpose, view]), () => super.draw(...given));
  }
}
