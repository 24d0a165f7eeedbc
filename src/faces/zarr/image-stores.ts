// Virtual Zarr stores of the images of a range of time. Nothing of them is stored: a chunk is a window of an image, decoded when it is
// requested.
//
// The number of an image in a store depends on all images before it. A revision, the hash of the list of images, is therefore part of the
// path of every array: a chunk is that of the image whose time the same revision states, or it is gone.
import { imageById } from '../../archive/find-image.ts';
import type { ImageIndex } from '../../archive/image-index/d1-image-index.ts';
import { jp2Header } from '../../archive/jp2-header.ts';
import type { ImageReader } from '../../archive/reading/image-reader.ts';
import type { Rect } from '../../jp2/structure.ts';
import { blockMeans, blockValues, wholeBlocks } from '../../measure/image-arrays.ts';
import { countingBytes, type ImageLaws, windowBytes } from '../../measure/image-laws.ts';
import type { ImageSeries, SeriesRequest } from '../../measure/image-series.ts';
import { TILE_SIZE } from '../../picture/grids/pixel-grid.ts';
import type { RenderCall } from '../../platform/admission/admission.ts';
import { KNOWN_IMAGES } from '../../platform/limits/images.ts';
import { CACHE_WORTH_MS, JOB_BYTES } from '../../platform/limits/memory.ts';
import { MEASURING, PICTURE_COST, SHARED_RENDER_WAIT_MS, STRIP_SAMPLES } from '../../platform/limits/rendering.ts';
import type { Clock } from '../../platform/ports/timing.ts';
import type { ObjectStore } from '../../platform/storage/r2-object-store.ts';
import { sha256Hex } from '../../platform/util/bytes.ts';
import { inOrder } from '../../platform/util/concurrency.ts';
import { Failure, when } from '../../platform/util/errors.ts';
import { boundedMap, type MemoryBudget } from '../../platform/util/memory-budget.ts';
import { Service } from '../../platform/util/service.ts';
import { SingleFlight } from '../../platform/util/single-flight.ts';
import type { ArchivedImage, Size } from '../../sun/image.ts';
import { type ByteWindow, type ConfirmedLaw, LAWS_VERSION } from '../../sun/laws/gate.ts';
import { formatDateTime } from '../../sun/time.ts';
import { wcsOf } from '../../sun/wcs.ts';
import { type ChunkKey, REVISION_DIGITS } from './documents.ts';
import { arraysOf, type ImageStore, levelsOf, type StoredImage, varyingWcs, WCS_CHUNK, wcsAtLevel } from './store-tree.ts';

interface Ports {
  readonly reader: Pick<ImageReader, 'open' | 'strips'>;
  readonly memory: MemoryBudget;
  readonly index: ImageIndex;
  readonly objects: Pick<ObjectStore, 'read'>;
  readonly series: Pick<ImageSeries, 'slots'>;
  readonly laws: Pick<ImageLaws, 'of'>;
  readonly clock: Clock;
}

/** Changes with the groups, arrays and chunks of a store, so that those of an older form are not mixed with new ones. */
const STORE_VERSION = 1;

/** Bytes of a remembered store, and of each of its images. */
const STORE_BYTES = 4000;
const IMAGE_BYTES = 250;

const bytesOf = (array: Float32Array | Float64Array | BigInt64Array | Uint8Array): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

/** Rows of a window in the lower left corner of a chunk, whose other elements have the fill value. */
function padded<T extends Float32Array | Uint8Array>(rows: T, width: number): T {
  if (rows.length === TILE_SIZE ** 2) return rows;
  const chunk = rows instanceof Float32Array ? new Float32Array(TILE_SIZE ** 2).fill(Number.NaN) : new Uint8Array(TILE_SIZE ** 2);
  for (let y = 0; y * width < rows.length; y++) chunk.set(rows.subarray(y * width, (y + 1) * width), y * TILE_SIZE);
  return chunk as T;
}

function changed(): Failure {
  const sentence =
    'The images of this range have changed since the store was opened. Open it again at its address without the revision.';
  return new Failure('withdrawn', sentence, { parameter: 'key' });
}

