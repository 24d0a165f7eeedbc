// Tiles of maps of the whole Sun: those of a day and a zoom are one stored object, tile by tile, of which a request reads one.
import { MAPS } from '../../config/limits/maps.ts';
import { mapKey } from '../../domain/archive/keys.ts';
import type { MapGrid } from '../../domain/maps/map-grid.ts';
import { TILE_SIZE } from '../../domain/pixel-grid.ts';
import { paletteOf } from '../../imaging/colour/palette.ts';
import { pictureHash } from '../../picture/key.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import type { RenderCall } from '../../ports/timing.ts';
import { Service } from '../../util/service.ts';
import { SingleFlight } from '../../util/single-flight.ts';
import type { Budgets } from '../budgets.ts';
import { layerEncoder } from '../rendering/formats/format.ts';
import { encoderBytes, type FileFormat, FORMATS } from '../rendering/formats/formats.ts';
import type { RenderSlots } from '../rendering/render-slots.ts';
import { levelsOf, MAP_VERSION } from './map-files.ts';
import { type MapRequest, type PlannedMap, type SolarMaps, stripBytes } from './solar-maps.ts';

/** A tile of a map of a day: at zoom 0 there are two, and each has four of the next. */
export interface MapTile {
  readonly sourceIds: readonly number[];
  readonly projection: MapGrid['projection'];
  /** Midnight. */
  readonly atMs: number;
  readonly z: number;
  readonly x: number;
  readonly y: number;
}

const TILE_BYTES = TILE_SIZE ** 2;

const offsetOf = (z: number, x: number, y: number): number => (y * 2 ** (z + 1) + x) * TILE_BYTES;

/** Longitude 0 is in the middle, as tiles of the world in degrees have it. */
function requestOf({ sourceIds, projection, atMs, z }: MapTile): MapRequest {
  const [width, height] = [2 ** (z + 1) * TILE_SIZE, 2 ** z * TILE_SIZE];
  return { sourceIds, projection, atMs, width, height, frame: 'carrington', centre: 0, method: 'weighted', isRaw: true };
}

export class MapTiles extends Service<{
  readonly maps: SolarMaps;
  readonly objects: Pick<ObjectStore, 'read' | 'put'>;
  readonly slots: RenderSlots;
  readonly budgets: Budgets;
}> {
  readonly #makes = new SingleFlight<Uint8Array>(MAPS.shareMs);

  /** A tile and the images of its map. @throws Failure as `SolarMaps`, or where a budget of stored maps is used up */
  async tile(tile: MapTile, { type, quality }: FileFormat, call: RenderCall) {
    const { maps, objects, slots } = this.ports;
    const request = requestOf(tile);
    const images = await maps.images(request, call);
    const key = mapKey(MAP_VERSION, { sha256: await pictureHash([request, images.map(({ image }) => image.sha256)]) }, 'tiles');
    const offset = offsetOf(tile.z, tile.x, tile.y);
    const read = () => call.stopwatch.measure('read', () => objects.read(key, offset, TILE_BYTES));
    const make = async () => this.#make(await maps.plan(request, images, call), tile.z, key, call);
    const samples = (await read()) ?? (await this.#makes.run(key, make)).slice(offset, offset + TILE_BYTES);
    const { image } = images[0]!;
    const shape = { width: TILE_SIZE, height: TILE_SIZE, palette: paletteOf(image.sourceId, image.takenAtMs, null) };
    const bytes = await slots.run(TILE_BYTES * 8 + encoderBytes({ type, quality }, shape), call, async () => {
      const encoder = layerEncoder(FORMATS[type], { ...shape, isMasked: true }, quality);
      const alpha = samples.map((sample) => (sample === 0 ? 0 : 255));
      await encoder.write({ ...shape, samples, alpha, covered: { x0: 0, y0: 0, x1: TILE_SIZE, y1: TILE_SIZE } });
      return encoder.finish();
    });
    return { bytes, images };
  }

  /** Makes all tiles of a zoom and stores them: 0 stands for what no image sees. */
  async #make(planned: PlannedMap, z: number, key: string, call: RenderCall): Promise<Uint8Array> {
    const { maps, objects, slots, budgets } = this.ports;
    const { width, height } = planned.request;
    await budgets.spend({ budget: 'maps', client: call.client, amount: width * height });
    const tiles = new Uint8Array(width * height);
    await slots.measure({ bytes: stripBytes(planned.request) + tiles.length }, call, async (pace) => {
      let y = 0;
      for await (const strip of maps.strips(planned, { isPicture: true }, (work) => work(pace))) {
        const { samples, alpha } = levelsOf(strip, width);
        for (let row = 0; row < strip.rows; row++, y++) {
          for (let x = 0; x < width; x += TILE_SIZE) {
            const to = offsetOf(z, x / TILE_SIZE, Math.floor(y / TILE_SIZE)) + (y % TILE_SIZE) * TILE_SIZE;
            for (let i = 0, from = row * width + x; i < TILE_SIZE; i++, from++) {
              tiles[to + i] = alpha[from] === 0 ? 0 : Math.max(1, samples[from]!);
            }
          }
        }
      }
    });
    await objects.put(key, tiles, 'application/octet-stream');
    return tiles;
  }
}
