// Renders a planned picture in horizontal strips, so that a frame of 4096 x 4096 fits the memory of an isolate.
import { STRIP_SAMPLES } from '../../config/limits/rendering.ts';
import { compositionGrid, type PixelGrid } from '../../domain/pixel-grid.ts';
import { differenceSuffix } from '../../domain/recipe/difference.ts';
import { layerLabel } from '../../domain/recipe/layer-names.ts';
import type { Recipe } from '../../domain/recipe/recipe.ts';
import { type ComposedLayer, composeRgb, composeYuv420, type StripContent, yuv420Bytes } from '../../imaging/compose.ts';
import type { FrameStrip } from '../../imaging/overlays/blend.ts';
import { drawPreparedOverlays } from '../../imaging/overlays/draw.ts';
import type { EventMarker } from '../../imaging/overlays/events/event-marker.ts';
import type { MovieMarker } from '../../imaging/overlays/events/movie-icons.ts';
import type { OverlayContent } from '../../imaging/overlays/frame-overlays.ts';
import { frameOverlays } from '../../imaging/overlays/frame-overlays.ts';
import { prepareRasteriser } from '../../imaging/overlays/rasterise.ts';
import { scalePlace } from '../../imaging/overlays/scale.ts';
import type { FrameSize, Overlay } from '../../imaging/overlays/svg.ts';
import type { StageTimings } from '../../ports/timing.ts';
import type { FramePlan, PlannedLayer } from './frame-plan.ts';
import type { HeaderFacts } from './image-reader.ts';
import { type LayerRenderer, rowsPerStrip } from './layer-renderer.ts';
import { timed } from './timed.ts';

/** Overlay data from outside the archive, for the region and time of a picture. */
export interface FrameMarkers {
  readonly events?: readonly EventMarker[];
  readonly movies?: readonly MovieMarker[];
  /** Draws a moon in front of the Sun. */
  readonly moon?: boolean;
  /** Suffix of the image times in the watermark, as `UTC`. */
  readonly timeSuffix?: string;
}

const viewOf = ({ region }: Recipe) => ({ leftArcsec: region.left, topArcsec: region.top });

/** The scale indicator and its position in pixels; empty without one. */
function scaleOf(recipe: Recipe): Pick<OverlayContent, 'scale'> {
  if (!recipe.overlays.scale) return {};
  const { type, position } = recipe.overlays.scale;
  const view = { ...viewOf(recipe), scaleArcsecPerPixel: recipe.imageScaleArcsecPerPixel };
  return { scale: { kind: type, place: position && scalePlace(position.x, position.y, view) } };
}

/** After the time of an image whose header says that it is synthetic. */
const SYNTHETIC = ' (synthetic)';

/** `facts`: by layer; empty for a picture that needs none. */
function overlaysOf(
  { recipe, layers }: FramePlan,
  { timeSuffix = '', ...markers }: FrameMarkers,
  facts: readonly HeaderFacts[],
): Overlay[] {
  const lines = layers.map(({ layer, image }, i) => ({
    name: layerLabel({ sourceId: image.sourceId }),
    takenAtMs: image.takenAtMs,
    suffix: timeSuffix + differenceSuffix(layer.difference) + (facts[i]?.isSynthetic ? SYNTHETIC : ''),
  }));
  const content: OverlayContent = {
    ...markers,
    ...scaleOf(recipe),
    ...(recipe.overlays.grid && facts[0] ? { grid: { ...viewOf(recipe), observer: facts[0].observer } } : {}),
    ...(recipe.overlays.watermark ? { watermark: lines } : {}),
  };
  return frameOverlays(recipe, recipe.imageScaleArcsecPerPixel, content, recipe.overlayMagnification);
}

/** `rgb`: R, G, B of each pixel. `yuv420p`: planes Y, Cb, Cr of limited-range BT.709; width and height of the frame are even. */
export type PixelFormat = 'rgb' | 'yuv420p';

/** Rows of a frame. */
export interface RenderedStrip {
  readonly pixels: Uint8Array<ArrayBuffer>;
  /** First row in the frame. */
  readonly y0: number;
  /** Rows. */
  readonly height: number;
}

