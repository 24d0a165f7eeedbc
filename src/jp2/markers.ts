// Marker segments of main and tile-part headers (ISO/IEC 15444-1 Annex A) as plain data.
import type { ByteReader } from './bytes.ts';
import { malformed, tooLarge, unsupported } from './errors.ts';
import { MAX_COMPONENTS, MAX_COORDINATE, MAX_IMAGE_SIDE, MAX_PRECISION, MAX_TILES } from './limits.ts';

export const SOC = 0xff4f;
export const SOT = 0xff90;
export const SOD = 0xff93;
export const EOC = 0xffd9;
export const SIZ = 0xff51;
const CAP = 0xff50;
const COD = 0xff52;
const COC = 0xff53;
export const QCD = 0xff5c;
export const QCC = 0xff5d;
const RGN = 0xff5e;
export const POC = 0xff5f;
export const PPM = 0xff60;
export const PPT = 0xff61;
export const PLT = 0xff58;

interface ComponentSize {
  readonly precision: number;
  readonly signed: boolean;
  /** XRsiz, YRsiz: sample distance on the reference grid. */
  readonly dx: number;
  readonly dy: number;
}

/** SIZ (A.5.1). The image is [x0, x1) x [y0, y1) of the reference grid. */
export type ImageSize = Readonly<ReturnType<typeof readSize>>;

/** SPcod, SPcoc (tables A.15, A.20). */
export interface CodingStyle {
  readonly levels: number;
  readonly log2CodeblockWidth: number;
  readonly log2CodeblockHeight: number;
  readonly blockStyle: number;
  readonly reversible: boolean;
  /** log2 width and height of the precincts of each resolution level. */
  readonly precincts: readonly (readonly [number, number])[];
}

/** QCD, QCC (A.6.4). `style` 0 none, 1 derived, 2 expounded. */
export interface Quantisation {
  readonly style: number;
  readonly guardBits: number;
  readonly steps: readonly { readonly exponent: number; readonly mantissa: number }[];
}

/** One progression of POC (A.6.6); ends are exclusive. */
export interface ProgressionVolume {
  readonly order: number;
  readonly resolution0: number;
  readonly resolution1: number;
  readonly component0: number;
  readonly component1: number;
  readonly layer1: number;
}

export interface HeaderMarkers {
  style?: { order: number; layers: number; componentTransform: boolean; coding: CodingStyle };
  readonly coding: Map<number, CodingStyle>;
  quantisation?: Quantisation;
  readonly quantisations: Map<number, Quantisation>;
  readonly roiShifts: Map<number, number>;
  readonly progressions: ProgressionVolume[];
}

export const emptyHeader = (): HeaderMarkers => ({
  coding: new Map(),
  quantisations: new Map(),
  roiShifts: new Map(),
  progressions: [],
});

/** Bits of the code-block style outside Part 1: high-throughput blocks (0x40) and a reserved bit. */
const CODEBLOCK_STYLE_BEYOND = 0xc0;

/**
 * The content of SIZ (A.5.1) after its length.
 * @throws Jp2Error for an image or tiles without area, a size or a number of components above the limits, and HT code-blocks
 */
