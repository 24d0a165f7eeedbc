// Tiles of archived images: read from the archive if stored there, otherwise rendered and stored.
import { SHARED_RENDER_WAIT_MS } from '../../config/limits/rendering.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import { levelScale, type TileAddress } from '../../domain/pixel-grid.ts';
import type { Difference } from '../../domain/recipe/difference.ts';
import type { ImageIndex } from '../../ports/images.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import { tileKey } from '../../storage/keys.ts';
import { SingleFlight } from '../../util/single-flight.ts';
import { asDamaged } from '../images/file-errors.ts';
import { imageById } from '../images/find-image.ts';
import { referenceImage } from '../images/reference-image.ts';
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
  readonly objects: ObjectStore;
  readonly tiles: TileRenderer;
}

/** Concurrent requests for a tile share one render. */
export class TileService {
  readonly #ports: Ports;
  readonly #renders = new SingleFlight<Uint8Array>(SHARED_RENDER_WAIT_MS);

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** @throws Failure `unknown-image`, `withdrawn`, `no-earlier-image`, `missing-file`, or `damaged-image` */
  async tile(request: TileRequest, call: RenderCall): Promise<Tile> {
    const { index, objects, tiles } = this.#ports;
    const { stopwatch } = call;
    const image = await imageById({ index, stopwatch }, request.id);
    const reference = await stopwatch.measure('index', () => referenceImage(index, image, request.difference));
    const key = tileKey(tiles.version, { ...request, image, reference });
    const stored = await stopwatch.measure('read', () => objects.readAll(key));
    return { image, reference, png: stored ?? (await this.#render(key, image, reference, request, call)) };
  }

  #render(
    key: string,
    image: ArchivedImage,
    reference: ArchivedImage | null,
    request: TileRequest,
    call: RenderCall,
  ): Promise<Uint8Array> {
    return this.#renders.run(key, async () => {
      const rendering = this.#ports.tiles.render(image, request, reference).catch(asDamaged);
      // Continues when its own client disconnects, because other requests may share it.
      call.waitUntil(rendering.catch(() => undefined));
      const { png, timings, isBlank } = await rendering;
      const { tiles } = this.#ports;
      if (tiles.afterwards) call.waitUntil(tiles.afterwards());
      call.stopwatch.add(timings);
      // Blank tiles and tiles between the zoom levels are not stored, because their number has no bound.
      if (!isBlank && levelScale(request.imageScale) !== null) call.waitUntil(this.#ports.objects.put(key, png, 'image/png'));
      return png;
    });
  }
}
