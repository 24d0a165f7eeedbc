// A tile of an archived image: the copy in the archive when there is one, else drawn and kept there.
import { SHARED_RENDER_WAIT_MS } from '../config.ts';
import { Failure } from '../domain/errors.ts';
import type { ArchivedImage } from '../domain/image.ts';
import { Jp2Error } from '../imaging/jp2/errors.ts';
import type { ImageIndex, ObjectStore, StageTimings, Stopwatch, TileRenderer } from '../ports.ts';
import { tileKey } from '../storage/keys.ts';
import { imageById } from './image-by-id.ts';

export interface TileRequest {
  readonly id: number;
  /** Tile numbers from the image centre, y downward. */
  readonly x: number;
  readonly y: number;
  /** Arcseconds per pixel. */
  readonly imageScale: number;
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

type Rendering = Promise<{ png: Uint8Array; timings: StageTimings }>;

/** Broken bytes, or an object shorter than its index says: a file damaged after its ingest. */
function asDamaged(error: unknown): never {
  const isDamage = error instanceof Jp2Error || error instanceof RangeError;
  if (isDamage) throw new Failure('damaged-image', 'This image cannot be decoded.', { cause: error });
  throw error;
}

const LATE = Symbol('late');

/** What comes of `work`, or LATE when nothing does in time. */
function within<T>(work: Promise<T>, ms: number): Promise<T | typeof LATE> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(LATE), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Tiles of archived images. Requests for one tile at the same time share one drawing. */
export class TileService {
  readonly #ports: Ports;
  readonly #underWay = new Map<string, Rendering>();

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** @throws Failure `unknown-image`, or `damaged-image` when it cannot be decoded */
  async tile(request: TileRequest, call: TileCall): Promise<Tile> {
    const { index, objects, tiles } = this.#ports;
    const key = tileKey(tiles.version, request.id, request);
    const [image, copy] = await Promise.all([
      imageById({ index, stopwatch: call.stopwatch }, request.id),
      call.stopwatch.measure('read', () => objects.readAll(key)),
    ]);
    return { image, png: copy ?? (await this.#draw(key, image, request, call)) };
  }

  /**
   * A drawing under way belongs to another request, and the platform may end that one first: its drawing then neither
   * fails nor finishes. So the wait has a deadline, after which the tile is drawn once more.
   */
  async #draw(key: string, image: ArchivedImage, request: TileRequest, call: TileCall): Promise<Uint8Array> {
    const shared = this.#underWay.get(key);
    const result = shared === undefined ? LATE : await within(shared, SHARED_RENDER_WAIT_MS);
    if (result !== LATE) return result.png;
    const rendering = this.#ports.tiles.render(image, request).catch(asDamaged);
    this.#underWay.set(key, rendering);
    // Goes on when its own client hangs up, for the others that wait.
    call.waitUntil(rendering.catch(() => undefined));
    try {
      const { png, timings } = await rendering;
      call.stopwatch.add(timings);
      call.waitUntil(this.#ports.objects.put(key, png, 'image/png'));
      return png;
    } finally {
      if (this.#underWay.get(key) === rendering) this.#underWay.delete(key);
    }
  }
}
