// Caches of what neighbouring frames share: the layers of instruments with a slow cadence, and the decoded windows of
// running differences, in which the image of one frame is the reference of the next.
import { LRUCache } from 'lru-cache';
import type { LayerPixels } from '../../../src/imaging/compose.ts';
import type { DecodedComponent } from '../../../src/imaging/jp2/decode.ts';
import type { Rect } from '../../../src/imaging/jp2/structure.ts';
import type { StageTimings } from '../../../src/ports/timing.ts';
import {
  type ImageObjects,
  ImageReader,
  type ImageReaderOptions,
  type OpenImage,
  type ReadTimings,
} from '../../../src/services/rendering/image-reader.ts';
import { LayerRenderer, type LayerRequest } from '../../../src/services/rendering/layer-renderer.ts';
import { SingleFlight } from '../../../src/util/single-flight.ts';

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

/** Caches decoded windows. Low-resolution planes are not cached, because almost every image is read for one window only. */
export class CachedImageReader extends ImageReader {
  readonly #cache: ResultCache<DecodedComponent>;

  constructor(objects: ImageObjects, options: ImageReaderOptions, maxBytes: number) {
    super(objects, { ...options, keepsBaseImages: false });
    this.#cache = new ResultCache(maxBytes, ({ samples }) => samples.byteLength);
  }

  override samples(open: OpenImage, reduce: number, window: Rect, timings: ReadTimings): Promise<DecodedComponent> {
    const { x0, y0, x1, y1 } = window;
    const key = `${open.image.id} ${reduce} ${x0} ${y0} ${x1} ${y1}`;
    return this.#cache.get(key, () => super.samples(open, reduce, window, timings));
  }
}

/** Caches drawn layers. */
export class CachedLayerRenderer extends LayerRenderer {
  readonly #cache: ResultCache<LayerPixels>;

  constructor(reader: ImageReader, maxBytes: number) {
    super(reader);
    this.#cache = new ResultCache(maxBytes, ({ samples, alpha }) => samples.length + (alpha?.length ?? 0));
  }

  override draw(request: LayerRequest, timings: StageTimings): Promise<LayerPixels> {
    const { image, reference, purpose, grid } = request;
    const place = `${grid.left} ${grid.top} ${grid.step} ${grid.width} ${grid.height}`;
    return this.#cache.get(`${image.id} ${reference?.id} ${purpose} ${place}`, () => super.draw(request, timings));
  }
}
