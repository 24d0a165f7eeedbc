// Plans the samples, precincts and bytes of a window (ISO/IEC 15444-1 B.6, F.3), without decoding.
import type { ByteRange } from './byte-source.ts';
import { type CoreExports, checked, checkedAddress, copyIn, withCore } from './core/core.ts';
import { malformed, tooLarge } from './errors.ts';
import { MAX_RANGES, MAX_WINDOW_SAMPLES, MAX_WINDOW_SAMPLES_IN_ALL, RANGE_GAP_BYTES } from './limits.ts';
import { type LevelIndex, openPrecinct, type PackedLevel, type TileIndex } from './packet-index.ts';
import type { Jp2Index } from './sidecar.ts';
import type { Rect, Resolution, TileComponent } from './structure.ts';
import { bandRect, floorShift, intersect, isEmpty, onComponent, reduceRect } from './structure.ts';

/** A part of an image at some resolution. */
export interface WindowRequest {
  /** Resolution levels to discard: the result is 2^reduce times smaller. */
  readonly reduce: number;
  /** On the reference grid at full resolution; clipped to the image. */
  readonly window: Rect;
}

/** Contribution of one resolution level. Rectangles are on the grid of the level or of its subbands. */
export interface LevelPlan {
  readonly level: number;
  /** Samples that the next level or the caller needs. */
  readonly wanted: Rect;
  /** Samples with the margin that the inverse transform reaches into. */
  readonly window: Rect;
  /** The window on each subband. */
  readonly bands: readonly Rect[];
  /** Precincts that touch the window, raster numbers. */
  readonly precincts: readonly number[];
}

export interface ComponentPlan {
  readonly component: number;
  /** From level 0 to the requested one. */
  readonly levels: readonly LevelPlan[];
}

export type TilePlan = { readonly tile: TileIndex; readonly components: readonly ComponentPlan[] };

export interface WindowPlan {
  /** The window of every component, on its reduced grid. */
  readonly rects: readonly Rect[];
  readonly tiles: readonly TilePlan[];
}

/** Precincts that touch parts of the subbands of a level. */
export function precinctsOf(r: Resolution, bands: readonly Rect[]): number[] {
  const shift = r.level === 0 ? 0 : 1;
  const found = new Set<number>();
  for (const band of bands) {
    if (isEmpty(band)) continue;
    const column0 = Math.max(0, floorShift(band.x0, r.log2PrecinctWidth - shift) - r.precinctX0);
    const column1 = Math.min(r.precinctsAcross - 1, floorShift(band.x1 - 1, r.log2PrecinctWidth - shift) - r.precinctX0);
    const row0 = Math.max(0, floorShift(band.y0, r.log2PrecinctHeight - shift) - r.precinctY0);
    const row1 = Math.min(r.precinctsDown - 1, floorShift(band.y1 - 1, r.log2PrecinctHeight - shift) - r.precinctY0);
    for (let row = row0; row <= row1; row++)
      for (let column = column0; column <= column1; column++) found.add(row * r.precinctsAcross + column);
  }
  return [...found].sort((a, b) => a - b);
}

/** Levels 0 to `tc.coding.levels - reduce` for a window on the component grid. */
export function planComponent(tc: TileComponent, component: number, reduce: number, window: Rect): ComponentPlan {
  const top = tc.coding.levels - reduce;
  const levels: LevelPlan[] = [];
  let wanted = intersect(reduceRect(window, reduce), tc.resolutions[top] as Resolution);
  for (let level = top; level >= 0; level--) {
    const r = tc.resolutions[level] as Resolution;
    // Samples that the synthesis needs beyond its result: those of the 5/3 and of the 9/7 filters (tables F.2, F.3).
    const margin = level === 0 ? 0 : tc.coding.reversible ? 2 : 4;
    const grown = intersect(
      { x0: wanted.x0 - margin, y0: wanted.y0 - margin, x1: wanted.x1 + margin, y1: wanted.y1 + margin },
      r,
    );
    const bands = level === 0 ? [grown] : r.bands.map(({ orientation }) => bandRect(grown, 1, orientation));
    levels.unshift({ level, wanted, window: grown, bands, precincts: precinctsOf(r, bands) });
    wanted = reduceRect(grown, 1);
  }
  return { component, levels };
}

/**
 * Plans a window: what to read and decode of each tile, component and resolution level.
 * @throws Jp2Error (too-large) when the window has more than MAX_WINDOW_SAMPLES
 * @throws RangeError when a component has fewer levels than are discarded
 */
export function planWindow(index: Jp2Index, request: WindowRequest): WindowPlan {
  const { size } = index;
  const window = intersect(request.window, size);
  const rects = size.components.map(({ dx, dy }) => reduceRect(onComponent(window, dx, dy), request.reduce));
  let inAll = 0;
  for (const rect of rects) {
    const samples = Math.max(0, rect.x1 - rect.x0) * Math.max(0, rect.y1 - rect.y0);
    if (samples > MAX_WINDOW_SAMPLES) throw tooLarge(`The window has ${samples} samples, more than ${MAX_WINDOW_SAMPLES}.`);
    inAll += samples;
  }
  if (inAll > MAX_WINDOW_SAMPLES_IN_ALL)
    throw tooLarge(`The window has ${inAll} samples in all components, more than ${MAX_WINDOW_SAMPLES_IN_ALL}.`);
  const tiles: TilePlan[] = [];
  for (const tile of isEmpty(window) ? [] : index.tiles) {
    const components: ComponentPlan[] = [];
    tile.components.forEach((tc, c) => {
      if (request.reduce > tc.coding.levels)
        throw new RangeError(`Cannot discard ${request.reduce} of ${tc.coding.levels} levels.`);
      const { dx, dy } = size.components[c] as { dx: number; dy: number };
      const plan = planComponent(tc, c, request.reduce, onComponent(window, dx, dy));
      if (!isEmpty((plan.levels.at(-1) as LevelPlan).wanted)) components.push(plan);
    });
    if (components.length) tiles.push({ tile, components });
  }
  return { rects, tiles };
}

