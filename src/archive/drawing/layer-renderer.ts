// Renders one layer on a grid of output pixels, of which tiles, downloads and frames are composed: window, resampling, operations, mask.
import { greyBytes } from '../../jp2/decode.ts';
import { MAX_WINDOW_SAMPLES } from '../../jp2/limits.ts';
import type { Rect } from '../../jp2/structure.ts';
import { discardableLevels } from '../../jp2/window.ts';
import { paletteOf } from '../../picture/colour/palette.ts';
import { applyTable, type ByteTable } from '../../picture/filters/byte-table.ts';
import { isOnLevels } from '../../picture/filters/filters.ts';
import { MGN_APRON, mgn } from '../../picture/filters/mgn.ts';
import type { Coverage, PixelGrid } from '../../picture/grids/pixel-grid.ts';
import { discardedLevels, gridLevels, gridOfSamples, levelGrid, rowStepOf, sunCentre } from '../../picture/grids/pixel-grid.ts';
import { asFiled, type Turned } from '../../picture/grids/upright.ts';
import type { ImageLayer } from '../../picture/layers.ts';
import { applyLevels, coloursOf, hasTables, isEnhanced, type Operations } from '../../picture/operations/operations.ts';
import type { Picture } from '../../picture/picture.ts';
import type { Projection } from '../../picture/projection.ts';
import { mappingOf, PROJECTIONS, type Projected } from '../../picture/projections/projections.ts';
import { gather, gatherPlan } from '../../picture/raster/gather.ts';
import { blackAlpha, type Ring, ringAlpha, ringOf, visibleRing } from '../../picture/raster/mask.ts';
import { compare, resample, triangleTaps } from '../../picture/raster/resample.ts';
import { MIN_STRIP_ROWS, PICTURE_COST, STRIP_SAMPLES, WARPED } from '../../platform/limits/rendering.ts';
import { type Pace, type Stopwatch, UNTIMED } from '../../platform/ports/timing.ts';
import { concatenated } from '../../platform/util/bytes.ts';
import { Service } from '../../platform/util/service.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import { eachBy, NodeTable, type PlacingAll } from '../../sun/coordinates/nodes.ts';
import type { Observer } from '../../sun/coordinates/observer.ts';
import type { ArchivedImage, ImageGeometry, Size } from '../../sun/image.ts';
import type { ImageOrigin, ImageReader, OpenImage } from '../reading/image-reader.ts';

/** `frame`: a layer of a picture; `sketch`: for a minute, by sketched tables; `download`: less masked; `levels`: without a mask. */
type Purpose = 'frame' | 'sketch' | 'download' | 'levels';

interface GridSamples {
  readonly samples: Uint8Array;
  readonly covered: Coverage;
  /** How much of each pixel the image covers, 0 to 255; absent where that is all of them in `covered`. */
  readonly alpha?: Uint8Array | null;
}

/** How a layer lies: as the samples of its file, north up, or in another projection of what its observer saw. */
export type View = 'file' | 'north' | (Projected & { readonly observer: Observer });

interface Drawing {
  readonly layer: ImageLayer<ArchivedImage>;
  readonly purpose: Purpose;
  readonly view: View;
  readonly pace: Pace;
}

interface Reading {
  readonly place: PlacingAll;
  /** What is shown of it, and levels by the distance from the Sun, where they cannot be found in the picture. */
  readonly ring: Ring | null;
  readonly table: ByteTable | null;
  readonly turned: Turned | null;
}

/** An axis of a block: its first cell, the edge and the step of the grid, and the Sun's centre, in pixels of the file. */
type BlockAxis = { readonly at: number; readonly from: number; readonly step: number; readonly centre: number };

// Loops over points are functions outside of closures, which V8 would compile again for each picture. `axis`: 0 for x, 1 for y.

/** Replaces places in cells of a block by arcseconds from the Sun's centre. */
function fromSun(points: Float64Array, axis: 0 | 1, block: BlockAxis, arcsec: number): void {
  const { at, from, step, centre } = block;
  for (let i = axis; i < points.length; i += 2) points[i] = (from + (at + points[i]!) * step - centre) * arcsec;
}

/** Replaces arcseconds from the Sun's centre by places among samples. */
function toSamples(points: Float64Array, axis: 0 | 1, centre: number, arcsec: number, samples: number): void {
  for (let i = axis; i < points.length; i += 2) points[i] = (centre + points[i]! / arcsec) * samples - 0.5;
}

