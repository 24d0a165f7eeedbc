// Plans a picture, and renders it in horizontal strips, so that a frame of 4096 x 4096 fits the memory of an isolate.
import { compositionGrid } from '../../picture/grids/pixel-grid.ts';
import { type Layer, layerLabel } from '../../picture/layers.ts';
import { comparedWith } from '../../picture/operations/difference.ts';
import { needsReference, operationsOf, suffixOf, titleOf } from '../../picture/operations/operations.ts';
import { drawPreparedOverlays, type FrameStrip, prepareRasteriser } from '../../picture/overlays/drawing/draw.ts';
import { frameOverlays, type OverlayContent } from '../../picture/overlays/drawing/frame-overlays.ts';
import type { LayerCaption, Overlay } from '../../picture/overlays/overlay.ts';
import { drawnOverlays } from '../../picture/overlays/overlays.ts';
import type { Picture } from '../../picture/picture.ts';
import { type Projection, printProjection } from '../../picture/projection.ts';
import { mappingOf, recordOf } from '../../picture/projections/projections.ts';
import { LEAST_SEPARATION, sharedBelow, weightBeside, weightFrom } from '../../picture/projections/sharing.ts';
import { composeRgb, composeYuv420, type StripContent, yuv420Bytes } from '../../picture/raster/compose.ts';
import { type SharedLayer, sharePlaces } from '../../picture/raster/overlap.ts';
import { screenshotAddress, shownSourceId } from '../../picture/recipe.ts';
import { PICTURE_COST } from '../../platform/limits/rendering.ts';
import { type Pace, type Stopwatch, UNTIMED } from '../../platform/ports/timing.ts';
import { Service } from '../../platform/util/service.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import { separationDegrees } from '../../sun/coordinates/observer.ts';
import type { Viewpoint } from '../../sun/coordinates/sphere.ts';
import type { ArchivedImage, Size } from '../../sun/image.ts';
import { provenanceText } from '../../sun/provenance.ts';
import { nearer, noImages, referenceImage } from '../find-image.ts';
import type { ImageIndex } from '../image-index/d1-image-index.ts';
import type { ImageOrigin } from '../reading/image-reader.ts';
import { type FileFormat, fileParameters, formatOf } from './formats/formats.ts';
import { type LayerRenderer, rowsPerStrip } from './layer-renderer.ts';

export interface PlannedLayer {
  readonly layer: Layer;
  readonly image: ArchivedImage;
  /** The older image of a difference; null for the image itself. */
  readonly reference: ArchivedImage | null;
  /** Image time minus the recipe's time in seconds. */
  readonly distanceSeconds: number;
}

export type FramePlan = { readonly recipe: Picture; readonly layers: readonly PlannedLayer[] };

const distanceSeconds = (image: ArchivedImage, recipe: Picture) => Math.round(image.takenAtMs - recipe.atMs) / 1000;

async function planLayer(index: Pick<ImageIndex, 'neighbours'>, recipe: Picture, layer: Layer): Promise<PlannedLayer> {
  const sourceId = shownSourceId(recipe, layer, recipe.atMs);
  const { before, after } = await index.neighbours(sourceId, recipe.atMs);
  const image = nearer(before, after, recipe.atMs);
  if (!image) throw noImages(sourceId, 'layers');
  const reference = await referenceImage(index, image, layer);
  return { layer, image, reference, distanceSeconds: distanceSeconds(image, recipe) };
}

/** Finds the images of a recipe, the same for an unchanged archive. @throws Failure `no-image` or `no-earlier-image` for a layer without one */
export const planFrame = async (index: Pick<ImageIndex, 'neighbours'>, recipe: Picture): Promise<FramePlan> => ({
  recipe,
  layers: await Promise.all(recipe.layers.map((layer) => planLayer(index, recipe, layer))),
});

/** Images of a layer, looked up by id; null for an image that does not exist. */
export type FoundImages = { readonly image: ArchivedImage | null; readonly reference: ArchivedImage | null };

/** The plan of a recipe with known images, from the bottom to the top; null when one of them is missing. */
export function planOfImages(recipe: Picture, found: readonly FoundImages[]): FramePlan | null {
  const layers = recipe.layers.flatMap((layer, i) => {
    const { image = null, reference = null } = found[i] ?? {};
    const isWhole = image !== null && needsReference(layer) === (reference !== null);
    return isWhole ? [{ layer, image, reference, distanceSeconds: distanceSeconds(image, recipe) }] : [];
  });
  return layers.length === recipe.layers.length ? { recipe, layers } : null;
}

/** Overlay data from outside the archive, for the region and time of a picture. */
export interface FrameMarkers extends Pick<OverlayContent, 'events' | 'movies' | 'bodies' | 'moon'> {
  /** Suffix of the image times in the watermark, as `UTC`. */
  readonly timeSuffix?: string;
  /** The place of the observer that a projection names, at the time of the picture. */
  readonly viewer?: Viewpoint;
}

