// Chunks at full resolution. Neighbouring ones share the decoding of a block of them once a reader has begun to read an image as a whole.
import { CACHE_WORTH_MS, JOB_BYTES } from '../../config/limits/memory.ts';
import { MEASURING, PICTURE_COST, SHARED_RENDER_WAIT_MS, STRIP_SAMPLES } from '../../config/limits/rendering.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import type { ConfirmedLaw } from '../../domain/measurement/gate.ts';
import { columnsInDisc } from '../../domain/measurement/region.ts';
import type { ByteWindow } from '../../domain/measurement/value-window.ts';
import { TILE_SIZE } from '../../domain/pixel-grid.ts';
import type { Rect } from '../../imaging/jp2/structure.ts';
import type { RenderCall } from '../../ports/timing.ts';
import { boundedMap } from '../../util/bounded-map.ts';
import type { MemoryBudget, MemoryCache } from '../../util/memory-budget.ts';
import { SingleFlight } from '../../util/single-flight.ts';
import { copyRun, writtenTable } from '../measurement/block-values.ts';
import { windowBytes } from '../measurement/image-laws.ts';
import type { ImageReader } from '../rendering/image-reader.ts';
import type { RenderSlots } from '../rendering/render-slots.ts';

export interface ChunkPorts {
  readonly reader: Pick<ImageReader, 'open' | 'strips'>;
  readonly slots: RenderSlots;
  readonly memory: MemoryBudget;
}

/** A chunk by its row, from the bottom, and column. */
interface ChunkPlace {
  readonly row: number;
  readonly column: number;
}

const { chunksAlone, blockChunks, blocksKept, imagesCounted } = MEASURING.zarr;

/** The pixels of `side` x `side` chunks, of which this is the one at the lower left. */
function windowOf({ width, height }: ArchivedImage['geometry'], { row, column }: ChunkPlace, side: number): Rect {
  const [left, below, pixels] = [column * TILE_SIZE, row * TILE_SIZE, side * TILE_SIZE];
  return {
    x0: left,
    x1: Math.min(left + pixels, width),
    y0: Math.max(0, height - below - pixels),
    y1: height - below,
  };
}

/** The elements of a chunk, from the lower left corner; the fill value where the image or its data ends. */
function elementsOf(
  { samples, x0, y0, width }: ByteWindow,
  window: Rect,
  confirmed: ConfirmedLaw | null,
  imageHeight: number,
): Float32Array | Uint8Array {
  const isWhole = window.x1 - window.x0 === TILE_SIZE && window.y1 - window.y0 === TILE_SIZE;
  const disc = confirmed?.disc ?? null;
  const elements = confirmed ? new Float32Array(TILE_SIZE ** 2) : new Uint8Array(TILE_SIZE ** 2);
  if (confirmed && (disc || !isWhole)) elements.fill(Number.NaN);
  const table = writtenTable(confirmed);
  for (let y = window.y0; y < window.y1; y++) {
    const [from, to] = disc ? columnsInDisc(disc, imageHeight - y, window.x0, window.x1) : [window.x0, window.x1];
    const run = {
      from: (y - y0) * width + from - x0,
      start: (window.y1 - 1 - y) * TILE_SIZE + from - window.x0,
      length: to - from,
    };
    if (run.length > 0) copyRun(elements, samples, table, run);
  }
  return elements;
}

export class ChunkWindows {
  readonly #ports: ChunkPorts;
  /** By image and place of the block. */
  readonly #blocks: MemoryCache<string, ByteWindow>;
  readonly #decoding = new SingleFlight<ByteWindow>(SHARED_RENDER_WAIT_MS);
  /** Chunks that have been read of an image, by its hash. */
  readonly #read = boundedMap<{ chunks: number }>(imagesCounted);

  constructor(ports: ChunkPorts) {
    this.#ports = ports;
    this.#blocks = ports.memory.cache({ bytesOf: ({ samples }) => samples.length, worthMs: CACHE_WORTH_MS.chunkBlock });
  }

  /** The bytes of a chunk, or the values with a law. */
  async chunk(
    image: ArchivedImage,
    place: ChunkPlace,
    confirmed: ConfirmedLaw | null,
    call: RenderCall,
  ): Promise<Float32Array | Uint8Array> {
    const window = windowOf(image.geometry, place, 1);
    return elementsOf(await this.#around(image, place, call), window, confirmed, image.geometry.height);
  }

  /** Bytes with those of a chunk: of its block, or of it alone, because series of a small region read few chunks of each image. */
  async #around(image: ArchivedImage, place: ChunkPlace, call: RenderCall): Promise<ByteWindow> {
    const { sha256, geometry } = image;
    const first = (index: number) => index - (index % blockChunks);
    const corner = { row: first(place.row), column: first(place.column) };
    const key = `${sha256} ${corner.row} ${corner.column}`;
    const known = this.#blocks.get(key);
    if (known) return known;
    const read = this.#read.get(sha256) ?? { chunks: 0 };
    this.#read.set(sha256, { chunks: read.chunks + 1 });
    if (read.chunks < chunksAlone) return this.#decoded(image, windowOf(geometry, place, 1), call);
    return this.#decoding.run(key, async () => {
      const block = await this.#decoded(image, windowOf(geometry, corner, blockChunks), call);
      this.#blocks.set(key, block);
      while (this.#blocks.size > blocksKept) this.#blocks.evict();
      return block;
    });
  }

  async #decoded(image: ArchivedImage, window: Rect, call: RenderCall): Promise<ByteWindow> {
    const { reader, slots } = this.#ports;
    const pixels = (window.x1 - window.x0) * (window.y1 - window.y0);
    await call.turn(PICTURE_COST.tileMs * Math.ceil(pixels / TILE_SIZE ** 2));
    const { perLayerPixel, perDecodedPixel, tile } = JOB_BYTES;
    const bytes = (perLayerPixel + 1) * pixels + perDecodedPixel * Math.min(pixels, STRIP_SAMPLES) + tile;
    return slots.measure({ bytes }, call, async (pace) => windowBytes(reader, await reader.open(image, pace), window, pace));
  }
}
