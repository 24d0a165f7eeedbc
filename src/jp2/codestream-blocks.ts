// Code-blocks of one resolution level from the codestream: packets and MQ decoding.
import { type CoreExports, checked, checkedAddress, copyIn } from './core/core.ts';
import { malformed } from './errors.ts';
import { type InlineLevel, type LevelIndex, openPrecinct, type TileIndex } from './packet-index.ts';
import { intersect, isEmpty, precinctBand, type Rect, type Resolution, type Subband, type TileComponent } from './structure.ts';
import { type LevelPlan, readPackedPrecinct } from './window.ts';

/** Bytes of the codestream from `offset` on. */
export type Chunk = { readonly offset: number; readonly bytes: Uint8Array };

/** Address of 4-byte samples in the core's memory, and the length of their rows in bytes. */
export type Rows = { readonly address: number; readonly stride: number };

/**
 * Decodes the code-blocks of one resolution level of a tile-component: writes the samples of a window of subband `band` (0 to 2, in the order of
 * the level), zeros where no block is coded, in steps of a few code-blocks, each of which yields its cost in pixels of a layer
 * (`PICTURE_COST.msPerPixel`). Code-blocks are decoded for every window that they touch, so windows should part them at their edges.
 * @param step Step size including the scaling of the inverse transform
 */
export type DecodeBand = (band: number, window: Rect, to: Rows, step: number) => Generator<number, void>;

/** Opens the code-blocks of the levels of a plan. What they allocate in the core is released by the caller. */
export type OpenLevel = (tile: TileIndex, component: number, plan: LevelPlan) => DecodeBand;

/** Copies the bytes of a window into the core, and opens its levels from them. */
export type LevelSource = (core: CoreExports) => OpenLevel;

/** Copies chunks into the core. Gives the address of the byte at `offset`, provided that all `length` bytes were read. */
function placeChunks(core: CoreExports, chunks: readonly Chunk[]): (offset: number, length: number) => number {
  const sorted = chunks.toSorted((a, b) => a.offset - b.offset);
  const placed = sorted.map(({ offset, bytes }) => ({ offset, length: bytes.length, address: copyIn(core, bytes) }));
  const table = checkedAddress(core.alloc(placed.length * 12 + 4));
  const words = placed.flatMap(({ offset, length, address }) => [offset, length, address]);
  new Uint32Array(core.memory.buffer, table, words.length).set(words);
  core.setRanges(table, placed.length);
  return (offset, length) => {
    const chunk = placed.find((c) => offset >= c.offset && offset + length <= c.offset + c.length);
    return chunk ? chunk.address + (offset - chunk.offset) : checked(-5);
  };
}

/** A precinct in the core's memory, and its part of each subband. */
export type OpenPrecinct = { readonly address: number; readonly bands: readonly Rect[] };

/** Columns of code-blocks that are decoded in one step: about a millisecond at two bits a sample. */
const STEP_COLUMNS = 4;

/** Cost of a code-block in pixels of a layer, from `npm run bench -- decode`: of each sample, and of each coded byte. */
const COST = { sample: 0.1, byte: 6 } as const;

/** Parts of a window of a subband, a few columns of code-blocks each. */
function* stepsOf(window: Rect, log2Width: number): Generator<Rect> {
  for (let { x0 } = window; x0 < window.x1 && !isEmpty(window); ) {
    const x1 = Math.min(window.x1, ((x0 >> log2Width) + STEP_COLUMNS) << log2Width);
    yield { ...window, x0, x1 };
    x0 = x1;
  }
}

const codestreamLevel = (
  core: CoreExports,
  { coding, roiShift, resolutions }: TileComponent,
  level: number,
  precincts: readonly OpenPrecinct[],
): DecodeBand =>
  function* (band, w, { address, stride }, step) {
    const { log2CodeblockWidth } = resolutions[level] as Resolution;
    const reversible = coding.reversible ? 1 : 0;
    core.clearPlane(address, stride, w.x1 - w.x0, w.y1 - w.y0);
    for (const precinct of precincts) {
      const part = intersect(w, precinct.bands[band] as Rect);
      for (const { x0, y0, x1, y1 } of stepsOf(part, log2CodeblockWidth)) {
        const at = address + (y0 - w.y0) * stride + (x0 - w.x0) * 4;
        const before = core.decodedBytes.value as number;
        checked(
          core.decodeBand(precinct.address, band, x0, y0, x1, y1, at, stride, roiShift, coding.blockStyle, reversible, step),
        );
        const bytes = ((core.decodedBytes.value as number) - before) >>> 0;
        yield COST.byte * bytes + COST.sample * (x1 - x0) * (y1 - y0);
      }
    }
  };

/** Copies chunks of the codestream into the core, from which it opens precincts of a level. */
export function openPrecincts(core: CoreExports, chunks: readonly Chunk[]) {
  const locate = placeChunks(core, chunks);

  const readInline = (tile: TileIndex, tc: TileComponent, r: Resolution, level: InlineLevel, k: number): number => {
    const precinct = openPrecinct(core, tc, r, k);
    let offset = level.offsets[k]!;
    const length = level.lengths[k]!;
    let from = locate(offset, length);
    const end = from + length;
    for (let layer = 0; layer < tile.parameters.layers; layer++) {
      const header = checked(core.readPacket(precinct, layer, tc.coding.blockStyle, from, end, offset, 0));
      const bytes = header + ((core.packetBodyLength.value as number) >>> 0);
      if (bytes > end - from) checked(-5);
      from += bytes;
      offset += bytes;
    }
    // Damaged packet headers state lengths that do not add up to the length in the index.
    if (from !== end) throw malformed(`The packets of a precinct have ${length - (end - from)} bytes instead of ${length}.`);
    return precinct;
  };

  return (tile: TileIndex, component: number, levelNumber: number, numbers: readonly number[]): OpenPrecinct[] => {
    const tc = tile.components[component] as TileComponent;
    const r = tc.resolutions[levelNumber] as Resolution;
    const level = (tile.levels[component] as readonly LevelIndex[])[levelNumber] as LevelIndex;
    return numbers.map((k) => ({
      address:
        level.kind === 'packed' ? readPackedPrecinct(core, tile, component, r, level, k) : readInline(tile, tc, r, level, k),
      bands: r.bands.map((band: Subband) => precinctBand(r, k, band)),
    }));
  };
}

/** Levels from the bytes of `windowRanges`. */
export const codestreamLevels =
  (chunks: readonly Chunk[]): LevelSource =>
  (core) => {
    const open = openPrecincts(core, chunks);
    return (tile, component, plan) =>
      codestreamLevel(core, tile.components[component]!, plan.level, open(tile, component, plan.level, plan.precincts));
  };