/** Where points of a picture are among the samples of an image that lies north up. */
function uprightPlacing(geometry: ImageGeometry, { width, height }: Size): PlacingAll {
  const [sun, scale] = [sunCentre(geometry), geometry.scaleArcsecPerPixel];
  const [across, down] = [width / geometry.width, height / geometry.height];
  return (points) => {
    toSamples(points, 0, sun.x, scale, across);
    toSamples(points, 1, sun.y, scale, down);
  };
}

/** Whether a download hides the occulter of an image: that of a filtered one, which is not black in MGN, is always hidden. */
export function isMaskedDownload({ image, ...layer }: ImageLayer<ArchivedImage>): boolean {
  const mask = findSource(image.sourceId)?.mask;
  return Boolean(mask && (mask.masksDownloads || isEnhanced(layer)));
}

/** Maps a grid to another image: the Sun's centres coincide, and both scales are as seen from 1 au. */
export function coRegisteredGrid(grid: PixelGrid, from: ImageGeometry, to: ImageGeometry): PixelGrid {
  const ratio = from.scaleArcsecPerPixel / to.scaleArcsecPerPixel;
  const [a, b] = [sunCentre(from), sunCentre(to)];
  return {
    ...grid,
    left: b.x + (grid.left - a.x) * ratio,
    top: b.y + (grid.top - a.y) * ratio,
    step: grid.step * ratio,
    rowStep: rowStepOf(grid) * ratio,
  };
}

function intersection(a: Coverage, b: Coverage): Coverage {
  const [x0, y0] = [Math.max(a.x0, b.x0), Math.max(a.y0, b.y0)];
  return { x0, y0, x1: Math.max(x0, Math.min(a.x1, b.x1)), y1: Math.max(y0, Math.min(a.y1, b.y1)) };
}

/** The least of alphas at each pixel; null where there is none. */
function leastOf(alphas: readonly (Uint8Array | null | undefined)[]): Uint8Array | null {
  const [first = null, ...others] = alphas.filter((alpha) => alpha != null);
  return others.reduce((least, alpha) => least?.map((value, i) => Math.min(value, alpha[i]!)) ?? null, first);
}

/** Samples decoded per output row, in both dimensions of the resampling; at least one per output pixel. */
function samplesPerRow(grid: PixelGrid): number {
  const scale = 2 ** gridLevels(grid, Number.POSITIVE_INFINITY);
  return grid.width * Math.max(1, grid.step / scale) * Math.max(1, rowStepOf(grid) / scale);
}

/** Rows of a strip: as many as keep the decoded window of the finest layer within `stripSamples`. */
export function rowsPerStrip(grids: readonly PixelGrid[], height: number, stripSamples = STRIP_SAMPLES): number {
  const most = Math.max(...grids.map(samplesPerRow));
  return Math.min(height, Math.max(MIN_STRIP_ROWS, Math.floor(stripSamples / most)));
}

/** Samples of each image that a picture in a projection holds at a time, with their opacity: at most those of the image, or of the Sun in it. */
export function windowsOf(
  {
    projection,
    imageScaleArcsecPerPixel,
    width,
    height,
  }: Pick<Picture, 'imageScaleArcsecPerPixel'> & Size & { readonly projection?: Projection | undefined },
  images: readonly ArchivedImage[],
): number[] {
  if (!projection) return [];
  const isOfSun = PROJECTIONS[projection.kind].finds === 'sun';
  return images.map(({ sourceId, geometry }) => {
    const level = 2 ** discardedLevels(imageScaleArcsecPerPixel / geometry.scaleArcsecPerPixel, Number.POSITIVE_INFINITY);
    const own = Math.min(geometry.width * geometry.height, isOfSun ? (2 * geometry.rsunPixels) ** 2 : Number.POSITIVE_INFINITY);
    const source = findSource(sourceId);
    const copies = source?.mask || source?.endsAtLimb ? 2 : 1;
    return copies * Math.ceil(Math.min(own / level ** 2, WARPED.perPixel * width * height, WARPED.samples));
  });
}

/** Bytes of the samples of a projection: those of all images, and the copy of the greatest in the core. */
export const windowBytesOf = (windows: readonly number[]): number =>
  windows.reduce((sum, samples) => sum + samples, Math.max(0, ...windows));

/** Below this share of visible pixels, the visible part of a block is drawn alone. */
const MOST_SHOWN = 0.8;

/** The strips of a grid that is drawn part by part, from top to bottom. */
export function* stripsOf(grid: PixelGrid): Generator<PixelGrid> {
  const { top, height } = grid;
  const rows = rowsPerStrip([grid], height);
  for (let y0 = 0; y0 < height; y0 += rows)
    yield { ...grid, top: top + y0 * rowStepOf(grid), height: Math.min(rows, height - y0) };
}

