// Data-bins of a codestream (ISO/IEC 15444-9, A.3): the ones that a view window (C.4) needs, and where their bytes are.
import { concatenated } from '../../platform/util/bytes.ts';
import type { Size } from '../../sun/image.ts';
import type { ByteRange } from '../byte-source.ts';
import { checked, copyIn, withCore } from '../core/core.ts';
import { type LevelIndex, openPrecinct } from '../packet-index.ts';
import type { Jp2Index } from '../sidecar.ts';
import type { Rect, Resolution, TileComponent } from '../structure.ts';
import { ceilShift, intersect, isEmpty, onComponent, tileRect } from '../structure.ts';
import { planComponent, type WindowRequest } from '../window.ts';
import { MAIN_HEADER, PRECINCT, TILE_HEADER } from './messages.ts';
import type { JpipRequest } from './request.ts';

type FrameSize = NonNullable<JpipRequest['frameSize']>;

type ViewWindow = Pick<JpipRequest, 'regionOffset' | 'regionSize'> & { readonly frameSize: FrameSize };

const sizeAt = ({ size }: Jp2Index, reduce: number): Size => ({
  width: ceilShift(size.x1, reduce) - ceilShift(size.x0, reduce),
  height: ceilShift(size.y1, reduce) - ceilShift(size.y0, reduce),
});

const fitsIn = (inner: Size, outer: Size): boolean => inner.width <= outer.width && inner.height <= outer.height;

/** Levels to discard for the size nearest to `requested` in its rounding direction (C.4.2). */
export function chooseReduction(index: Jp2Index, requested: FrameSize): number {
  const most = Math.max(...index.tiles.flatMap(({ components }) => components.map(({ coding }) => coding.levels)));
  const sizes = Array.from({ length: most + 1 }, (_, reduce) => sizeAt(index, reduce));
  if (requested.rounding === 'round-down') {
    const fitting = sizes.findIndex((size) => fitsIn(size, requested));
    return fitting < 0 ? most : fitting;
  }
  if (requested.rounding === 'round-up')
    return Math.max(
      0,
      sizes.findLastIndex((size) => fitsIn(requested, size)),
    );
  const distances = sizes.map(({ width, height }) => Math.abs(width * height - requested.width * requested.height));
  return distances.indexOf(Math.min(...distances));
}

/** Scales [from, from + length) from a side of `requested` samples to one of `actual` samples, rounded outwards. */
const scaled = (from: number, length: number, requested: number, actual: number): [number, number] => [
  Math.floor((from * actual) / requested),
  Math.min(actual, Math.ceil(((from + length) * actual) / requested)),
];

/** Maps the requested region to the size that is sent, which may differ from the requested frame size (C.4.3, C.4.4); empty beside the image. */
export function resolveWindow(index: Jp2Index, { frameSize, regionOffset, regionSize }: ViewWindow): WindowRequest {
  const reduce = chooseReduction(index, frameSize);
  const { width, height } = sizeAt(index, reduce);
  const [x0, x1] = scaled(regionOffset.x, regionSize?.width ?? frameSize.width, frameSize.width, width);
  const [y0, y1] = scaled(regionOffset.y, regionSize?.height ?? frameSize.height, frameSize.height, height);
  const { size } = index;
  const [left, top] = [ceilShift(size.x0, reduce), ceilShift(size.y0, reduce)];
  const window = {
    x0: (left + x0) * 2 ** reduce,
    y0: (top + y0) * 2 ** reduce,
    x1: (left + x1) * 2 ** reduce,
    y1: (top + y1) * 2 ** reduce,
  };
  return { reduce, window: intersect(window, size) };
}

/** A precinct of the index: `precinct` is its raster number in the level. */
interface PrecinctAddress {
  readonly tile: number;
  readonly component: number;
  readonly level: number;
  readonly precinct: number;
}