export function readSize(r: ByteReader) {
  const capabilities = r.u16();
  if (capabilities & 0x4000) throw unsupported('High-throughput code-blocks (HT, Part 15) are not supported.');
  const [x1, y1, x0, y0] = [r.u32(), r.u32(), r.u32(), r.u32()];
  const [tileWidth, tileHeight, tileX0, tileY0] = [r.u32(), r.u32(), r.u32(), r.u32()];
  const count = r.u16();
  if (x1 <= x0 || y1 <= y0) throw malformed('SIZ states an empty image.');
  if (x1 > MAX_COORDINATE || y1 > MAX_COORDINATE)
    throw tooLarge(`SIZ states the coordinate ${Math.max(x1, y1)}, more than ${MAX_COORDINATE}.`);
  if (x1 - x0 > MAX_IMAGE_SIDE || y1 - y0 > MAX_IMAGE_SIDE)
    throw tooLarge(`The image has ${x1 - x0} x ${y1 - y0} samples, more than ${MAX_IMAGE_SIDE} x ${MAX_IMAGE_SIDE}.`);
  if (!tileWidth || !tileHeight || tileX0 > x0 || tileY0 > y0 || tileX0 + tileWidth <= x0 || tileY0 + tileHeight <= y0)
    throw malformed('The first tile of SIZ does not cover the origin of the image.');
  if (count < 1) throw malformed('SIZ states no component.');
  if (count > MAX_COMPONENTS) throw tooLarge(`The image has ${count} components, more than ${MAX_COMPONENTS}.`);
  const components: ComponentSize[] = [];
  for (let i = 0; i < count; i++) {
    const [depth, dx, dy] = [r.u8(), r.u8(), r.u8()];
    const precision = (depth & 127) + 1;
    if (precision > MAX_PRECISION)
      throw unsupported(`Samples of ${precision} bits are not supported, only of 1 to ${MAX_PRECISION}.`);
    if (!dx || !dy) throw malformed('SIZ states a sample distance of 0.');
    if (Math.ceil(x1 / dx) <= Math.ceil(x0 / dx) || Math.ceil(y1 / dy) <= Math.ceil(y0 / dy))
      throw malformed(`Component ${i} has no samples.`);
    components.push({ precision, signed: depth > 127, dx, dy });
  }
  const tilesAcross = Math.ceil((x1 - tileX0) / tileWidth);
  const tilesDown = Math.ceil((y1 - tileY0) / tileHeight);
  if (tilesAcross * tilesDown > MAX_TILES)
    throw tooLarge(`The image has ${tilesAcross * tilesDown} tiles, more than ${MAX_TILES}.`);
  return { x0, y0, x1, y1, tileX0, tileY0, tileWidth, tileHeight, tilesAcross, tilesDown, components };
}

function readCodingStyle(r: ByteReader, ownPrecincts: boolean): CodingStyle {
  const [levels, width, height, blockStyle, transform] = [r.u8(), r.u8() + 2, r.u8() + 2, r.u8(), r.u8()];
  if (levels > 32) throw malformed(`The transform has ${levels} decomposition levels, more than 32.`);
  if (blockStyle & CODEBLOCK_STYLE_BEYOND) throw unsupported('High-throughput code-blocks (HT, Part 15) are not supported.');
  if (width > 10 || height > 10 || width + height > 12)
    throw malformed(`Code-blocks of 2^${width} x 2^${height} samples exceed the standard's 4096.`);
  if (transform > 1) throw unsupported(`Wavelet transform ${transform} is not supported, only 0 and 1.`);
  const precincts: [number, number][] = [];
  for (let level = 0; level <= levels; level++) {
    const size = ownPrecincts ? r.u8() : 0xff;
    if (level > 0 && ((size & 15) === 0 || size >> 4 === 0))
      throw malformed('A precinct above the lowest resolution level has a side of one sample.');
    precincts.push([size & 15, size >> 4]);
  }
  return { levels, log2CodeblockWidth: width, log2CodeblockHeight: height, blockStyle, reversible: transform === 1, precincts };
}

function readQuantisation(r: ByteReader): Quantisation {
  const byte = r.u8();
  const style = byte & 31;
  if (style > 2) throw unsupported(`Quantisation style ${style} is not supported, only 0 to 2.`);
  const steps: { exponent: number; mantissa: number }[] = [];
  while (r.left > 0 && steps.length < 97) {
    if (style === 0) steps.push({ exponent: r.u8() >> 3, mantissa: 0 });
    else {
      const value = r.u16();
      steps.push({ exponent: value >> 11, mantissa: value & 0x7ff });
    }
  }
  if (steps.length === 0) throw malformed('QCD or QCC has no step size.');
  return { style, guardBits: byte >> 5, steps };
}

