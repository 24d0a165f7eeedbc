// Frames of moving pictures: grey JPEG files with a description for colours and mask, kept in the edge cache alone, as tiles are.
import { greyJpeg, leastQuality } from '../../picture/encode/jpeg.ts';
import { frameTable } from '../../picture/filters/byte-table.ts';
import { type PixelGrid, sunCentre, TILE_SIZE } from '../../picture/grids/pixel-grid.ts';
import type { Turned } from '../../picture/grids/upright.ts';
import type { ImageLayer } from '../../picture/layers.ts';
import { type FrameDescription, frameGrid, TABLE_SIDE, type Tiles } from '../../picture/moving-frame.ts';
import { costOf, hasTables, type Operations, operationsOf } from '../../picture/operations/operations.ts';
import { type ImagePicture, pictureKey } from '../../picture/picture.ts';
import { visibleRing } from '../../picture/raster/mask.ts';
import type { RenderCall } from '../../platform/admission/admission.ts';
import { JOB_BYTES } from '../../platform/limits/memory.ts';
import { MOVING_FRAME, PICTURE_COST, SHARED_RENDER_WAIT_MS } from '../../platform/limits/rendering.ts';
import { type Pace, UNTIMED, unpaused } from '../../platform/ports/timing.ts';
import { drainChunks, toBase64 } from '../../platform/util/bytes.ts';
import { badParameter } from '../../platform/util/errors.ts';
import { Service } from '../../platform/util/service.ts';
import { SingleFlight } from '../../platform/util/single-flight.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import { boxOf } from '../../sun/coordinates/picture-plane.ts';
import type { ArchivedImage } from '../../sun/image.ts';
import { imageOfLayer, imagesOfLayer, referenceImage } from '../find-image.ts';
import type { ImageIndex } from '../image-index/d1-image-index.ts';
import type { ImageOrigin } from '../reading/image-reader.ts';
import { type LayerRenderer, stripsOf } from './layer-renderer.ts';
import { pictureBytes } from './picture-cost.ts';

function descriptionOf(
  image: ArchivedImage,
  { left, top, step }: PixelGrid,
  { observer, turned, isRollVerified }: ImageOrigin,
  palette: Uint8Array | null,
): FrameDescription {
  const { sourceId, geometry } = image;
  const place = ({ x, y }: { readonly x: number; readonly y: number }) => ({ x: (x - left) / step, y: (y - top) / step });
  const source = findSource(sourceId);
  const ring = visibleRing(source, geometry, turned?.edges);
  return {
    imageScale: step * geometry.scaleArcsecPerPixel,
    sun: place(sunCentre(geometry)),
    ...(turned ? { edges: turned.edges } : {}),
    isRollUnverified: !isRollVerified || undefined,
    observer: {
      distance: observer.distanceRadii,
      latitude: observer.b0Degrees,
      longitude: observer.longitudeDegrees,
    },
    colours: palette && toBase64(palette),
    ring: ring && {
      inner: { ...place(ring.inner), radius: ring.inner.radius / step },
      outer: { ...place(ring.outer), radius: ring.outer.radius / step },
      softness: ring.softness / step,
    },
    isBlackTransparent: source?.isBlackTransparent ?? false,
  };
}

/** The grid of tiles of an image that is turned to the north, up to its corners. */
function turnedGrid({ geometry }: ArchivedImage, tiles: Tiles, { edges }: Turned): PixelGrid {
  const { scaleArcsecPerPixel: scale, width, height } = geometry;
  const sun = sunCentre(geometry);
  const { left, top, right, bottom } = boxOf(edges);
  const across = (arcsec: number) => arcsec / scale + sun.x - width / 2;
  const down = (arcsec: number) => arcsec / scale + sun.y - height / 2;
  return frameGrid(geometry, tiles, { left: across(left), top: down(top), right: across(right), bottom: down(bottom) });
}

export class MovingFrameRenderer extends Service<{ readonly layers: LayerRenderer }> {
  /** The tables of images, one after the other, compressed. `areSketches`: whether one of them will be more exact. @throws as `render` */
  async tables(images: readonly ArchivedImage[], layer: Operations, pace: Pace, isExact = false) {
    const files: Uint8Array<ArrayBuffer>[] = [];
    let areSketches = false;
    for (const image of images) {
      const { table, isSketch } = await this.ports.layers.table(image, layer, pace, isExact);
      areSketches ||= isSketch;
      files.push(frameTable(table, image.geometry.scaleArcsecPerPixel));
    }
    const compressed = new Blob(files).stream().pipeThrough(new CompressionStream('deflate'));
    return { file: await new Response(compressed).bytes(), areSketches };
  }

  /** Has the tables of a layer made where its images have none. @throws as `render` */
  async prepare({ image, reference, ...layer }: ImageLayer<ArchivedImage>, pace: Pace): Promise<void> {
    for (const each of reference ? [image, reference] : [image]) await this.ports.layers.table(each, layer, pace, true);
  }