const COMPOSE = { rgb: composeRgb, yuv420p: composeYuv420 } as const;

/** Bytes of a frame. */
export const frameBytes = (format: PixelFormat, { width, height }: FrameSize): number =>
  format === 'rgb' ? 3 * width * height : yuv420Bytes(width, height);

export class FrameRenderer {
  readonly #layers: LayerRenderer;
  readonly #stripSamples: number;

  /** `stripSamples`: limits the height of the strips; does not affect pixels. */
  constructor(layers: LayerRenderer, stripSamples = STRIP_SAMPLES) {
    this.#layers = layers;
    this.#stripSamples = stripSamples;
  }

  /**
   * Renders the strips of a picture from top to bottom as RGB: the layers composed on black, then the overlays.
   * @throws Jp2Error when an image cannot be decoded, Failure `missing-file` when its file does not exist
   */
  async *strips(plan: FramePlan, markers: FrameMarkers, timings: StageTimings): AsyncGenerator<RenderedStrip> {
    for await (const content of this.#contents(plan, markers, timings)) {
      const { y0, width, height } = content;
      const pixels = new Uint8Array(3 * width * height);
      timed(timings, 'compose', () => composeRgb(content, pixels));
      yield { y0, height, pixels };
    }
  }

  /**
   * Renders a whole picture to `out`, which has `frameBytes` bytes; as `yuv420p` of even sides only.
   * @throws as `strips`
   */
  async draw(plan: FramePlan, markers: FrameMarkers, format: PixelFormat, out: Uint8Array): Promise<void> {
    for await (const content of this.#contents(plan, markers, {})) COMPOSE[format](content, out, content.y0);
  }

  async *#contents(plan: FramePlan, markers: FrameMarkers, timings: StageTimings): AsyncGenerator<StripContent> {
    const { recipe, layers } = plan;
    const { width, height } = recipe;
    const grids = layers.map(({ image }) => compositionGrid(image.geometry, recipe));
    let overlays: readonly Overlay[] | null = null;
    await timed(timings, 'overlays', prepareRasteriser);
    const rows = evenRows(rowsPerStrip(grids, height, this.#stripSamples), height);
    for (let y0 = 0; y0 < height; y0 += rows) {
      const strip = { width, y0, height: Math.min(rows, height - y0) };
      const drawn = layers.map((layer, i) => this.#drawLayer(strip, recipe, layer, grids[i]!, timings));
      const composed = await Promise.all(drawn);
      // After the first strip, because its layers have opened the images.
      const above: readonly Overlay[] = overlays ?? overlaysOf(plan, markers, await this.#headerFacts(plan, timings));
      overlays = above;
      const drawAbove = (rgb: FrameStrip) => timed(timings, 'overlays', () => drawPreparedOverlays(rgb, recipe, above));
      yield { ...strip, layers: composed, drawAbove };
    }
  }

  /** Facts of the headers by layer, for a watermark; of the lowest layer, for a grid; none for other pictures. */
  #headerFacts({ recipe, layers }: FramePlan, timings: StageTimings): Promise<HeaderFacts[]> {
    const { watermark, grid } = recipe.overlays;
    const needed = watermark ? layers : layers.slice(0, grid ? 1 : 0);
    return Promise.all(needed.map(({ image }) => this.#layers.facts(image, timings)));
  }

  async #drawLayer(
    strip: { readonly y0: number; readonly height: number },
    recipe: Recipe,
    { image, reference, layer }: PlannedLayer,
    grid: PixelGrid,
    timings: StageTimings,
  ): Promise<ComposedLayer> {
    const part = { ...grid, top: grid.top + strip.y0 * grid.step, height: strip.height };
    const drawn = await this.#layers.draw({ image, grid: part, reference, purpose: 'frame' }, timings);
    return { pixels: recipe.grayscale ? { ...drawn, palette: null } : drawn, opacity: layer.opacity };
  }
}

/** Rows of a strip, even unless it is the whole frame, because chroma samples cover two rows. */
const evenRows = (rows: number, height: number): number => (rows < height ? rows & ~1 : rows);