export class LayerRenderer extends Service<ImageReader> {
  /** Whether a layer can be drawn as it will stay. */
  async isReady({ image, reference, ...layer }: ImageLayer<ArchivedImage>, stopwatch: Stopwatch): Promise<boolean> {
    if (!hasTables(layer)) return true;
    const images = reference ? [image, reference] : [image];
    const tables = await Promise.all(images.map((each) => this.ports.statistics.ready(each, layer, stopwatch)));
    return !tables.includes(null);
  }

  /** The table of an image in a layer; a sketch of it where that would take long, unless it has to be exact. @throws as `draw` */
  async table(image: ArchivedImage, layer: Operations, pace: Pace, isExact: boolean) {
    const ready = await this.ports.statistics.ready(image, layer, pace);
    const table = ready ?? (await this.ports.table(await this.ports.open(image, pace), layer, pace, !isExact))!;
    return { table, isSketch: !ready && !isExact };
  }

  async origin(image: ArchivedImage, stopwatch: Stopwatch): Promise<ImageOrigin> {
    return this.ports.origin(await this.ports.open(image, stopwatch), stopwatch);
  }

  /**
   * Renders a layer on output pixels in the coordinates of its image, as if it were north up. Those outside the image are left uncovered, with
   * levels of 0.
   * @throws Jp2Error when the image cannot be decoded, Failure `missing-file` when its file does not exist
   */
  async draw(layer: ImageLayer<ArchivedImage>, grid: PixelGrid, purpose: Purpose, pace: Pace = UNTIMED, view: View = 'north') {
    const { image, reference } = layer;
    const drawing = { layer, purpose, pace, view };
    const open = await this.ports.open(image, pace);
    const isProjected = typeof view === 'object';
    const mask = await this.#maskOf(open, drawing);
    const ring = mask === 'black' ? null : mask;
    const { samples, covered: own, alpha: shown } = await this.#sample(open, drawing, grid, ring);
    const olderGrid = reference && coRegisteredGrid(grid, image.geometry, reference.geometry);
    const older = olderGrid && (await this.#sample(await this.ports.open(reference, pace), drawing, olderGrid, null));
    const covered = older ? intersection(own, older.covered) : own;
    const alpha = pace.measure('colour', () => {
      const masked = mask === 'black' ? blackAlpha(samples) : isProjected ? null : ring && ringAlpha(ring, grid, covered);
      return leastOf([masked, shown, older?.alpha]);
    });
    applyLevels(layer, { samples, reference: older?.samples ?? null, compare });
    const palette = coloursOf(layer, paletteOf(image.sourceId, image.takenAtMs, open.index.palette));
    return { width: grid.width, height: grid.height, samples, covered, alpha, palette };
  }

  /** What a layer shows of its image: what is not black, or a ring; null where that is all of it. */
  async #maskOf(open: OpenImage, { layer, purpose, view, pace }: Drawing): Promise<Ring | 'black' | null> {
    const { geometry, sourceId } = open.image;
    const source = findSource(sourceId);
    const isFrame = purpose === 'frame' || purpose === 'sketch';
    if (source?.isBlackTransparent && isFrame && !layer.reference) return 'black';
    if (!isFrame && !(purpose === 'download' && isMaskedDownload(layer))) return null;
    if (view === 'north') return visibleRing(source, geometry, (await this.#turned(open, view, pace))?.edges);
    return visibleRing(source, await this.#asFiled(open, pace));
  }

  /** The geometry of an image with the Sun's centre in its file, which differs where it has been turned about another point. */
  async #asFiled(open: OpenImage, pace: Pace): Promise<ImageGeometry> {
    const { geometry } = open.image;
    const turned = geometry.offsetX || geometry.offsetY ? (await this.ports.origin(open, pace)).turned : null;
    return turned ? asFiled(turned, geometry) : geometry;
  }

  async #decoded(open: OpenImage, reduce: number, { x0, y0, x1, y1 }: Rect, pace: Pace): Promise<Uint8Array> {
    const scale = 2 ** reduce;
    const window = { x0: x0 * scale, y0: y0 * scale, x1: x1 * scale, y1: y1 * scale };
    return greyBytes(await this.ports.samples(open, reduce, window, pace));
  }

  /** Samples after the filter of the layer on resolution levels, if it has one. Masked samples enter it as 0. */
  async #filtered(open: OpenImage, drawing: Drawing, reduce: number, inner: Rect): Promise<Uint8Array> {
    const { layer, purpose, pace } = drawing;
    if (!isOnLevels(layer)) return this.#decoded(open, reduce, inner, pace);
    const { geometry, sourceId } = open.image;
    const size = { width: open.index.size.x1, height: open.index.size.y1 };
    const level = { width: Math.ceil(size.width / 2 ** reduce), height: Math.ceil(size.height / 2 ** reduce) };
    const [x0, y0] = [Math.max(0, inner.x0 - MGN_APRON), Math.max(0, inner.y0 - MGN_APRON)];
    const [x1, y1] = [Math.min(level.width, inner.x1 + MGN_APRON), Math.min(level.height, inner.y1 + MGN_APRON)];
    const [width, height] = [x1 - x0, y1 - y0];
    if (width * height > MAX_WINDOW_SAMPLES && inner.y1 - inner.y0 > MIN_STRIP_ROWS) {
      // Too large to be decoded at once with the samples around it.
      const middle = (inner.y0 + inner.y1) >> 1;
      const upper = await this.#filtered(open, drawing, reduce, { ...inner, y1: middle });
      const lower = await this.#filtered(open, drawing, reduce, { ...inner, y0: middle });
      return concatenated([upper, lower]);
    }
    const [own, steady, filed] = await Promise.all([
      this.#decoded(open, reduce, { x0, y0, x1, y1 }, pace),
      this.ports.table(open, layer, pace, purpose === 'sketch'),
      this.#asFiled(open, pace),
    ]);
    await pace.pause(width * height);
    return pace.measure('colour', () => {
      const mask = findSource(sourceId)?.mask;
      const grid = levelGrid(geometry, size, reduce, { x0, y0, width, height });
      const alpha = mask ? ringAlpha(ringOf(mask, filed), grid, { x0: 0, y0: 0, x1: width, y1: height }) : null;
      const changed = (byte: number, i: number) => (alpha?.[i] === 0 ? 0 : (steady?.levels[byte] ?? byte));
      const samples = alpha || steady ? own.map(changed) : own;
      return mgn({ x0, y0, x1, y1, samples }, inner, level);
    });
  }

