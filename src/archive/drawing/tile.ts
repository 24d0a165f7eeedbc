// Tiles of archived images. They are kept in the edge cache alone, because drawing one again costs less than storing it (docs/sidecar-format.md).
import { wholeLayer } from '../../picture/encode/png.ts';
import { observedTileGrid, TILE_SIZE, type TileAddress, tileGrid } from '../../picture/grids/pixel-grid.ts';
import type { ImageLayer } from '../../picture/layers.ts';
import { costOf, operationsOf } from '../../picture/operations/operations.ts';
import { type ImagePicture, pictureKey } from '../../picture/picture.ts';
import type { Projection } from '../../picture/projection.ts';
import type { LayerPixels } from '../../picture/raster/compose.ts';
import type { RenderCall } from '../../platform/admission/admission.ts';
import { JOB_BYTES } from '../../platform/limits/memory.ts';
import { PICTURE_COST, SHARED_RENDER_WAIT_MS, WARPED } from '../../platform/limits/rendering.ts';
import { type Stopwatch, UNTIMED, unpaused } from '../../platform/ports/timing.ts';
import { Service } from '../../platform/util/service.ts';
import { SingleFlight } from '../../platform/util/single-flight.ts';
import type { ArchivedImage } from '../../sun/image.ts';
import { imageOfLayer, referenceImage } from '../find-image.ts';
import type { ImageIndex } from '../image-index/d1-image-index.ts';
import { type ImageFormat, rgbOf } from './formats/format.ts';
import { encoderBytes, type FileFormat, FORMATS } from './formats/formats.ts';
import { type LayerRenderer, type View, windowBytesOf, windowsOf } from './layer-renderer.ts';

/** A tile as a file. Without a type: PNG. `north`: north up also where tiles are as filed. `projection`: the plane of which it is a part. */
type TileFile = TileAddress & Partial<FileFormat> & { readonly north?: boolean; readonly projection?: Projection | undefined };

/** Encodes a tile, and overwrites its samples. Without loss it is transparent outside the image and its mask, with loss black there. */
export async function encodeTile({ lossless, rgb }: ImageFormat, layer: LayerPixels, quality?: number): Promise<Uint8Array> {
  const { encoder, pixels } =
    lossless && quality === undefined
      ? wholeLayer(layer, lossless)
      : { encoder: rgb(layer.width, layer.height, quality), pixels: rgbOf(layer) };
  await encoder.write(pixels, layer.height);
  return encoder.finish();
}

export class TileRenderer extends Service<{ readonly layers: LayerRenderer }> {
  /** Whether the tiles of a layer will stay as they are. */
  isReady(layer: ImageLayer<ArchivedImage>, stopwatch: Stopwatch): Promise<boolean> | true {
    return this.ports.layers.isReady(layer, stopwatch);
  }

  /** Renders 512x512 pixels, without loss as the smallest file that holds them. @throws Jp2Error for a damaged image, Failure `missing-file` */
  async render(layer: ImageLayer<ArchivedImage>, tile: TileFile & { isSketch?: boolean }, stopwatch: Stopwatch = UNTIMED) {
    const { frame = 'image', type = 'png', quality, isSketch, north, projection } = tile;
    const { geometry } = layer.image;
    const scale = projection && geometry.scaleArcsecPerPixel;
    const grid = frame === 'image' ? tileGrid(geometry, tile) : observedTileGrid(geometry, tile, scale);
    const flat = frame === 'image' && !north ? 'file' : 'north';
    const { observer } = projection ? await this.ports.layers.origin(layer.image, stopwatch) : {};
    const view: View = projection && observer ? { projection, observer, distanceRadii: observer.distanceRadii } : flat;
    const drawn = await this.ports.layers.draw(layer, grid, isSketch ? 'sketch' : 'frame', unpaused(stopwatch), view);
    return stopwatch.measure('encode', () => encodeTile(FORMATS[type], drawn, quality));
  }
}

export class TileService extends Service<{
  readonly index: ImageIndex;
  readonly tiles: Pick<TileRenderer, 'render' | 'isReady'>;
}> {
  readonly #renders = new SingleFlight<Uint8Array>(SHARED_RENDER_WAIT_MS);

  /**
   * `isSketch`: it is kept for a minute alone, because its filter will be more exact.
   * @throws Failure `unknown-image`, `withdrawn`, `no-earlier-image`, `missing-file`, `damaged-image`, `busy`, or as `encoderBytes`
   */
  async tile({ id, ...request }: ImagePicture<TileFile>, call: RenderCall) {
    const { index, tiles } = this.ports;
    const { stopwatch, admission } = call;
    // First the image is found and, for a difference or ratio, the older image with which it is compared.
    const image = await imageOfLayer({ index, stopwatch }, id, request);
    const reference = await stopwatch.measure('index', () => referenceImage(index, image, request));
    const cost = costOf(request);
    const { projection } = request;
    await admission.step(cost * (projection ? WARPED.cost : 1) * PICTURE_COST.tileMs);
    // Concurrent requests for a tile share one render. It waits for memory, and ends even if its client disconnects.
    const layer = { ...operationsOf(request), image, reference };
    const isSketch = !(await tiles.isReady(layer, stopwatch));
    const { type = 'png', quality } = request;
    const encoding = quality === undefined ? 0 : encoderBytes({ type, quality }, { width: TILE_SIZE, height: TILE_SIZE });
    const size = { projection, imageScaleArcsecPerPixel: request.imageScale, width: TILE_SIZE, height: TILE_SIZE };
    const more = encoding + windowBytesOf(windowsOf(size, [image]));
    const bytes = await this.#renders.run(pictureKey({ ...request, ...layer, isSketch }), () =>
      // Then the layer is drawn on the pixels of the tile (LayerRenderer.draw), and encoded.
      admission.hold(
        JOB_BYTES.tile + more + (cost > 1 ? JOB_BYTES.apron : 0),
        () => tiles.render(layer, { ...request, isSketch }, stopwatch),
        { isShared: true },
      ),
    );
    return { image, reference, bytes, isSketch };
  }
}