export class ImageStores extends Service<Ports> {
  /** Stores by address and revision. */
  readonly #known = this.ports.memory.cache<string, { readonly store: ImageStore; readonly readAtMs: number }>({
    bytesOf: ({ store }) => STORE_BYTES + IMAGE_BYTES * store.images.length,
    worthMs: CACHE_WORTH_MS.store,
  });
  readonly #chunks = new ChunkWindows(this.ports);

  /** The store of an address as its images are now. @throws Failure as `ImageSeries.slots` and `ImageLaws.of`, `bad-parameter` for several sizes */
  async current(request: SeriesRequest, call: RenderCall): Promise<ImageStore> {
    const readAtMs = this.ports.clock();
    const slots = await this.ports.series.slots(request, call);
    const images = slots.flatMap(({ image }) => image ?? []);
    const first = images[0]!;
    const { width, height } = first.geometry;
    const other = images.find(({ geometry }) => geometry.width !== width || geometry.height !== height);
    if (other) throw severalSizes(first, other);
    const header = await jp2Header({ objects: this.ports.objects, stopwatch: call.stopwatch }, first);
    const stored = images.map(({ id, sha256, takenAtMs }): StoredImage => ({ id, sha256, takenAtMs }));
    const listed = [STORE_VERSION, LAWS_VERSION, ...stored.map(({ sha256, takenAtMs }) => `${takenAtMs} ${sha256}`)].join('\n');
    const revision = (await sha256Hex(listed)).slice(0, REVISION_DIGITS);
    const { sourceId } = request;
    const law = await this.#lawOf(images, call);
    const store = { revision, sourceId, images: stored, width, height, wcs: wcsOf(header.fits, sourceId), ...law };
    this.#known.set(storeKey(request, revision), { store, readAtMs });
    return store;
  }

  /** The store of an address at a revision. @param freshMs Age of a remembered list @throws Failure `withdrawn` when images have changed */
  async pinned(request: SeriesRequest, revision: string, call: RenderCall, freshMs: number = KNOWN_IMAGES.freshMs) {
    const known = this.#known.get(storeKey(request, revision));
    if (known && this.ports.clock() - known.readAtMs < freshMs) return known.store;
    const store = await this.current(request, call);
    if (store.revision !== revision) throw changed();
    return store;
  }

  /** A chunk, of full size at the edges. @throws Failure `unknown-path` for none, `no-data` for an image without values, or as `pinned` */
  async chunk(request: SeriesRequest, { revision, level, array, chunk: indices }: ChunkKey, call: RenderCall) {
    // A single image is looked up by itself, so that its chunks outlive changes of others.
    const isOfImage = array === 'bytes' || array === 'values';
    const store = await this.pinned(request, revision, call, isOfImage ? Number.POSITIVE_INFINITY : undefined);
    const shape = level < levelsOf(store) ? arraysOf(store, level)[array] : undefined;
    const isInside = shape && indices.every((index, axis) => index * shape.chunks[axis]! < shape.shape[axis]!);
    const absent = 'The store has no such array or chunk. Its zarr.json and .zmetadata list the arrays and their shapes.';
    if (!isInside) throw new Failure('unknown-path', absent);
    const [item, row = 0, column = 0] = indices as [number, number?, number?];
    if (array === 'time' || array === 'id') {
      const of = ({ takenAtMs, id }: StoredImage) => BigInt(array === 'id' ? id : Math.round(takenAtMs));
      return { bytes: bytesOf(BigInt64Array.from(store.images, of)), image: null };
    }
    if (array === 'wcs') return { bytes: bytesOf(await this.#coordinates(store, level, item, call)), image: null };
    const image = await this.#imageOf(store.images[item]!, call);
    return { bytes: await this.#window(store, image, { level, array, row, column }, call), image };
  }

  /** The law of the first image that has one. */
  async #lawOf(images: readonly ArchivedImage[], call: RenderCall): Promise<Pick<ImageStore, 'confirmed' | 'refusal'>> {
    let refusal: string | null = null;
    for (const image of images.slice(0, MEASURING.seriesWithoutValues)) {
      const { verdict } = await this.ports.laws.of(image, call);
      if ('confirmed' in verdict) return { confirmed: verdict.confirmed, refusal: null };
      refusal ??= verdict.refusal.sentence;
    }
    return { confirmed: null, refusal };
  }

  /** An image of a store. @throws Failure `withdrawn` when it is no longer in the archive, also by a loss of the index */
  async #imageOf({ id, sha256 }: StoredImage, { stopwatch }: RenderCall): Promise<ArchivedImage> {
    const found = imageById({ index: this.ports.index, stopwatch }, id);
    const image = await found.catch(when(Failure, ({ kind }) => (kind === 'unknown-id' ? null : undefined)));
    if (image?.sha256 !== sha256) throw changed();
    return image;
  }

  async #window(
    store: ImageStore,
    image: ArchivedImage,
    { level, array, row, column }: { level: number; array: 'bytes' | 'values'; row: number; column: number },
    call: RenderCall,
  ): Promise<Uint8Array> {
    const { laws, reader } = this.ports;
    const verdict = array === 'values' ? (await laws.of(image, call)).verdict : null;
    if (verdict && 'refusal' in verdict) throw noValues(image, verdict.refusal.sentence);
    const confirmed = verdict?.confirmed ?? null;
    const unit = store.confirmed?.law.unit;
    if (confirmed && confirmed.law.unit !== unit)
      throw noValues(image, `Its unit is ${confirmed.law.unit}, that of the store ${unit}.`);
    // A chunk is a tile, which the limit of requests bounds.
    if (level === 0) return bytesOf(await this.#chunks.chunk(image, { row, column }, confirmed, call));
    const grid = wholeBlocks(store, level);
    const window = windowOf({ width: grid.columns, height: grid.rows }, { row, column }, 1);
    const pixels = (window.x1 - window.x0) * (window.y1 - window.y0) * grid.factor ** 2;
    const bytes = countingBytes(pixels) + 2 * TILE_SIZE ** 2 * Float32Array.BYTES_PER_ELEMENT;
    await call.admission.admit('regions', pixels);
    const work = { blocks: { ...grid, window, shape: null }, confirmed, counter: null };
    const values = await call.admission.hold(bytes, (pace) => blockValues(reader, image, work, pace));
    return bytesOf(padded(values, window.x1 - window.x0));
  }

  /** The coordinates of the images of a chunk at a level; not numbers where the types or units of their axes are others than those of the first. */
  async #coordinates(store: ImageStore, level: number, item: number, call: RenderCall): Promise<Float64Array> {
    const { objects } = this.ports;
    await call.admission.admit('regions', 1);
    const first = store.wcs!;
    const kind = ({ ctype, cunit }: typeof first) => [...ctype, ...cunit].join();
    const keywords = Object.keys(varyingWcs(first));
    const chunk = new Float64Array(WCS_CHUNK * keywords.length).fill(Number.NaN);
    const images = store.images.slice(item * WCS_CHUNK, (item + 1) * WCS_CHUNK);
    const read = async (stored: StoredImage) => {
      const image = await this.#imageOf(stored, call);
      const wcs = wcsOf((await jp2Header({ objects, stopwatch: call.stopwatch }, image)).fits, image.sourceId);
      return wcs && kind(wcs) === kind(first) ? varyingWcs(wcsAtLevel(wcs, store, level)) : null;
    };
    let at = 0;
    for await (const numbers of inOrder(images, MEASURING.seriesAhead, read)) {
      if (numbers) chunk.set(Object.values(numbers), at);
      at += keywords.length;
    }
    return chunk;
  }
}

