// Renders a planned picture in horizontal strips, so that a frame of 4096 x 4096 fits the memory of an isolate.
import { STRIP_SAMPLES } from '../../config/limits/rendering.ts';
import { compositionGrid, type PixelGrid } from '../../domain/pixel-grid.ts';
import { differenceSuffix } from '../../domain/recipe/difference.ts';
import { layerLabel } from '../../domain/recipe/layer-names.ts';
import type { Recipe } from '../../domain/recipe/recipe.ts';
import { drawOver } from '../../imaging/compose.ts';
import type { FrameStrip } from '../../imaging/overlays/blend.ts';
import { drawOverlays } from '../../imaging/overlays/draw.ts';
import type { EventMarker } from '../../imaging/overlays/events/event-marker.ts';
import type { MovieMarker } from '../../imaging/overlays/events/movie-icons.ts';
import type { OverlayContent } from '../../imaging/overlays/frame-overlays.ts';
import { frameOverlays } from '../../imaging/overlays/frame-overlays.ts';
import { scalePlace } from '../../imaging/overlays/scale.ts';
import type { Overlay } from '../../imaging/overlays/svg.ts';
import type { StageTimings } from '../../ports/timing.ts';
import type { FramePlan, PlannedLayer } from './frame-plan.ts';
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

/** The scale indicator and its position in pixels; empty without one. */
function scaleOf({ overlays, region, imageScaleArcsecPerPixel }: Recipe): Pick<OverlayContent, 'scale'> {
  if (!overlays.scale) return {};
  const { type, position } = overlays.scale;
  const view = { leftArcsec: region.left, topArcsec: region.top, scaleArcsecPerPixel: imageScaleArcsecPerPixel };
  return { scale: { kind: type, place: position && scalePlace(position.x, position.y, view) } };
}

function overlaysOf({ recipe, layers }: FramePlan, { timeSuffix = '', ...markers }: FrameMarkers): Overlay[] {
  const lines = layers.map(({ layer, image }) => ({
    name: layerLabel({ sourceId: image.sourceId }),
    takenAtMs: image.takenAtMs,
    suffix: timeSuffix + differenceSuffix(layer.difference),
  }));
  const content: OverlayContent = {
    ...markers,
    ...scaleOf(recipe),
    ...(recipe.overlays.watermark ? { watermark: lines } : {}),
  };
  return frameOverlays(recipe, recipe.imageScaleArcsecPerPixel, content, recipe.overlayMagnification);
}

/** Rows of a frame, RGB. */
export interface RgbStrip extends FrameStrip {
  readonly pixels: Uint8Array<ArrayBuffer>;
  readonly channels: 3;
}

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
  async *strips(plan: FramePlan, markers: FrameMarkers, timings: StageTimings): AsyncGenerator<RgbStrip> {
    const { recipe, layers } = plan;
    const { width, height } = recipe;
    const grids = layers.map(({ image }) => compositionGrid(image.geometry, recipe));
    const overlays = overlaysOf(plan, markers);
    const rows = rowsPerStrip(grids, height, this.#stripSamples);
    for (let y0 = 0; y0 < height; y0 += rows) {
      const stripHeight = Math.min(rows, height - y0);
      const pixels = new Uint8Array(width * stripHeight * 3);
      const strip: RgbStrip = { pixels, channels: 3, width, y0, height: stripHeight };
      for (const [i, layer] of layers.entries()) await this.#drawLayer(strip, recipe, layer, grids[i]!, timings);
      await timed(timings, 'overlays', () => drawOverlays(strip, recipe, overlays));
      yield strip;
    }
  }

  async #drawLayer(
    strip: RgbStrip,
    recipe: Recipe,
    planned: PlannedLayer,
    grid: PixelGrid,
    timings: StageTimings,
  ): Promise<void> {
    const { image, reference, layer } = planned;
    const part = { ...grid, top: grid.top + strip.y0 * grid.step, height: strip.height };
    const drawn = await this.#layers.draw({ image, grid: part, reference, purpose: 'frame' }, timings);
    const coloured = recipe.grayscale ? { ...drawn, palette: null } : drawn;
    timed(timings, 'compose', () => drawOver(strip.pixels, coloured, layer.opacity));
  }
}
