// Data-bins of a codestream (ISO/IEC 15444-9, A.3): which ones a window needs, and where their bytes are.
import type { LevelIndex } from '../jp2/packet-index.ts';
import type { Jp2Index } from '../jp2/sidecar.ts';
import { intersect, isEmpty, onComponent, type Rect, type Resolution, type TileComponent, tileRect } from '../jp2/structure.ts';
import { type ByteRange, planComponent } from '../jp2/window.ts';
import { mainHeaderBin } from './main-header.ts';
import { MAIN_HEADER, PRECINCT, TILE_HEADER } from './messages.ts';
import type { ResolvedWindow } from './view-window.ts';

/** A precinct of the index: `precinct` is its raster number in the level. */
export interface PrecinctPlace {
  readonly tile: number;
  readonly component: number;
  readonly level: number;
  readonly precinct: number;
}

export interface DataBin {
  readonly binClass: number;
  /** In-class identifier. */
  readonly id: number;
  /** Number of the bin among all of its codestream. */
  readonly number: number;
  readonly length: number;
  readonly source: Uint8Array | PrecinctPlace;
}

/** Bytes at hand, or a range of the codestream. */
export type BinPiece = Uint8Array | ByteRange;

/** Bins of a codestream in all: its header, and those of tiles and precincts. */
export function binCount({ tiles }: Jp2Index): number {
  const precincts = tiles.reduce((sum, { components }) => sum + components.reduce((n, tc) => n + tc.precinctCount, 0), 0);
  return 1 + tiles.length + precincts;
}

const levelAt = (index: Jp2Index, { tile, component, level }: PrecinctPlace): LevelIndex =>
  index.tiles[tile]?.levels[component]?.[level] as LevelIndex;

const layersOf = (index: Jp2Index, { tile }: PrecinctPlace): number => index.tiles[tile]?.parameters.layers as number;

/** Headers and bodies of a precinct whose headers are in the sidecar, layer by layer. */
function packedPieces(index: Jp2Index, place: PrecinctPlace, level: LevelIndex & { kind: 'packed' }): BinPiece[] {
  const layers = layersOf(index, place);
  const pieces: BinPiece[] = [];
  let header = level.headerStarts[place.precinct] as number;
  for (let packet = place.precinct * layers; packet < (place.precinct + 1) * layers; packet++) {
    const end = header + (level.headerLengths[packet] as number);
    pieces.push(level.headers.subarray(header, end));
    header = end;
    pieces.push({ offset: level.bodyOffsets[packet] as number, length: level.bodyLengths[packet] as number });
  }
  return pieces;
}

/** Where the bytes of a bin are, in order. Ranges count from the start of the codestream. */
export function binPieces(index: Jp2Index, { source }: DataBin): BinPiece[] {
  if (source instanceof Uint8Array) return [source];
  const level = levelAt(index, source);
  if (level.kind === 'packed') return packedPieces(index, source, level);
  return [{ offset: level.offsets[source.precinct] as number, length: level.lengths[source.precinct] as number }];
}

/** Bytes of the first `layers` layers of a precinct with packed headers; null where the index does not say. */
export function packedPrefix(index: Jp2Index, place: PrecinctPlace, layers: number): number | null {
  const level = levelAt(index, place);
  if (level.kind === 'inline') return null;
  const first = place.precinct * layersOf(index, place);
  let bytes = 0;
  for (let packet = first; packet < first + layers; packet++)
    bytes += (level.headerLengths[packet] as number) + (level.bodyLengths[packet] as number);
  return bytes;
}

function precinctLength(index: Jp2Index, place: PrecinctPlace): number {
  const level = levelAt(index, place);
  return level.kind === 'inline'
    ? (level.lengths[place.precinct] as number)
    : (packedPrefix(index, place, layersOf(index, place)) as number);
}

/** A precinct as a bin: tile + tiles * (component + components * sequence), A.3.2.1. */
function precinctBin(index: Jp2Index, place: PrecinctPlace): DataBin {
  const { tiles, size } = index;
  const tc = tiles[place.tile]?.components[place.component] as TileComponent;
  const { firstPrecinct } = tc.resolutions[place.level] as Resolution;
  const sequence = firstPrecinct + place.precinct;
  const id = place.tile + (place.component + sequence * size.components.length) * tiles.length;
  return { binClass: PRECINCT, id, number: 1 + tiles.length + id, length: precinctLength(index, place), source: place };
}

/** Raster numbers of the precincts of each level from 0 to the one wanted: all of them for a whole tile-component. */
function wantedPrecincts(tc: TileComponent, component: number, reduce: number, window: Rect): readonly (readonly number[])[] {
  const isWhole = window.x0 <= tc.x0 && window.y0 <= tc.y0 && window.x1 >= tc.x1 && window.y1 >= tc.y1;
  if (!isWhole) return planComponent(tc, component, reduce, window, 0).levels.map(({ precincts }) => precincts);
  return tc.resolutions
    .slice(0, tc.coding.levels - reduce + 1)
    .map(({ precinctsAcross, precinctsDown }) => Array.from({ length: precinctsAcross * precinctsDown }, (_, k) => k));
}

function tileHeaderBin(index: Jp2Index, tile: number): DataBin {
  const { segments } = index.tiles[tile] as { segments: Uint8Array };
  return { binClass: TILE_HEADER, id: tile, number: 1 + tile, length: segments.length, source: segments };
}

/** The headers that come before anything else of a codestream: its main header, and those of the tiles of a window. */
export function headerBins(index: Jp2Index, window: Rect | null): DataBin[] {
  const source = mainHeaderBin(index.mainHeader);
  const main: DataBin = { binClass: MAIN_HEADER, id: 0, number: 0, length: source.length, source };
  const touched = index.tiles.filter(({ number }) => !window || !isEmpty(intersect(window, tileRect(index.size, number))));
  return [main, ...touched.map(({ number }) => tileHeaderBin(index, number))];
}

/** The precincts of a window from the lowest resolution up, those that the inverse transform reaches into included. */
export function precinctBins(
  index: Jp2Index,
  { reduce, window }: ResolvedWindow,
): (DataBin & { readonly source: PrecinctPlace })[] {
  const bins: DataBin[][] = [];
  for (const tile of isEmpty(window) ? [] : index.tiles) {
    tile.components.forEach((tc, component) => {
      const { dx, dy } = index.size.components[component] as { dx: number; dy: number };
      const onGrid = onComponent(window, dx, dy);
      if (isEmpty(intersect(onGrid, tc))) return;
      wantedPrecincts(tc, component, Math.min(reduce, tc.coding.levels), onGrid).forEach((precincts, level) => {
        bins[level] ??= [];
        for (const precinct of precincts) bins[level].push(precinctBin(index, { tile: tile.number, component, level, precinct }));
      });
    });
  }
  return bins.flat() as (DataBin & { source: PrecinctPlace })[];
}