/** A component number, or the end of a range: one byte, or two in images of 257 components or more. */
const readComponentNumber = (r: ByteReader, components: number): number => (components < 257 ? r.u8() : r.u16());

function readComponent(r: ByteReader, components: number): number {
  const c = readComponentNumber(r, components);
  if (c >= components) throw malformed(`A marker segment names component ${c} of ${components}.`);
  return c;
}

function readProgressions(r: ByteReader, components: number, into: ProgressionVolume[]): void {
  while (r.left > 0) {
    const [resolution0, component0] = [r.u8(), readComponentNumber(r, components)];
    const [layer1, resolution1] = [r.u16(), r.u8()];
    const [component1, order] = [readComponentNumber(r, components), r.u8()];
    if (order > 4) throw malformed(`POC has progression order ${order} instead of 0 to 4.`);
    // Table A.32: 0 means 256, or 16 384 in two bytes; either way all components.
    into.push({ order, resolution0, resolution1, component0, component1: component1 || components, layer1 });
    if (into.length > 1024) throw tooLarge('POC has more than 1024 progressions.');
  }
}

/** True for marker segments of a tile-part header that `readSegment` uses. */
export const changesParameters = (marker: number): boolean => [COD, COC, QCD, QCC, RGN, POC].includes(marker);

/** Reads one marker segment into `header`, skipping unknown ones (A.1.3). `r` covers the content of the segment. */
export function readSegment(marker: number, r: ByteReader, components: number, header: HeaderMarkers): void {
  if (marker === COD) {
    const style = r.u8();
    const [order, layers, transform] = [r.u8(), r.u16(), r.u8()];
    if (order > 4) throw malformed(`COD has progression order ${order} instead of 0 to 4.`);
    if (layers === 0) throw malformed('COD states no layer.');
    if (transform > 1) throw unsupported(`Multiple component transform ${transform} is not supported, only 0 and 1.`);
    const coding = readCodingStyle(r, (style & 1) === 1);
    header.style = { order, layers, componentTransform: transform === 1, coding };
  } else if (marker === COC) {
    const component = readComponent(r, components);
    header.coding.set(component, readCodingStyle(r, (r.u8() & 1) === 1));
  } else if (marker === QCD) header.quantisation = readQuantisation(r);
  else if (marker === QCC) header.quantisations.set(readComponent(r, components), readQuantisation(r));
  else if (marker === RGN) {
    const component = readComponent(r, components);
    const style = r.u8();
    if (style !== 0) throw unsupported(`Regions of interest of style ${style} are not supported, only maxshift (0).`);
    header.roiShifts.set(component, r.u8());
  } else if (marker === POC) readProgressions(r, components, header.progressions);
  else if (marker === CAP) throw unsupported('Codestreams with extended capabilities (HT, Part 15) are not supported.');
}

/** Coding parameters of one tile by the precedence of A.6: tile component, tile, main component, main. */
export type TileParameters = Readonly<ReturnType<typeof resolveParameters>>;

export function resolveParameters(components: number, main: HeaderMarkers, tile: HeaderMarkers) {
  const style = tile.style ?? main.style;
  if (!style) throw malformed('The main header has no COD marker segment.');
  const coding: CodingStyle[] = [];
  const quantisation: Quantisation[] = [];
  const roiShift: number[] = [];
  for (let c = 0; c < components; c++) {
    coding.push(tile.coding.get(c) ?? tile.style?.coding ?? main.coding.get(c) ?? style.coding);
    const q = tile.quantisations.get(c) ?? tile.quantisation ?? main.quantisations.get(c) ?? main.quantisation;
    if (!q) throw malformed('The main header has no QCD marker segment.');
    quantisation.push(q);
    roiShift.push(tile.roiShifts.get(c) ?? main.roiShifts.get(c) ?? 0);
  }
  const { order, layers, componentTransform } = style;
  const progressions = tile.progressions.length ? tile.progressions : main.progressions;
  return { order, layers, componentTransform, progressions, coding, quantisation, roiShift };
}
