// Files of maps of the whole Sun. Those of midnights of past days are stored, under a name that has all that they are made of.
import { layerEncoder } from '../../archive/drawing/formats/format.ts';
import { encoderBytes, type FileFormat, FORMATS } from '../../archive/drawing/formats/formats.ts';
import { mapKey } from '../../archive/keys.ts';
import { paletteOf } from '../../picture/colour/palette.ts';
import { type ArrayFormat, type ArrayProduct, arrayFile, arrayFileBytes, type FitsCard } from '../../picture/encode/fits.ts';
import { TILE_SIZE } from '../../picture/grids/pixel-grid.ts';
import { layersTitle } from '../../picture/layers.ts';
import { pictureHash } from '../../picture/picture.ts';
import type { RenderCall } from '../../platform/admission/admission.ts';
import { MEDIA_TYPES } from '../../platform/http/response.ts';
import { MAPS } from '../../platform/limits/maps.ts';
import { JOB_BYTES } from '../../platform/limits/memory.ts';
import type { Clock } from '../../platform/ports/timing.ts';
import { writeExactly } from '../../platform/storage/fixed-length.ts';
import type { ObjectStore, StoredObject } from '../../platform/storage/r2-object-store.ts';
import { DAY_MS } from '../../platform/util/durations.ts';
import { Service } from '../../platform/util/service.ts';
import { SingleFlight } from '../../platform/util/single-flight.ts';
import { earthAt } from '../../sun/coordinates/observer.ts';
import { ASTRONOMICAL_UNIT_M, SOLAR_RADIUS_M } from '../../sun/geometry.ts';
import { carringtonRotation, type MapGrid, type MapMethod, wcsOfMap } from '../../sun/maps/map-grid.ts';
import type { MapPart, SurfaceStrip } from '../../sun/maps/surface-strip.ts';
import { provenanceText } from '../../sun/provenance.ts';
import { formatExact } from '../../sun/time.ts';
import { lawText, wcsCards } from '../products.ts';
import { ROTATION } from '../regions.ts';
import { type MapRequest, type PlannedMap, type SolarMaps, stripBytes } from './solar-maps.ts';

/** Changes with everything that decides the values of a map. */
export const MAP_VERSION = 2;

export const MAP_FORMATS = ['png', 'webp', 'fits', 'npy'] as const;
type MapFormat = (typeof MAP_FORMATS)[number];
type PictureFormat = Extract<MapFormat, 'png' | 'webp'>;

const isPicture = (format: MapFormat): format is PictureFormat => format === 'png' || format === 'webp';

/** `isWhole`: whether all images have been read. */
interface Drawn {
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
}

/** A file in memory, in the store, or while it is made, when its images are still to be read; and its images, from the newest. */
type MapFile = { readonly images: Awaited<ReturnType<SolarMaps['images']>>; readonly isWhole: boolean } & (
  | { readonly bytes: Uint8Array }
  | { readonly key: string; readonly stored: StoredObject }
  | { readonly flow: () => AsyncGenerator<Uint8Array> }
);

const METHODS: Readonly<Record<MapMethod, string>> = {
  weighted:
    'Mean of the images with weights mu^2 exp(-age^2 / (2 day^2)), mu the cosine of the angle to the vertical; older images that add less than a thousandth of the weight are left out.',
  latest: 'Each place is from the newest image that sees it, of several of one time from the one that sees it best.',
  synoptic: 'Each place is from the image in which it was nearest to the central meridian.',
};

function historyOf({ request, images, leftOut }: PlannedMap): string[] {
  const { sourceIds, atMs, method } = request;
  const times = images.map(({ image }) => image.takenAtMs);
  const { confirmed } = images[0]!;
  return [
    `Map of ${layersTitle(sourceIds.map((sourceId) => ({ sourceId })))} at ${formatExact(atMs)}.`,
    `${images.length} images nearest to 00 and 12 UTC, from ${formatExact(Math.min(...times))} to ${formatExact(Math.max(...times))}; ${leftOut} left out.`,
    METHODS[method],
    `Places below mu ${MAPS.leastMu} are not seen. Radius ${SOLAR_RADIUS_M} m. Rotation: ${ROTATION}.`,
    'Pixels are placed by the full coordinates of their header. Values at the ends of the scale of an image are those ends.',
    ...(request.isRaw ? confirmed.caveats : [lawText(confirmed.law), 'Law of the newest image.', ...confirmed.caveats]),
  ];
}