export interface DataBin {
  readonly binClass: number;
  /** In-class identifier. */
  readonly id: number;
  /** Number of the bin in its codestream: main header, then tile headers, then precincts. */
  readonly number: number;
  readonly length: number;
  readonly source: Uint8Array | PrecinctAddress;
}

export type PrecinctBin = DataBin & { readonly source: PrecinctAddress };

/** Number of data-bins of a codestream: one for its main header, one for each tile and precinct. */
export function binCount({ tiles }: Jp2Index): number {
  const precincts = tiles.reduce((sum, { components }) => sum + components.reduce((n, tc) => n + tc.precinctCount, 0), 0);
  return 1 + tiles.length + precincts;
}

const levelAt = (index: Jp2Index, { tile, component, level }: PrecinctAddress): LevelIndex =>
  index.tiles[tile]?.levels[component]?.[level] as LevelIndex;

const layersOf = (index: Jp2Index, { tile }: PrecinctAddress): number => index.tiles[tile]?.parameters.layers as number;

const componentAt = (index: Jp2Index, { tile, component }: PrecinctAddress): TileComponent =>
  index.tiles[tile]?.components[component] as TileComponent;

/** Packet headers (from the sidecar) and bodies of a precinct, layer by layer. */
function packedSources(index: Jp2Index, address: PrecinctAddress, level: LevelIndex & { kind: 'packed' }) {
  const layers = layersOf(index, address);
  const sources: (Uint8Array | ByteRange)[] = [];
  let header = level.headerStarts[address.precinct]!;
  for (let packet = address.precinct * layers; packet < (address.precinct + 1) * layers; packet++) {
    const end = header + level.headerLengths[packet]!;
    sources.push(level.headers.subarray(header, end));
    header = end;
    sources.push({ offset: level.bodyOffsets[packet]!, length: level.bodyLengths[packet] as number });
  }
  return sources;
}

/** Sources of a bin in order: bytes in memory, or ranges that count from the start of the codestream. */
export function binSources(index: Jp2Index, { source }: DataBin): (Uint8Array | ByteRange)[] {
  if (source instanceof Uint8Array) return [source];
  const level = levelAt(index, source);
  if (level.kind === 'packed') return packedSources(index, source, level);
  return [{ offset: level.offsets[source.precinct]!, length: level.lengths[source.precinct] as number }];
}

/** Bytes of the first `layers` layers of a precinct with packed headers; null where the index lacks them. */
export function packedPrefix(index: Jp2Index, address: PrecinctAddress, layers: number): number | null {
  const level = levelAt(index, address);
  if (level.kind === 'inline') return null;
  const first = address.precinct * layersOf(index, address);
  let bytes = 0;
  for (let packet = first; packet < first + layers; packet++) bytes += level.headerLengths[packet]! + level.bodyLengths[packet]!;
  return bytes;
}

/** Bytes of the first `layers` packets of each precinct, by the packet headers in it. @throws Jp2Error when these are damaged */
export const layerLengths = (
  index: Jp2Index,
  precincts: readonly { readonly address: PrecinctAddress; readonly bytes: Uint8Array }[],
  layers: number,
): number[] =>
  withCore((core) =>
    precincts.map(({ address, bytes }) => {
      const before = core.mark();
      const tc = componentAt(index, address);
      const precinct = openPrecinct(core, tc, tc.resolutions[address.level] as Resolution, address.precinct);
      const start = copyIn(core, bytes);
      let at = 0;
      for (let layer = 0; layer < layers; layer++) {
        const from = start + at;
        const header = checked(core.readPacket(precinct, layer, tc.coding.blockStyle, from, start + bytes.length, at, 0));
        at += header + ((core.packetBodyLength.value as number) >>> 0);
      }
      core.release(before);
      return Math.min(at, bytes.length);
    }),
  );

function precinctLength(index: Jp2Index, address: PrecinctAddress): number {
  const level = levelAt(index, address);
  return level.kind === 'inline'
    ? level.lengths[address.precinct]!
    : (packedPrefix(index, address, layersOf(index, address)) as number);
}

