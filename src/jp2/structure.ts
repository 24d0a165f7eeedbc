// Geometry of a tile (ISO/IEC 15444-1 Annex B): tile-components, resolution levels, subbands, precincts, on integer grids.
import { malformed } from './errors.ts';
import type { CodingStyle, ImageSize, Quantisation, TileParameters } from './markers.ts';

/** x0, y0 inclusive, x1, y1 exclusive. */
export type Rect = { readonly x0: number; readonly y0: number; readonly x1: number; readonly y1: number };

export interface Subband extends Rect {
  /** 0 LL, 1 HL, 2 LH, 3 HH. */
  readonly orientation: number;
  /** Mb of equation E-2. */
  readonly bitplanes: number;
  /** Step size of equation E-3; 1 without quantisation. */
  readonly step: number;
}

export interface Resolution extends Rect {
  readonly level: number;
  readonly bands: readonly Subband[];
  readonly log2PrecinctWidth: number;
  readonly log2PrecinctHeight: number;
  /** Column and row of the first precinct, counted from 0 of the reference grid. */
  readonly precinctX0: number;
  readonly precinctY0: number;
  readonly precinctsAcross: number;
  readonly precinctsDown: number;
  /** log2 sizes of the code-blocks, limited by the precinct (B.7). */
  readonly log2CodeblockWidth: number;
  readonly log2CodeblockHeight: number;
  /** Number of the first precinct of this level among all precincts of the tile-component. */
  readonly firstPrecinct: number;
}

export interface TileComponent extends Rect {
  readonly coding: CodingStyle;
  readonly roiShift: number;
  readonly resolutions: readonly Resolution[];
  readonly precinctCount: number;
}

/** ceil(a / 2^n), exact for a below 2^53. */
export const ceilShift = (a: number, n: number): number => Math.ceil(a / 2 ** n);
export const floorShift = (a: number, n: number): number => Math.floor(a / 2 ** n);

export const isEmpty = (r: Rect): boolean => r.x1 <= r.x0 || r.y1 <= r.y0;

export const intersect = (a: Rect, b: Rect): Rect => ({
  x0: Math.max(a.x0, b.x0),
  y0: Math.max(a.y0, b.y0),
  x1: Math.min(a.x1, b.x1),
  y1: Math.min(a.y1, b.y1),
});

/** Tile `number` on the reference grid (equations B-7 to B-10). */
export function tileRect(size: ImageSize, number: number): Rect {
  const p = number % size.tilesAcross;
  const q = Math.floor(number / size.tilesAcross);
  const x0 = size.tileX0 + p * size.tileWidth;
  const y0 = size.tileY0 + q * size.tileHeight;
  return intersect({ x0, y0, x1: x0 + size.tileWidth, y1: y0 + size.tileHeight }, size);
}

/** A rectangle of the reference grid on the grid of a component (equation B-12). */
export const onComponent = ({ x0, y0, x1, y1 }: Rect, dx: number, dy: number): Rect => ({
  x0: Math.ceil(x0 / dx),
  y0: Math.ceil(y0 / dy),
  x1: Math.ceil(x1 / dx),
  y1: Math.ceil(y1 / dy),
});

/** A rectangle of a component after `levels` decompositions (equation B-14). */
export const reduceRect = (rect: Rect, levels: number): Rect => onComponent(rect, 2 ** levels, 2 ** levels);

/** A rectangle of a component in a subband of the last of so many decompositions (equation B-15). */
export function bandRect({ x0, y0, x1, y1 }: Rect, decompositions: number, orientation: number): Rect {
  const half = 2 ** (decompositions - 1);
  const [right, down] = [orientation & 1 ? half : 0, orientation & 2 ? half : 0];
  return reduceRect({ x0: x0 - right, y0: y0 - down, x1: x1 - right, y1: y1 - down }, decompositions);
}

/** Subband gains, log2 (table E.1). */
const GAIN = [0, 1, 1, 2] as const;

function stepOf(q: Quantisation, level: number, orientation: number): { exponent: number; mantissa: number } {
  if (q.style === 1) {
    // Derived: equation E-5.
    const base = q.steps[0] as { exponent: number; mantissa: number };
    return { exponent: base.exponent - (level === 0 ? 0 : level - 1), mantissa: base.mantissa };
  }
  const step = q.steps[level === 0 ? 0 : 3 * (level - 1) + orientation];
  if (!step) throw malformed('QCD or QCC has fewer step sizes than there are subbands.');
  return step;
}