/** Reads the packet headers of a precinct from the sidecar into the core. Returns the precinct's address. */
export function readPackedPrecinct(
  core: CoreExports,
  tile: TileIndex,
  component: number,
  r: Resolution,
  level: PackedLevel,
  k: number,
): number {
  const { layers } = tile.parameters;
  const tc = tile.components[component] as TileComponent;
  const precinct = openPrecinct(core, tc, r, k);
  let from = copyIn(core, level.headers.subarray(level.headerStarts[k], level.headerStarts[k + 1]));
  for (let layer = 0; layer < layers; layer++) {
    const packet = k * layers + layer;
    const length = level.headerLengths[packet]!;
    const bodyOffset = level.bodyOffsets[packet]!;
    checked(core.readPacket(precinct, layer, tc.coding.blockStyle, from, from + length, bodyOffset, 1));
    if ((core.packetBodyLength.value as number) >>> 0 !== level.bodyLengths[packet])
      throw malformed('A packet body has another length than its header states.');
    from += length;
  }
  return precinct;
}

function codeblockRanges(tile: TileIndex, component: number, plan: LevelPlan, level: PackedLevel, into: ByteRange[]): void {
  const r = (tile.components[component] as TileComponent).resolutions[plan.level] as Resolution;
  withCore((core) => {
    for (const k of plan.precincts) {
      const before = core.mark();
      const precinct = readPackedPrecinct(core, tile, component, r, level, k);
      plan.bands.forEach((band, b) => {
        const { x0, y0, x1, y1 } = band;
        const found = core.listBandRanges(precinct, b, x0, y0, x1, y1, 0, 0);
        const out = checkedAddress(core.alloc(found * 8));
        core.listBandRanges(precinct, b, x0, y0, x1, y1, out, found);
        const pairs = new Uint32Array(core.memory.buffer, out, found * 2);
        for (let i = 0; i < found; i++) into.push({ offset: pairs[2 * i]!, length: pairs[2 * i + 1] as number });
      });
      core.release(before);
    }
  });
}

/** Joins ranges that overlap or are at most `gap` bytes apart, then the nearest ones until at most `most` are left. */
export function coalesce(ranges: readonly ByteRange[], gap = RANGE_GAP_BYTES, most = MAX_RANGES): ByteRange[] {
  const sorted = ranges.filter((range) => range.length > 0).sort((a, b) => a.offset - b.offset);
  const joined: { offset: number; end: number }[] = [];
  for (const { offset, length } of sorted) {
    const last = joined.at(-1);
    if (last && offset <= last.end + gap) last.end = Math.max(last.end, offset + length);
    else joined.push({ offset, end: offset + length });
  }
  const gapBefore = (i: number): number => (joined[i] as { offset: number }).offset - (joined[i - 1] as { end: number }).end;
  const starts = joined
    .map((_, i) => i)
    .slice(1)
    .sort((a, b) => gapBefore(b) - gapBefore(a))
    .slice(0, most - 1)
    .sort((a, b) => a - b);
  return (joined.length ? [0, ...starts] : []).map((first, i) => {
    const { offset } = joined[first] as { offset: number };
    const { end } = joined[(starts[i] ?? joined.length) - 1] as { end: number };
    return { offset, length: end - offset };
  });
}

/** The coalesced byte ranges of the codestream for the levels of a plan that `isNeeded` names; for all by default. */
export function windowRanges(plan: WindowPlan, isNeeded: (level: number) => boolean = () => true): ByteRange[] {
  const ranges: ByteRange[] = [];
  for (const { tile, components } of plan.tiles)
    for (const { component, levels } of components) {
      for (const levelPlan of levels.filter(({ level }) => isNeeded(level))) {
        const level = (tile.levels[component] as readonly LevelIndex[])[levelPlan.level] as LevelIndex;
        if (level.kind === 'packed') codeblockRanges(tile, component, levelPlan, level, ranges);
        else for (const k of levelPlan.precincts) ranges.push({ offset: level.offsets[k]!, length: level.lengths[k] as number });
      }
    }
  return coalesce(ranges);
}

/** Resolution levels that can be discarded in every tile and component. */
export const discardableLevels = (index: Jp2Index): number =>
  Math.min(...index.tiles.flatMap((tile) => tile.components.map((tc) => tc.coding.levels)));

/** Levels to discard so that the longer side has at most `side` samples; all when none is so small. */
export function coarsestLevels(index: Jp2Index, side: number): number {
  const longer = Math.max(index.size.x1 - index.size.x0, index.size.y1 - index.size.y0);
  return Math.min(discardableLevels(index), Math.max(0, Math.ceil(Math.log2(longer / side))));
}