  /**
   * Renders the samples of an image on a grid as a grey JPEG with its description.
   * @param tiles Shown up to the corners of an image that is turned to the north
   * @throws Jp2Error when the image cannot be decoded, Failure `missing-file` when its file does not exist
   */
  async render(layer: ImageLayer<ArchivedImage>, asFiled: PixelGrid, pace: Pace = UNTIMED, tiles?: Tiles): Promise<Uint8Array> {
    const { image } = layer;
    const origin = await this.ports.layers.origin(image, pace);
    const grid = origin.turned && tiles ? turnedGrid(image, tiles, origin.turned) : asFiled;
    const strips: Uint8Array[] = [];
    let colours: Uint8Array | null = null;
    for (const part of stripsOf(grid)) {
      const { samples, palette } = await this.ports.layers.draw(layer, part, 'levels', pace);
      strips.push(samples);
      colours = palette;
    }
    return pace.measure('encode', async () => {
      const { width, height } = grid;
      const samples = drainChunks(strips);
      const quality = leastQuality({ samples, width }, MOVING_FRAME.qualities, MOVING_FRAME.similarity);
      const encoder = greyJpeg(width, height, quality);
      await encoder.write(samples, height);
      return encoder.finish(JSON.stringify(descriptionOf(image, grid, origin, colours)));
    });
  }
}

/** Images with operations that have tables. `exact`: waits until all of their pixels have been counted. */
type TablesOfImages = Operations & { readonly ids: readonly number[]; readonly exact?: boolean };

/** Tables that are counted as a request: each takes a read and 5 ms, without statistics that of a small tile. */
const TABLES_A_REQUEST = 8;

/** @throws Failure `bad-parameter` for one without pixels, or with too many */
function checkedGrid({ geometry }: ArchivedImage, request: Tiles): PixelGrid {
  const grid = frameGrid(geometry, request);
  if (grid.width <= 0) throw badParameter('x', 'the number of a column in which the image lies', request.x);
  if (grid.height <= 0) throw badParameter('y', 'the number of a row in which the image lies', request.y);
  const { sidePixels } = MOVING_FRAME;
  if (grid.width > sidePixels || grid.height > sidePixels) {
    const what = `a scale at which this frame has at most ${sidePixels}x${sidePixels} pixels, or x, y, columns and rows,`;
    throw badParameter('imageScale', what, request.imageScale);
  }
  return grid;
}

export class MovingFrameService extends Service<{
  readonly index: ImageIndex;
  readonly movingFrames: Pick<MovingFrameRenderer, 'prepare' | 'render' | 'tables'>;
}> {
  readonly #renders = new SingleFlight<Uint8Array>(SHARED_RENDER_WAIT_MS);

  /** A frame, which counts as many requests as tiles have its pixels. @throws Failure as `TileService.tile`, `bad-parameter`, `rate-limited` */
  async frame({ id, ...request }: ImagePicture<Tiles>, call: RenderCall) {
    const { index, movingFrames } = this.ports;
    const { stopwatch, admission } = call;
    const image = await imageOfLayer({ index, stopwatch }, id, request);
    const reference = await stopwatch.measure('index', () => referenceImage(index, image, request));
    const grid = checkedGrid(image, request);
    const tiles = Math.ceil((grid.width * grid.height) / TILE_SIZE ** 2);
    // The request itself is counted.
    await admission.admit('requests', tiles - 1);
    await admission.step(tiles * costOf(request) * PICTURE_COST.tileMs);
    const pace = unpaused(stopwatch);
    const layer = { ...operationsOf(request), image, reference };
    // Its tables first, which may have to be counted: they are charged, and the frame is shared.
    if (hasTables(layer)) await admission.hold(JOB_BYTES.tile, (paced) => movingFrames.prepare(layer, paced));
    const jpeg = await this.#renders.run(pictureKey([layer, grid]), () =>
      admission.hold(
        Math.max(JOB_BYTES.tile, pictureBytes({ ...grid, layers: [layer] })),
        () => movingFrames.render(layer, grid, pace, request),
        { isShared: true },
      ),
    );
    return { image, reference, jpeg };
  }

  /** Tables of images for their frames. @throws as `frame` */
  async tables({ ids, exact = false, ...layer }: TablesOfImages, call: RenderCall) {
    const { index, movingFrames } = this.ports;
    const { stopwatch, admission } = call;
    const units = exact ? ids.length : Math.ceil(ids.length / TABLES_A_REQUEST);
    await admission.admit('requests', units - 1);
    const images = await imagesOfLayer({ index, stopwatch }, ids, layer);
    await admission.step(units * PICTURE_COST.tileMs);
    const bytes = JOB_BYTES.tile + 2 * ids.length * TABLE_SIDE ** 2;
    return { images, ...(await admission.hold(bytes, (pace) => movingFrames.tables(images, layer, pace, exact))) };
  }
}