function mapCards({ request, images }: PlannedMap): FitsCard[] {
  const { atMs, projection } = request;
  const times = images.map(({ image }) => image.takenAtMs);
  const date = (ms: number) => formatExact(ms).replace('Z', '');
  const { distanceAu, b0Degrees } = earthAt(atMs);
  return [
    ...wcsCards(wcsOfMap(request)).filter(({ keyword }) => !keyword.startsWith('PC')),
    ...(projection === 'cea' ? [{ keyword: 'PV2_1', value: 1 }] : []),
    { keyword: 'DATE-OBS', value: date(atMs) },
    { keyword: 'DATE-BEG', value: date(Math.min(...times)) },
    { keyword: 'DATE-AVG', value: date(atMs) },
    { keyword: 'DATE-END', value: date(Math.max(...times)) },
    { keyword: 'TIMESYS', value: 'UTC' },
    { keyword: 'CAR_ROT', value: carringtonRotation(atMs) },
    { keyword: 'RSUN_REF', value: SOLAR_RADIUS_M },
    { keyword: 'HGLN_OBS', value: 0 },
    { keyword: 'HGLT_OBS', value: b0Degrees },
    { keyword: 'DSUN_OBS', value: distanceAu * ASTRONOMICAL_UNIT_M },
  ];
}

/** Levels of a strip from the north, and which cells are seen. @param least Level of a cell that is seen */
export function levelsOf({ values, counts, rows }: SurfaceStrip, width: number, least = 0) {
  const [samples, alpha] = [new Uint8Array(values.length), new Uint8Array(values.length)];
  for (let to = 0; to < values.length; to++) {
    const column = to % width;
    const from = (rows - 1) * width - to + 2 * column;
    if (counts[from] === 0) continue;
    samples[to] = Math.max(least, Math.round(values[from]!));
    alpha[to] = 255;
  }
  return { samples, alpha };
}

/** A tile of a map of a day: at zoom 0 there are two, and each has four of the next. */
interface MapTile {
  readonly sourceIds: readonly number[];
  readonly projection: MapGrid['projection'];
  /** Midnight. */
  readonly atMs: number;
  readonly z: number;
  readonly x: number;
  readonly y: number;
}

const TILE_BYTES = TILE_SIZE ** 2;

function partOf({ z, x, y }: MapTile): MapPart {
  const south = (TILE_SIZE << z) - (y + 1) * TILE_SIZE;
  return { columns: [x * TILE_SIZE, (x + 1) * TILE_SIZE], rows: [south, south + TILE_SIZE] };
}

/** Longitude 0 is in the middle, as tiles of the world in degrees have it. */
function requestOf({ sourceIds, projection, atMs, z }: MapTile): MapRequest {
  // Shifts give small integers of the machine, powers do not: with powers V8 compiles the loops of strips twice.
  const [width, height] = [TILE_SIZE << (z + 1), TILE_SIZE << z];
  return { sourceIds, projection, atMs, width, height, frame: 'carrington', centre: 0, method: 'weighted', isRaw: true };
}