/** A picture with the place of the observer that its projection names. */
function resolved(recipe: Picture, { viewer }: FrameMarkers): Picture {
  if (recipe.projection?.kind !== 'observer') return recipe;
  if (!viewer) throw new Error('The place of the observer of a picture is not known.');
  return { ...recipe, projection: { ...recipe.projection, from: viewer } };
}

/** Suffix of the caption of synthetic images. */
const SYNTHETIC = ' (synthetic)';
/** Suffix of the caption of images whose pixels may lack the roll of their header. */
const UNVERIFIED = ' (roll not verified)';

type Origin = Pick<ImageOrigin, 'isSynthetic' | 'isRollVerified' | 'observer'>;

const noteOf = (origin?: Origin) => (origin?.isSynthetic ? SYNTHETIC : origin?.isRollVerified === false ? UNVERIFIED : '');

/** The angle of a layer from the lowest one, where their observers are apart. */
function apartText([lowest]: readonly Origin[], origin: Origin | undefined): string {
  const degrees = lowest && origin ? separationDegrees(lowest.observer, origin.observer) : 0;
  return degrees < LEAST_SEPARATION ? '' : ` ${Math.round(degrees)}° apart`;
}

/** Time of the reference image of a comparison, without an equal day. */
const referenceText = ({ image, layer: { difference }, reference }: PlannedLayer): string =>
  reference && difference ? ` ${comparedWith(difference, image.takenAtMs, reference.takenAtMs)}` : '';

/** What captions say of the layers. `origins`: by layer, of those whose header an overlay needs. */
export const captionsOf = (layers: readonly PlannedLayer[], origins: readonly Origin[], timeSuffix = ''): LayerCaption[] =>
  layers.map((planned, i) => {
    const { layer, image } = planned;
    const compared = suffixOf(layer) + referenceText(planned);
    return {
      name: layerLabel({ sourceId: image.sourceId }) + titleOf(layer),
      takenAtMs: image.takenAtMs,
      suffix: timeSuffix + compared + apartText(origins, origins[i]) + noteOf(origins[i]),
      credit: findSource(image.sourceId)?.credit.line,
    };
  });

function overlaysOf({ recipe, layers }: FramePlan, { timeSuffix, ...markers }: FrameMarkers, origins: readonly ImageOrigin[]) {
  const seenIn = recipe.projection ? ` [${printProjection(recipe.projection, 1)}]` : '';
  const captions = captionsOf(layers, origins, timeSuffix).map((caption, i) =>
    i === 0 ? { ...caption, suffix: `${caption.suffix}${seenIn}` } : caption,
  );
  return frameOverlays(recipe, { ...markers, captions, observer: origins[0]?.observer });
}

/** `rgb`: R, G, B of each pixel. `yuv420p`: planes Y, Cb, Cr of limited-range BT.709; width and height of the frame are even. */
export type PixelFormat = 'rgb' | 'yuv420p';

const COMPOSE = { rgb: composeRgb, yuv420p: composeYuv420 } as const;

export const frameBytes = (format: PixelFormat, { width, height }: Size): number =>
  format === 'rgb' ? 3 * width * height : yuv420Bytes(width, height);

/** `stripSamples`: limits the height of the strips; does not affect pixels. */
export class FrameRenderer extends Service<{ readonly layers: LayerRenderer; readonly stripSamples?: number | undefined }> {
  /** Renders strips from top to bottom as RGB: layers on black, then overlays. @throws Jp2Error of an image, Failure `missing-file` */
  async *strips(plan: FramePlan, markers: FrameMarkers, pace: Pace = UNTIMED) {
    for await (const content of this.#contents(plan, markers, pace)) {
      const { y0, width, height } = content;
      await pace.pause(PICTURE_COST.drawnPixel * width * height);
      const pixels = new Uint8Array(3 * width * height);
      pace.measure('compose', () => composeRgb(content, pixels));
      yield { y0, height, pixels };
    }
  }