const storeKey = ({ sourceId, startMs, endMs, cadenceSeconds }: SeriesRequest, revision: string): string =>
  [sourceId, startMs, endMs, cadenceSeconds, revision].join(' ');

/** The failure of a chunk of values of an image without them, which readers take for one of NaN. */
function noValues({ id }: ArchivedImage, why: string): Failure {
  return new Failure('no-data', `Image ${id} has no values in this store, so that this chunk is NaN. ${why}`, {
    parameter: 'key',
  });
}

function severalSizes(first: ArchivedImage, other: ArchivedImage): Failure {
  const size = ({ geometry: { width, height } }: ArchivedImage) => `${width} x ${height}`;
  const sentence =
    `The images of the range differ in size: the first has ${size(first)} pixels, that of ${formatDateTime(other.takenAtMs)} ` +
    `${size(other)}. Choose a range or a cadence whose images have one size.`;
  return new Failure('bad-parameter', sentence, { parameter: 'endTime' });
}

/** A chunk by its row, from the bottom, and column. */
interface ChunkPlace {
  readonly row: number;
  readonly column: number;
}

const { chunksAlone, blockChunks, blocksKept, imagesCounted } = MEASURING.zarr;

/** The pixels of `side` x `side` chunks, of which this is the one at the lower left. */
function windowOf({ width, height }: Size, { row, column }: ChunkPlace, side: number): Rect {
  const [left, below, pixels] = [column * TILE_SIZE, row * TILE_SIZE, side * TILE_SIZE];
  return {
    x0: left,
    x1: Math.min(left + pixels, width),
    y0: Math.max(0, height - below - pixels),
    y1: height - below,
  };
}

export class ChunkWindows extends Service<Pick<Ports, 'reader' | 'memory'>> {
  /** Blocks by their image and place. */
  readonly #blocks = this.ports.memory.cache<string, ByteWindow>({
    bytesOf: ({ samples }) => samples.length,
    worthMs: CACHE_WORTH_MS.chunkBlock,
  });
  readonly #decoding = new SingleFlight<ByteWindow>(SHARED_RENDER_WAIT_MS);
  /** Chunks that have been read of an image, by its hash. */
  readonly #read = boundedMap<{ chunks: number }>(imagesCounted);

  /** The bytes of a chunk, or the values with a law. */
  async chunk(image: ArchivedImage, place: ChunkPlace, confirmed: ConfirmedLaw | null, call: RenderCall) {
    const window = windowOf(image.geometry, place, 1);
    const blocks = blockMeans(image.geometry, {
      blocks: { ...wholeBlocks(image.geometry, 0), window, shape: null },
      confirmed,
    });
    blocks.add(await this.#around(image, place, call));
    return padded(blocks.values, window.x1 - window.x0);
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
    const { reader } = this.ports;
    const pixels = (window.x1 - window.x0) * (window.y1 - window.y0);
    await call.admission.step(PICTURE_COST.tileMs * Math.ceil(pixels / TILE_SIZE ** 2));
    const { perLayerPixel, perDecodedPixel, tile } = JOB_BYTES;
    const bytes = (perLayerPixel + 1) * pixels + perDecodedPixel * Math.min(pixels, STRIP_SAMPLES) + tile;
    return call.admission.hold(bytes, async (pace) => windowBytes(reader, await reader.open(image, pace), window, pace));
  }
}