export class MapFiles extends Service<{
  readonly maps: SolarMaps;
  readonly objects: Pick<ObjectStore, 'head' | 'readAll' | 'put'>;
  readonly clock: Clock;
}> {
  readonly #drawn = new SingleFlight<Drawn>(MAPS.shareMs);

  /** The file of a map. @param address Of the request, for the file @throws Failure as `SolarMaps.images` and `plan` */
  async file(request: MapRequest, format: MapFormat, address: string, call: RenderCall): Promise<MapFile> {
    const { maps, objects, clock } = this.ports;
    // First the images are found, whose contents and the request name the file.
    const images = await maps.images(request, call);
    const sha256 = await pictureHash([request, images.map(({ image }) => image.sha256)]);
    const key = mapKey(MAP_VERSION, { sha256 }, format);
    const text = () =>
      provenanceText(
        address,
        images.map(({ image }) => image),
      );
    const isKept = request.atMs % DAY_MS === 0 && request.atMs <= clock() - DAY_MS;
    if (isPicture(format)) {
      const stored = isKept ? await call.stopwatch.measure('read', () => objects.readAll(key)) : null;
      if (stored) return { images, bytes: stored, isWhole: true };
      // Charged before it is shared, so that no client is refused because of another.
      const planned = await maps.plan(request, images, call);
      const draw = async () => {
        const bytes = await this.#picture(planned, format, await text(), call);
        const isWhole = planned.unread.size === 0;
        const isStored = isKept && isWhole && (await call.admission.mayStore('maps', bytes.length));
        if (isStored) await objects.put(key, bytes, MEDIA_TYPES[format]);
        return { bytes, isWhole };
      };
      return { images, ...(await this.#drawn.run(key, draw)) };
    }
    const stored = isKept ? await call.stopwatch.measure('read', () => objects.head(key)) : null;
    if (stored) return { images, key, stored, isWhole: true };
    // Else it is made strip by strip while it is sent, and stored beside.
    const planned = await maps.plan(request, images, call);
    const [array, note] = [this.#array(planned, format, call), format === 'fits' ? await text() : ''];
    const flow = () => arrayFile(format, array, note);
    const length = arrayFileBytes(format, array, note);
    if (!isKept || !(await call.admission.mayStore('maps', length))) return { images, flow, isWhole: false };
    return { images, isWhole: false, flow: () => this.#stored(flow(), planned, { key, length, format }, call) };
  }

  #picture(planned: PlannedMap, type: PictureFormat, note: string, call: RenderCall): Promise<Uint8Array> {
    const { maps } = this.ports;
    const { request, images } = planned;
    const { width, height } = request;
    const bytes = stripBytes(request) + JOB_BYTES.perPixel * width * height;
    return call.admission.hold(bytes, async (pace) => {
      const { image } = images[0]!;
      const palette = paletteOf(image.sourceId, image.takenAtMs, null);
      const encoder = layerEncoder(FORMATS[type], { width, height, palette, isMasked: true });
      for await (const strip of maps.strips(planned, { isPicture: true }, (work) => work(pace))) {
        const pixels = { ...levelsOf(strip, width), covered: { x0: 0, y0: 0, x1: width, y1: strip.rows }, palette };
        await pace.measure('encode', () => encoder.write({ width, height: strip.rows, ...pixels }, (count) => pace.pause(count)));
      }
      return pace.measure('encode', () => encoder.finish(note));
    });
  }

  /** The values, row by row from the south; of FITS with their ages and counts, which are known when the values have been sent. */
  #array(planned: PlannedMap, format: ArrayFormat, call: RenderCall): ArrayProduct {
    const { maps } = this.ports;
    const { request, images } = planned;
    const axes = [request.width, request.height];
    const cells = request.width * request.height;
    const hasAges = format === 'fits';
    let [ages, counts] = [new Float32Array(), new Uint8Array()];
    const bytes = stripBytes(request) + (hasAges ? cells * (Float32Array.BYTES_PER_ELEMENT + 1) : 0);
    const cards = mapCards(planned);
    const agesInPieces = function* () {
      for (let from = 0; from < cells; from += MAPS.stripCells) yield ages.subarray(from, from + MAPS.stripCells);
    };
    return {
      axes,
      cards: [
        { keyword: 'EXTEND', value: true },
        { keyword: 'BUNIT', value: images[0]!.confirmed.law.unit },
        ...cards,
        ...historyOf(planned).map((value) => ({ keyword: 'HISTORY', value })),
      ],
      pieces: async function* () {
        let at = 0;
        if (hasAges) [ages, counts] = [new Float32Array(cells), new Uint8Array(cells)];
        for await (const strip of maps.strips(planned, { hasAges }, (work) => call.admission.hold(bytes, work))) {
          if (hasAges) {
            ages.set(strip.ages!, at);
            counts.set(strip.counts, at);
          }
          at += strip.values.length;
          yield strip.values;
        }
      },
      extensions: [
        { name: 'AGE', axes, cards: [{ keyword: 'BUNIT', value: 's' }, ...cards], pieces: agesInPieces },
        { name: 'COUNT', isOfBytes: true, axes, cards, pieces: () => [counts] },
      ],
    };
  }

  /** Stores a file while it is sent: all of it, or nothing, as of a map that lacks an image. */
  async *#stored(
    pieces: AsyncGenerator<Uint8Array>,
    { unread }: PlannedMap,
    { key, length, format }: { readonly key: string; readonly length: number; readonly format: ArrayFormat },
    { waitUntil }: RenderCall,
  ): AsyncGenerator<Uint8Array> {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const put = (body: ReadableStream<Uint8Array>) => this.ports.objects.put(key, body, MEDIA_TYPES[format]);
    const failed = () => undefined;
    waitUntil(writeExactly(readable, length, put, async () => true).catch(failed));
    try {
      for await (const piece of pieces) {
        if (unread.size === 0) await writer.write(piece).catch(failed);
        yield piece;
      }
      await writer.close().catch(failed);
    } finally {
      writer.abort().catch(failed);
    }
  }

  /** A tile and the images of its map. @throws Failure as `SolarMaps`, or where a budget of stored maps is used up */
  async tile(tile: MapTile, { type, quality }: FileFormat, call: RenderCall) {
    const { maps, objects } = this.ports;
    const [request, part] = [requestOf(tile), partOf(tile)];
    const images = await maps.images(request, call);
    const sha256 = await pictureHash([request, part, images.map(({ image }) => image.sha256)]);
    const key = mapKey(MAP_VERSION, { sha256 }, 'tile');
    const stored = await call.stopwatch.measure('read', () => objects.readAll(key));
    const made = async () => {
      // Charged before it is shared, so that no client is refused because of another.
      await call.admission.store('maps', TILE_BYTES);
      const planned = await maps.plan(request, images, call, part);
      const { bytes, isWhole } = await this.#drawn.run(key, () => this.#make(planned, part, key, call));
      return { samples: bytes.slice(), isWhole };
    };
    const { samples, isWhole } = stored ? { samples: stored, isWhole: true } : await made();
    const { image } = images[0]!;
    const shape = { width: TILE_SIZE, height: TILE_SIZE, palette: paletteOf(image.sourceId, image.takenAtMs, null) };
    const encode = async () => {
      const encoder = layerEncoder(FORMATS[type], { ...shape, isMasked: true }, quality);
      const alpha = new Uint8Array(TILE_BYTES);
      for (let i = 0; i < TILE_BYTES; i++) if (samples[i] !== 0) alpha[i] = 255;
      await encoder.write({ ...shape, samples, alpha, covered: { x0: 0, y0: 0, x1: TILE_SIZE, y1: TILE_SIZE } });
      return encoder.finish();
    };
    const held = TILE_BYTES * 8 + encoderBytes({ type, quality }, shape);
    return { bytes: await call.admission.hold(held, encode, { isShared: true }), images, isWhole };
  }

  /** Makes a tile and stores it: 0 stands for what no image sees. */
  async #make(planned: PlannedMap, part: MapPart, key: string, call: RenderCall): Promise<Drawn> {
    const held = stripBytes({ width: TILE_SIZE, height: TILE_SIZE }) + TILE_BYTES;
    const tile = new Uint8Array(TILE_BYTES);
    await call.admission.hold(held, async (pace) => {
      let done = 0;
      for await (const strip of this.ports.maps.strips(planned, { isPicture: true }, (work) => work(pace), part)) {
        const { samples } = levelsOf(strip, TILE_SIZE, 1);
        tile.set(samples, done);
        done += samples.length;
      }
    });
    const isWhole = planned.unread.size === 0;
    if (isWhole) await this.ports.objects.put(key, tile, 'application/octet-stream');
    return { bytes: tile, isWhole };
  }
}