  /** Renders a whole picture to `out`, which has `frameBytes` bytes; as `yuv420p` of even sides only. @throws as `strips` */
  async draw(plan: FramePlan, markers: FrameMarkers, format: PixelFormat, out: Uint8Array): Promise<void> {
    for await (const content of this.#contents(plan, markers, UNTIMED)) COMPOSE[format](content, out, content.y0);
  }

  /** Renders a picture as a file, strip by strip, always to the same bytes. @param address Null: that of a screenshot @throws as `strips` */
  async file(plan: FramePlan, markers: FrameMarkers, format: FileFormat, pace: Pace = UNTIMED, address: string | null = null) {
    const encoder = formatOf(format.type).rgb(plan.recipe.width, plan.recipe.height, format.quality);
    for await (const { pixels, height } of this.strips(plan, markers, pace))
      await pace.measure('encode', () => encoder.write(pixels, height, (count) => pace.pause(count)));
    const images = plan.layers.flatMap(({ image, reference }) => (reference ? [image, reference] : [image]));
    const made = address ?? screenshotAddress(plan.recipe, fileParameters(format));
    const note = await provenanceText(made, images);
    return pace.measure('encode', () => encoder.finish(note));
  }

  async *#contents(plan: FramePlan, markers: FrameMarkers, pace: Pace): AsyncGenerator<StripContent> {
    const { layers } = plan;
    const recipe = resolved(plan.recipe, markers);
    const { width, height } = recipe;
    const grids = layers.map(({ image }) => compositionGrid(image.geometry, recipe));
    const seen = recipe.projection ? await this.#seen(recipe, recipe.projection, layers, pace) : null;
    let overlays: readonly Overlay[] | null = null;
    await pace.measure('overlays', prepareRasteriser);
    // A projection needs about as many samples as pixels.
    const counted = seen ? [{ left: 0, top: 0, step: 1, width, height }] : grids;
    const rows = evenRows(rowsPerStrip(counted, height, this.ports.stripSamples), height);
    for (let y0 = 0; y0 < height; y0 += rows) {
      const strip = { width, y0, height: Math.min(rows, height - y0) };
      const drawn = layers.map(({ image, reference, layer }, i) => {
        const grid = grids[i]!;
        const part = { ...grid, top: grid.top + y0 * grid.step, height: strip.height };
        return this.ports.layers.draw({ ...operationsOf(layer), image, reference }, part, 'frame', pace, seen?.views[i]);
      });
      const own = await Promise.all(drawn);
      const pixels = seen ? pace.measure('compose', () => sharePlaces(own, seen.shared, y0, seen.disc)) : own;
      const composed = layers.map(({ layer: { opacity, blend } }, i) => ({ pixels: pixels[i]!, opacity, blend }));
      // After the first strip, because its layers have opened the images.
      const above: readonly Overlay[] = overlays ?? overlaysOf({ recipe, layers }, markers, await this.#origins(plan, pace));
      overlays = above;
      const drawAbove = (rgb: FrameStrip) => pace.measure('overlays', () => drawPreparedOverlays(rgb, recipe, above));
      yield { ...strip, layers: composed, drawAbove };
    }
  }

  /** Facts of the headers that the overlays need: of all layers, of the lowest, or of none. */
  #origins({ recipe, layers }: FramePlan, stopwatch: Stopwatch): Promise<ImageOrigin[]> {
    const asked = new Set(drawnOverlays(recipe.overlays).map(({ record }) => record.headers));
    const needed = asked.has('all') ? layers : layers.slice(0, asked.has('lowest') ? 1 : 0);
    return Promise.all(needed.map(({ image }) => this.ports.layers.origin(image, stopwatch)));
  }

  /** Where the points of a picture in another projection are in the plane of each layer, and which layers share places. */
  async #seen(
    { region, imageScaleArcsecPerPixel: scale }: Picture,
    projection: Projection,
    layers: readonly PlannedLayer[],
    pace: Pace,
  ) {
    const origins = await Promise.all(layers.map(({ image }) => this.ports.layers.origin(image, pace)));
    const lowest = origins[0]?.observer.distanceRadii ?? 0;
    // Distance of the lowest layer's observer; 0 for projections without it, so that other layers do not depend on the lowest.
    const distanceRadii = recordOf(projection).parameter?.(projection, lowest) ?? 0;
    const views = origins.map(({ observer }) => ({ projection, observer, distanceRadii }));
    const mappings = views.map(({ observer }) => mappingOf(projection, observer, distanceRadii));
    const nameOf = ({ image }: PlannedLayer) => findSource(image.sourceId)?.nickname ?? '';
    const seen = layers.map((own, i) => ({ ...own.layer, observer: views[i]!.observer, name: nameOf(own) }));
    const below = sharedBelow(seen, projection);
    const shared = below.map((own, i): SharedLayer | null => {
      if (own.length === 0 && !below.some((others) => others.includes(i))) return null;
      const { observer } = views[i]!;
      const [weight, { toPlane }] = [weightFrom(observer, projection), mappings[i]!];
      const weightAt = (x: number, y: number) => weight(toPlane({ x: region.left + x * scale, y: region.top + y * scale }));
      return { weightAt, beside: weightBeside(observer, projection), below: own };
    });
    const disc = recordOf(projection).finds === 'space' ? mappings[0]?.disc : null;
    const radius = (disc ?? Number.POSITIVE_INFINITY) / scale;
    return { views, shared, disc: { x: -region.left / scale, y: -region.top / scale, radius } };
  }
}

/** Rows of a strip, even unless it is the whole frame, because chroma samples cover two rows. */
const evenRows = (rows: number, height: number): number => (rows < height ? rows & ~1 : rows);
