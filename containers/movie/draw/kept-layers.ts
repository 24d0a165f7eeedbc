// What neighbouring frames share: a slow instrument stands still for many of them, and in a difference the image of one frame
// is what the next one takes off.
import { LRUCache } from 'lru-cache';
import type { LayerPixels } from '../../../src/imaging/compose.ts';
import type { DecodedComponent } from '../../../src/imaging/jp2/decode.ts';
import type { Rect } from '../../../src/imaging/jp2/structure.ts';
import type { StageTimings } from '../../../src/ports/timing.ts';
import {
  ImageReader,
  type ImageReaderPorts,
  type OpenImage,
  type ReadTimings,
} from '../../../src/services/rendering/image-reader.ts';
import { LayerRenderer, type LayerRequest } from '../../../src/services/rendering/layer-renderer.ts';

/** Results by key, including those under way; failures are not kept. What it gives is shared and must not be written to. */
class Kept<T extends object> {
  readonly #results: LRUCache<string, { readonly result: T }>;
  readonly #underWay = new Map<string, Promise<T>>();

  constructor(maxBytes: number, bytesOf: (result: T) => number) {
    this.#results = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ result }) => Math.max(1, bytesOf(result)) });
  }

  async get(key: string, make: () => Promise<T>): Promise<T> {
    const kept = this.#results.get(key)?.result ?? this.#underWay.get(key);
    if (kept) return kept;
    const making = make().finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, making);
    const result = await making;
    this.#results.set(key, { result });
    return result;
  }
}

/**
 * Reads images, and keeps the decoded windows of those that differences use. It keeps no low-resolution planes: almost every
 * image is read for one window.
 */
export class KeptWindows extends ImageReader {
  readonly #kept: Kept<DecodedComponent>;

  constructor(ports: ImageReaderPorts, maxBytes: number) {
    super(ports, 0);
    this.#kept = new Kept(maxBytes, ({ samples }) => samples.byteLength);
  }

  override samples(open: OpenImage, reduce: number, window: Rect, timings: ReadTimings): Promise<DecodedComponent> {
    const { x0, y0, x1, y1 } = window;
    const key = `${open.image.id} ${reduce} ${x0} ${y0} ${x1} ${y1}`;
    return this.#kept.get(key, () => super.samples(open, reduce, window, timings));
  }
}

/** Draws layers, and keeps them. */
export class KeptLayers extends LayerRenderer {
  readonly #kept: Kept<LayerPixels>;

  constructor(reader: ImageReader, now: () => number, maxBytes: number) {
    super(reader, now);
    this.#kept = new Kept(maxBytes, ({ samples, alpha }) => samples.length + (alpha?.length ?? 0));
  }

  override draw(request: LayerRequest, timings: StageTimings): Promise<LayerPixels> {
    const { image, reference, purpose, grid } = request;
    const place = `${grid.left} ${grid.top} ${grid.step} ${grid.width} ${grid.height}`;
    return this.#kept.get(`${image.id} ${reference?.id} ${purpose} ${place}`, () => super.draw(request, timings));
  }
}
