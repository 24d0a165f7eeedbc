// A tile of an archived image: the copy in the archive when there is one, else drawn and kept there.
import { SHARED_RENDER_WAIT_MS } from '../../config/limits/rendering.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import type { Difference } from '../../domain/recipe/difference.ts';
import type { ImageIndex } from '../../ports/images.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import type { Stopwatch } from '../../ports/timing.ts';
import { tileKey } from '../../storage/keys.ts';
import { SingleFlight } from '../../util/single-flight.ts';
import { asDamaged } from '../images/file-errors.ts';
import { imageById } from '../images/find-image.ts';
import { referenceImage } from '../images/reference-image.ts';
import type { TileRenderer } from './tile-renderer.ts';

export interface TileRequest {
  readonly id: number;
  /** Tile numbers from the image centre, y downward. */
  readonly x: number;
  readonly y: number;
  /** Arcseconds per pixel. */
  readonly imageScale: number;
  readonly difference: Difference;
}

export interface Tile {
  readonly image: ArchivedImage;
  readonly png: Uint8Array;
}

export interface TileCall {
  readonly stopwatch: Stopwatch;
  readonly waitUntil: (work: Promise<unknown>) => void;
}

interface Ports {
  readonly index: ImageIndex;
  readonly objects: ObjectStore;
  readonly tiles: TileRenderer;
}

/** Tiles of archived images. Requests for one tile at the same time share one drawing. */
export class TileService {
  readonly #ports: Ports;
  readonly #drawing = new SingleFlight<Uint8Array>(SHARED_RENDER_WAIT_MS);

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** @throws Failure `unknown-image`, `no-earlier-image`, or `damaged-image` when it cannot be decoded */
  async tile(request: TileRequest, call: TileCall): Promise<Tile> {
    const { index, objects, tiles } = this.#ports;
    const { stopwatch } = call;
    const keyOf = (referenceId: number | null) => tileKey(tiles.version, { ...request, imageId: request.id, referenceId });
    const copyOf = (key: string) => stopwatch.measure('read', () => objects.readAll(key));
    const opened = imageById({ index, stopwatch }, request.id);
    if (request.difference.kind === 'none') {
      const [image, copy] = await Promise.all([opened, copyOf(keyOf(null))]);
      return { image, png: copy ?? (await this.#draw(keyOf(null), image, null, request, call)) };
    }
    const image = await opened;
    const reference = await stopwatch.measure('index', () => referenceImage(index, image, request.difference));
    const key = keyOf(reference?.id ?? null);
    return { image, png: (await copyOf(key)) ?? (await this.#draw(key, image, reference, request, call)) };
  }

  #draw(
    key: string,
    image: ArchivedImage,
    reference: ArchivedImage | null,
    request: TileRequest,
    call: TileCall,
  ): Promise<Uint8Array> {
    return this.#drawing.run(key, async () => {
      const rendering = this.#ports.tiles.render(image, request, reference).catch(asDamaged);
      // Continues when its own client disconnects, because other requests may share it.
      call.waitUntil(rendering.catch(() => undefined));
      const { png, timings, isBlank } = await rendering;
      call.stopwatch.add(timings);
      // Blank tiles are not stored, because their number has no bound.
      if (!isBlank) call.waitUntil(this.#ports.objects.put(key, png, 'image/png'));
      return png;
    });
  }
}