function subband(tc: Rect, coding: CodingStyle, q: Quantisation, precision: number, level: number, orientation: number): Subband {
  const decompositions = level === 0 ? coding.levels : coding.levels - level + 1;
  const { exponent, mantissa } = stepOf(q, level, orientation);
  const step = coding.reversible || q.style === 0 ? 1 : 2 ** (precision + GAIN[orientation]! - exponent) * (1 + mantissa / 2048);
  return { orientation, ...bandRect(tc, decompositions, orientation), bitplanes: q.guardBits + exponent - 1, step };
}

function resolution(tc: Rect, coding: CodingStyle, q: Quantisation, precision: number, level: number, firstPrecinct: number) {
  const rect = reduceRect(tc, coding.levels - level);
  const [ppx, ppy] = coding.precincts[level] as readonly [number, number];
  const precinctX0 = floorShift(rect.x0, ppx);
  const precinctY0 = floorShift(rect.y0, ppy);
  const bandShift = level === 0 ? 0 : 1;
  return {
    ...rect,
    level,
    bands: (level === 0 ? [0] : [1, 2, 3]).map((orientation) => subband(tc, coding, q, precision, level, orientation)),
    log2PrecinctWidth: ppx,
    log2PrecinctHeight: ppy,
    precinctX0,
    precinctY0,
    precinctsAcross: rect.x1 > rect.x0 ? ceilShift(rect.x1, ppx) - precinctX0 : 0,
    precinctsDown: rect.y1 > rect.y0 ? ceilShift(rect.y1, ppy) - precinctY0 : 0,
    log2CodeblockWidth: Math.min(coding.log2CodeblockWidth, ppx - bandShift),
    log2CodeblockHeight: Math.min(coding.log2CodeblockHeight, ppy - bandShift),
    firstPrecinct,
  };
}

/** The component transform mixes the first three components sample by sample (G.2, G.3). */
function requireAlikeForTransform({ components }: ImageSize, { componentTransform, coding }: TileParameters): void {
  if (!componentTransform || components.length < 3) return;
  const alike = (c: number): boolean =>
    components[c]?.dx === components[0]?.dx &&
    components[c]?.dy === components[0]?.dy &&
    coding[c]?.reversible === coding[0]?.reversible;
  if (!alike(1) || !alike(2)) throw malformed('The three components of the component transform differ in size or coding.');
}

export function tileComponents(size: ImageSize, number: number, parameters: TileParameters): TileComponent[] {
  requireAlikeForTransform(size, parameters);
  const tile = tileRect(size, number);
  return size.components.map((component, c) => {
    const coding = parameters.coding[c] as CodingStyle;
    const quantisation = parameters.quantisation[c] as Quantisation;
    const rect = onComponent(tile, component.dx, component.dy);
    const resolutions: Resolution[] = [];
    let precinctCount = 0;
    for (let level = 0; level <= coding.levels; level++) {
      const next = resolution(rect, coding, quantisation, component.precision, level, precinctCount);
      resolutions.push(next);
      precinctCount += next.precinctsAcross * next.precinctsDown;
    }
    return { ...rect, coding, roiShift: parameters.roiShift[c] ?? 0, resolutions, precinctCount };
  });
}

/** The part of subband `band` that belongs to precinct `k` (raster order) of its resolution level (B.6). */
export function precinctBand(r: Resolution, k: number, band: Subband): Rect {
  const shift = r.level === 0 ? 0 : 1;
  const width = 2 ** (r.log2PrecinctWidth - shift);
  const height = 2 ** (r.log2PrecinctHeight - shift);
  const x0 = (r.precinctX0 + (k % r.precinctsAcross)) * width;
  const y0 = (r.precinctY0 + Math.floor(k / r.precinctsAcross)) * height;
  return intersect({ x0, y0, x1: x0 + width, y1: y0 + height }, band);
}

export function codeblocksPerPrecinct(r: Resolution): number {
  let blocks = 0;
  for (const band of r.bands) {
    const shift = r.level === 0 ? 0 : 1;
    const width = Math.min(2 ** (r.log2PrecinctWidth - shift), band.x1 - band.x0);
    const height = Math.min(2 ** (r.log2PrecinctHeight - shift), band.y1 - band.y0);
    blocks += ceilShift(Math.max(0, width), r.log2CodeblockWidth) * ceilShift(Math.max(0, height), r.log2CodeblockHeight);
  }
  return blocks;
}