  /** How an image that a shift and a scale do not place lies in a picture; null for another image, and for its file. */
  async #turned(open: OpenImage, view: View, stopwatch: Stopwatch): Promise<Turned | null> {
    return view === 'file' ? null : (await this.ports.origin(open, stopwatch)).turned;
  }

  /** Samples of an image that is turned or bent, or in another projection: in blocks, each halved until it does not need too many samples. */
  async #warped(open: OpenImage, drawing: Drawing, grid: PixelGrid, reading: Reading): Promise<GridSamples> {
    const { geometry } = open.image;
    const { layer, pace } = drawing;
    const { width, height, left, top, step } = grid;
    const [sun, scale, rowStep] = [sunCentre(geometry), geometry.scaleArcsecPerPixel, rowStepOf(grid)];
    const size = { width: open.index.size.x1, height: open.index.size.y1 };
    // The level is that of the scale everywhere, so that no edges are seen between parts of a picture.
    const pixels = step * Math.sqrt((size.width * size.height) / (geometry.width * geometry.height));
    const reduce = discardedLevels(pixels, discardableLevels(open.index));
    const [samples, alpha] = [new Uint8Array(width * height), new Uint8Array(width * height)];
    const blocks = [{ x: 0, y: 0, width, height }];
    let isShown = false;
    for (let block = blocks.pop(); block; block = blocks.pop()) {
      const across = { at: block.x, from: left, step, centre: sun.x };
      const down = { at: block.y, from: top, step: rowStep, centre: sun.y };
      const place: PlacingAll = (points) => {
        fromSun(points, 0, across, scale);
        fromSun(points, 1, down, scale);
        reading.place(points);
      };
      const whole = pace.measure('colour', () => new NodeTable(block, place, { each: 1, pixels: 2 ** reduce }));
      const { seen } = whole;
      const shown = { width: Math.min(seen.x1, block.width) - seen.x0, height: Math.min(seen.y1, block.height) - seen.y0 };
      if (shown.width <= 0 || shown.height <= 0) continue;
      const isCut = shown.width * shown.height < MOST_SHOWN * block.width * block.height;
      const { x, y, ...part } = isCut ? { x: block.x + seen.x0, y: block.y + seen.y0, ...shown } : block;
      const table = isCut ? whole.from(seen.x0, seen.y0, part) : whole;
      const plan = gatherPlan(table, size, reduce);
      const { x0, y0, x1, y1 } = plan.window;
      if (!(x1 > x0 && y1 > y0)) continue;
      const count = (x1 - x0) * (y1 - y0);
      const leastSide = count > MAX_WINDOW_SAMPLES ? 1 : MIN_STRIP_ROWS;
      if (count > WARPED.samples && Math.max(part.width, part.height) > leastSide) {
        const [across, down] = part.width > part.height ? [part.width >> 1, 0] : [0, part.height >> 1];
        blocks.push({ x: x + across, y: y + down, width: part.width - across, height: part.height - down });
        blocks.push({ x, y, width: across || part.width, height: down || part.height });
        continue;
      }
      const level = await (isEnhanced(layer)
        ? this.#filtered(open, drawing, reduce, plan.window)
        : this.#decoded(open, reduce, plan.window, pace));
      await pace.pause(WARPED.cost * PICTURE_COST.drawnPixel * part.width * part.height);
      pace.measure('colour', () => {
        const cells = levelGrid(geometry, size, reduce, { x0, y0, width: x1 - x0, height: y1 - y0 });
        const all = { x0: 0, y0: 0, x1: cells.width, y1: cells.height };
        if (reading.table) applyTable(level, reading.table, cells, all, geometry, reading.turned);
        gather(level, plan, size, table, part, { samples, alpha, at: y * width + x, stride: width });
        const shown = reading.ring && ringAlpha(reading.ring, cells, all);
        const masked = shown?.some((share) => share < 255) ? gather(shown, plan, size, table, part).samples : null;
        for (let row = 0; row < part.height; row++) {
          const from = (y + row) * width + x;
          const own = alpha.subarray(from, from + part.width);
          if (masked) own.set(leastOf([own, masked.subarray(row * part.width, (row + 1) * part.width)])!);
          isShown ||= own.some((share) => share > 0);
        }
        table.release();
      });
    }
    const covered = { x0: 0, y0: 0, x1: isShown ? width : 0, y1: height };
    return { samples, covered, alpha: alpha.every((share) => share === 255) ? null : alpha };
  }

  async #sample(open: OpenImage, drawing: Drawing, pictured: PixelGrid, ring: Ring | null): Promise<GridSamples> {
    const { layer, purpose, view, pace } = drawing;
    const { x1: width, y1: height } = open.index.size;
    const turned = await this.#turned(open, view, pace);
    const mapping = typeof view === 'object' ? mappingOf(view.projection, view.observer, view.distanceRadii) : null;
    if (turned || mapping) {
      const isFiltered = !isEnhanced(layer) || isOnLevels(layer);
      const table = isFiltered ? null : await this.ports.table(open, layer, pace, purpose === 'sketch');
      const { geometry } = open.image;
      const own = turned
        ? eachBy((x, y) => (Number.isNaN(x) ? null : turned.placing({ x, y })))
        : uprightPlacing(geometry, { width, height });
      const through: PlacingAll = (points) => {
        mapping!.toPlanes(points);
        own(points);
      };
      const reading = mapping ? { place: through, ring, table, turned } : { place: own, ring: null, table: null, turned: null };
      const drawn = await this.#warped(open, drawing, pictured, reading);
      if (table && !mapping) pace.measure('colour', () => applyTable(drawn.samples, table, pictured, drawn.covered, geometry));
      return drawn;
    }
    const grid = gridOfSamples(pictured, open.image.geometry, { width, height });
    const reduce = gridLevels(grid, discardableLevels(open.index));
    const x = triangleTaps({ start: grid.left, step: grid.step, count: grid.width, size: width, reduce });
    const y = triangleTaps({ start: grid.top, step: rowStepOf(grid), count: grid.height, size: height, reduce });
    const samples = new Uint8Array(grid.width * grid.height);
    if (x.from === x.to || y.from === y.to) return { samples, covered: { x0: 0, y0: 0, x1: 0, y1: 0 } };
    const inner = { x0: x.first, y0: y.first, x1: x.end, y1: y.end };
    const isChanged = isEnhanced(layer);
    const [level, table] = await Promise.all([
      isChanged ? this.#filtered(open, drawing, reduce, inner) : this.#decoded(open, reduce, inner, pace),
      isChanged ? this.ports.table(open, layer, pace, purpose === 'sketch') : null,
    ]);
    await pace.pause(PICTURE_COST.drawnPixel * grid.width * grid.height);
    const covered = { x0: x.from, y0: y.from, x1: x.to, y1: y.to };
    const filed = table && view === 'file' ? (await this.ports.origin(open, pace)).turned : null;
    pace.measure('colour', () => {
      resample(level, x, y, samples, grid.width);
      if (table && !isOnLevels(layer)) applyTable(samples, table, pictured, covered, open.image.geometry, filed);
    });
    return { samples, covered };
  }
}