/** The precinct data-bin with identifier tile + tiles * (component + components * sequence) (A.3.2.1). */
function precinctBin(index: Jp2Index, address: PrecinctAddress): PrecinctBin {
  const { tiles, size } = index;
  const { firstPrecinct } = componentAt(index, address).resolutions[address.level] as Resolution;
  const sequence = firstPrecinct + address.precinct;
  const id = address.tile + (address.component + sequence * size.components.length) * tiles.length;
  return { binClass: PRECINCT, id, number: 1 + tiles.length + id, length: precinctLength(index, address), source: address };
}

/** Raster numbers of the precincts that a window needs, per level from 0 up; all of them for a whole tile-component. */
function neededPrecincts(tc: TileComponent, component: number, reduce: number, window: Rect): readonly (readonly number[])[] {
  const isWhole = window.x0 <= tc.x0 && window.y0 <= tc.y0 && window.x1 >= tc.x1 && window.y1 >= tc.y1;
  if (!isWhole) return planComponent(tc, component, reduce, window).levels.map(({ precincts }) => precincts);
  return tc.resolutions
    .slice(0, tc.coding.levels - reduce + 1)
    .map(({ precinctsAcross, precinctsDown }) => Array.from({ length: precinctsAcross * precinctsDown }, (_, k) => k));
}

const SOC_BYTES = 2;
/** TLM, PLM and PPM: a codestream rebuilt from data-bins has other tile-parts, and its packet headers in place. */
const FILE_LAYOUT_MARKERS: readonly number[] = [0xff55, 0xff57, 0xff60];

/** The main header without the marker segments that describe tile-parts and packets of the file. `mainHeader`: SOC to first SOT. */
function mainHeaderBin(mainHeader: Uint8Array): Uint8Array {
  const view = new DataView(mainHeader.buffer, mainHeader.byteOffset, mainHeader.byteLength);
  const kept = [mainHeader.subarray(0, SOC_BYTES)];
  let at = SOC_BYTES;
  while (at + 4 <= mainHeader.length) {
    const end = at + 2 + view.getUint16(at + 2);
    if (!FILE_LAYOUT_MARKERS.includes(view.getUint16(at))) kept.push(mainHeader.subarray(at, end));
    at = end;
  }
  return concatenated(kept);
}

function tileHeaderBin(index: Jp2Index, tile: number): DataBin {
  const { segments } = index.tiles[tile] as { segments: Uint8Array };
  return { binClass: TILE_HEADER, id: tile, number: 1 + tile, length: segments.length, source: segments };
}

/** Main header of a codestream and headers of the tiles that a window touches, which all precede the precincts. */
export function headerBins(index: Jp2Index, window: Rect | null): DataBin[] {
  const source = mainHeaderBin(index.mainHeader);
  const main: DataBin = { binClass: MAIN_HEADER, id: 0, number: 0, length: source.length, source };
  const touched = index.tiles.filter(({ number }) => !window || !isEmpty(intersect(window, tileRect(index.size, number))));
  return [main, ...touched.map(({ number }) => tileHeaderBin(index, number))];
}

/** Precincts of a window from the lowest resolution up, including the margin that the inverse transform reaches into. */
export function precinctBins(index: Jp2Index, { reduce, window }: WindowRequest): PrecinctBin[] {
  const bins: PrecinctBin[][] = [];
  for (const tile of isEmpty(window) ? [] : index.tiles)
    tile.components.forEach((tc, component) => {
      const { dx, dy } = index.size.components[component] as { dx: number; dy: number };
      const onGrid = onComponent(window, dx, dy);
      if (isEmpty(intersect(onGrid, tc))) return;
      neededPrecincts(tc, component, Math.min(reduce, tc.coding.levels), onGrid).forEach((precincts, level) => {
        bins[level] ??= [];
        for (const precinct of precincts) bins[level].push(precinctBin(index, { tile: tile.number, component, level, precinct }));
      });
    });
  return bins.flat();
}
