// Renders one layer on a grid of output pixels: window of samples, resampling, difference, mask. Tiles, downloads and frames
// are all composed of layers.
import { MIN_STRIP_ROWS, STRIP_SAMPLES } from '../../config/limits/rendering.ts';
import type { ArchivedImage, ImageGeometry } from '../../domain/image.ts';
import { isBlackTransparent, occulterRing } from '../../domain/occulter.ts';
import { discardedLevels, type PixelGrid, sunCentre } from '../../domain/pixel-grid.ts';
import { paletteOf } from '../../imaging/colour/palette.ts';
import type { Coverage } from '../../imaging/coloured-png.ts';
import type { LayerPixels } from '../../imaging/compose.ts';
import { discardableLevels } from '../../imaging/jp2/window.ts';
import { blackAlpha, ringAlpha } from '../../imaging/mask.ts';
import { resample, triangleTaps } from '../../imaging/resample.ts';
import { greyBytes, subtract } from '../../imaging/samples.ts';
import type { StageTimings } from '../../ports/timing.ts';
import type { HeaderFacts, ImageReader, OpenImage } from './image-reader.ts';
import { timed } from './timed.ts';

/** Raised with every change that alters pixels, so that pictures stored by an older renderer are not used. */
export const RENDER_VERSION = 6;

export interface LayerRequest {
  readonly image: ArchivedImage;
  /** Output pixels in the coordinates of `image`. */
  readonly grid: PixelGrid;
  /** The older image of a difference; null for the image itself. */
  readonly reference: ArchivedImage | null;
  /** `frame`: a layer of a picture. `download`: the image alone, masked for fewer instruments. */
  readonly purpose: 'frame' | 'download';
}

/** Samples of one image on a grid. */
interface GridSamples {
  readonly samples: Uint8Array;
  readonly covered: Coverage;
}

/** Maps a grid to another image: the Sun's centres coincide, and both scales are as seen from 1 au. */
export function coRegisteredGrid(grid: PixelGrid, from: ImageGeometry, to: ImageGeometry): PixelGrid {
  const ratio = from.scaleArcsecPerPixel / to.scaleArcsecPerPixel;
  const [a, b] = [sunCentre(from), sunCentre(to)];
  return { ...grid, left: b.x + (grid.left - a.x) * ratio, top: b.y + (grid.top - a.y) * ratio, step: grid.step * ratio };
}

function intersection(a: Coverage, b: Coverage): Coverage {
  const [x0, y0] = [Math.max(a.x0, b.x0), Math.max(a.y0, b.y0)];
  return { x0, y0, x1: Math.max(x0, Math.min(a.x1, b.x1)), y1: Math.max(y0, Math.min(a.y1, b.y1)) };
}

/** Samples decoded per output row, in both dimensions of the resampling; at least one per output pixel. */
function samplesPerRow(grid: PixelGrid): number {
  const perPixel = Math.max(1, grid.step / 2 ** discardedLevels(grid.step, Number.POSITIVE_INFINITY));
  return grid.width * perPixel * perPixel;
}

/** Rows of a strip: as many as keep the decoded window of the finest layer within `stripSamples`. */
export function rowsPerStrip(grids: readonly PixelGrid[], height: number, stripSamples = STRIP_SAMPLES): number {
  const most = Math.max(...grids.map(samplesPerRow));
  return Math.min(height, Math.max(MIN_STRIP_ROWS, Math.floor(stripSamples / most)));
}

export class LayerRenderer {
  readonly #reader: ImageReader;

  constructor(reader: ImageReader) {
    this.#reader = reader;
  }

  /** Facts of the header of an image for pictures. */
  async facts(image: ArchivedImage, timings: StageTimings): Promise<HeaderFacts> {
    return this.#reader.facts(await this.#reader.open(image, timings), timings);
  }

  /**
   * Renders a layer. Output pixels outside the image are left uncovered.
   * @throws Jp2Error when the image cannot be decoded, Failure `missing-file` when its file does not exist
   */
  async draw({ image, grid, reference, purpose }: LayerRequest, timings: StageTimings): Promise<LayerPixels> {
    const open = await this.#reader.open(image, timings);
    const newer = await this.#sample(open, grid, timings);
    const { width, height } = grid;
    if (reference) {
      const older = await this.#sample(
        await this.#reader.open(reference, timings),
        coRegisteredGrid(grid, image.geometry, reference.geometry),
        timings,
      );
      subtract(newer.samples, older.samples);
      const covered = intersection(newer.covered, older.covered);
      const alpha = timed(timings, 'colour', () => this.#alpha(image, grid, covered, purpose));
      return { width, height, samples: newer.samples, covered, alpha, palette: null };
    }
    const { samples, covered } = newer;
    const palette = paletteOf(image.sourceId, image.takenAtMs, open.index.palette);
    const alpha = timed(timings, 'colour', () =>
      isBlackTransparent(image.sourceId) && purpose === 'frame'
        ? blackAlpha(samples)
        : this.#alpha(image, grid, covered, purpose),
    );
    return { width, height, samples, covered, alpha, palette };
  }

  #alpha(image: ArchivedImage, grid: PixelGrid, covered: Coverage, purpose: LayerRequest['purpose']): Uint8Array | null {
    const ring = occulterRing(image.sourceId, image.geometry);
    return ring && (purpose === 'frame' || ring.masksDownloads) ? ringAlpha(ring, grid, covered) : null;
  }

  async #sample(open: OpenImage, grid: PixelGrid, timings: StageTimings): Promise<GridSamples> {
    const { width, height } = open.image.geometry;
    const reduce = discardedLevels(grid.step, discardableLevels(open.index));
    const x = triangleTaps({ start: grid.left, step: grid.step, count: grid.width, size: width, reduce });
    const y = triangleTaps({ start: grid.top, step: grid.step, count: grid.height, size: height, reduce });
    const samples = new Uint8Array(grid.width * grid.height);
    if (x.from === x.to || y.from === y.to) return { samples, covered: { x0: 0, y0: 0, x1: 0, y1: 0 } };
    const scale = 2 ** reduce;
    const window = { x0: x.first * scale, y0: y.first * scale, x1: x.end * scale, y1: y.end * scale };
    const decoded = await this.#reader.samples(open, reduce, window, timings);
    timed(timings, 'colour', () => resample(greyBytes(decoded), x, y, samples, grid.width));
    return { samples, covered: { x0: x.from, y0: y.from, x1: x.to, y1: y.to } };
  }
}
