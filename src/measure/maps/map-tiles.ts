// Tiles of maps of the whole Sun: each is made of the images that reach it when it is first requested, and stored.
import { layerEncoder } from '../../archive/drawing/formats/format.ts';
import { encoderBytes, type FileFormat, FORMATS } from '../../archive/drawing/formats/formats.ts';
import { mapKey } from '../../archive/keys.ts';
import { paletteOf } from '../../picture/colour/palette.ts';
import { TILE_SIZE } from '../../picture/grids/pixel-grid.ts';
import { pictureHash } from '../../picture/picture.ts';
import type { RenderCall } from '../../platform/admission/admission.ts';
import { MAPS } from '../../platform/limits/maps.ts';
import type { ObjectStore } from '../../platform/storage/r2-object-store.ts';
import { Service } from '../../platform/util/service.ts';
import { SingleFlight } from '../../platform/util/single-flight.ts';
import type { MapGrid } from '../../sun/maps/map-grid.ts';
import type { MapPart } from '../../sun/maps/surface-strip.ts';
import { levelsOf, MAP_VERSION } from './map-files.ts';
import { type MapRequest, type PlannedMap, type SolarMaps, stripBytes } from './solar-maps.ts';

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
  const south = (2 ** z - 1 - y) * TILE_SIZE;
  return { columns: [x * TILE_SIZE, (x + 1) * TILE_SIZE], rows: [south, south + TILE_SIZE] };
}

/** Longitude 0 is in the middle, as tiles of the world in degrees have it. */
function requestOf({ sourceIds, projection, atMs, z }: MapTile): MapRequest {
  const [width, height] = [2 ** (z + 1) * TILE_SIZE, 2 ** z * TILE_SIZE];
  return { sourceIds, projection, atMs, width, height, frame: 'carrington', centre: 0, method: 'weighted', isRaw: true };
}

export class MapTiles extends Service<{
  readonly maps: SolarMaps;
  readonly objects: Pick<ObjectStore, 'readAll' | 'put'>;
}> {
  readonly #makes = new SingleFlight<Uint8Array>(MAPS.shareMs);

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
      return (await this.#makes.run(key, () => this.#make(planned, part, key, call))).slice();
    };
    const samples = stored ?? (await made());
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
    return { bytes: await call.admission.hold(held, encode, { isShared: true }), images };
  }

  /** Makes a tile and stores it: 0 stands for what no image sees. */
  async #make(planned: PlannedMap, part: MapPart, key: string, call: RenderCall): Promise<Uint8Array> {
    const bytes = stripBytes({ width: TILE_SIZE, height: TILE_SIZE }) + TILE_BYTES;
    const tile = new Uint8Array(TILE_BYTES);
    await call.admission.hold(bytes, async (pace) => {
      let done = 0;
      for await (const strip of this.ports.maps.strips(planned, { isPicture: true }, (work) => work(pace), part)) {
        const { samples } = levelsOf(strip, TILE_SIZE, 1);
        tile.set(samples, done);
        done += samples.length;
      }
    });
    await this.ports.objects.put(key, tile, 'application/octet-stream');
    return tile;
  }
}
