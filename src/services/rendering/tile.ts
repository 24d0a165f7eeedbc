// Tiles of archived images. They are kept in the edge cache alone, because drawing one again costs less than storing it (docs/performance.md).
import { JOB_BYTES } from '../../config/limits/memory.ts';
import { SHARED_RENDER_WAIT_MS } from '../../config/limits/rendering.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import type { TileAddress } from '../../domain/pixel-grid.ts';
import type { Difference } from '../../domain/recipe/difference.ts';
import type { ImageIndex } from '../../ports/images.ts';
import type { MemoryBudget } from '../../util/memory-budget.ts';
import { SingleFlight } from '../../util/single-flight.ts';
import { asDamaged } from '../images/file-errors.ts';
import { imageById } from '../images/find-image.ts';
import { referenceImage } from '../images/reference-image.ts';
import { withMemory } from '../memory-room.ts';
import type { RenderCall } from './render-slots.ts';
import type { TileRenderer } from './tile-renderer.ts';

export interface TileRequest extends TileAddress {
  /** Image id. */
  readonly id: number;
  readonly difference: Difference;
}

export interface Tile {
  readonly image: ArchivedImage;
  /** Subtracted image of a difference; null for the image itself. */
  readonly reference: ArchivedImage | null;
  readonly png: Uint8Array;
}

interface Ports {
  readonly index: ImageIndex;
  readonly tiles: TileRenderer;
  readonly memory: MemoryBudget;
  /** Runs after the response to a rendered tile. */
  readonly afterRendering?: (() => Promise<void>) | undefined;
}

/** Concurrent requests for a tile share one render. */
export class TileService {
  readonly #ports: Ports;
  readonly #renders = new SingleFlight<Uint8Array>(SHARED_RENDER_WAIT_MS);

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** @throws Failure `unknown-image`, `withdrawn`, `no-earlier-image`, `missing-file`, `damaged-image`, or `busy` */
  async tile(request: TileRequest, call: RenderCall): Promise<Tile> {
    const { index } = this.#ports;
    const { stopwatch } = call;
    const image = await imageById({ index, stopwatch }, request.id);
    const reference = await stopwatch.measure('index', () => referenceImage(index, image, request.difference));
    return { image, reference, png: await this.#render(image, reference, request, call) };
  }

  #render(image: ArchivedImage, reference: ArchivedImage | null, request: TileRequest, call: RenderCall): Promise<Uint8Array> {
    const { imageScale, x, y } = request;
    return this.#renders.run([image.key, reference?.key, imageScale, x, y].join(' '), async () => {
      const { tiles, memory, afterRendering } = this.#ports;
      const render = () => tiles.render(image, request, reference);
      const rendering = withMemory(memory, JOB_BYTES.tile, render).catch(asDamaged);
      // Continues when its own client disconnects, because other requests may share it.
      call.waitUntil(rendering.catch(() => undefined));
      const { png, timings } = await rendering;
      if (afterRendering) call.waitUntil(afterRendering());
      call.stopwatch.add(timings);
      return png;
    });
  }
}
