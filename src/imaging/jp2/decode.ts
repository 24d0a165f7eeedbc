// Decodes a planned window with the core: packets, code-blocks, inverse transforms, component transform, samples.
import { type CoreExports, checked, checkedAddress, withCore } from '../core/core.ts';
import { Jp2Error } from './errors.ts';
import type { ImageSize } from './markers.ts';
import { type InlineLevel, type LevelIndex, openPrecinct, put, type TileIndex } from './packet-index.ts';
import type { Rect, Resolution, Subband, TileComponent } from './structure.ts';
import { type ComponentPlan, type LevelPlan, layersOf, readPackedPrecinct, type TilePlan, type WindowPlan } from './window.ts';

/** Bytes of the codestream from `offset` on. */
export interface Chunk {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** Samples of one component: rows from the top, `width` * `height` of them. Bytes when unsigned and of at most 8 bits. */
export interface DecodedComponent extends Rect {
  readonly width: number;
  readonly height: number;
  readonly precision: number;
  readonly signed: boolean;
  readonly samples: Uint8Array | Int32Array;
}

/** Samples of a whole resolution level as the inverse transform leaves them: windows of higher levels start from them. */
export interface BaseImage extends Rect {
  readonly level: number;
  readonly samples: Float32Array | Int32Array;
}

/** Scaling of the low-pass samples by the 9/7 synthesis (table F.4). */
const K = 1.230174104914001;

/** Padding samples after a row, because the transforms work on eight at a time. */
const ROW_PADDING = 8;

const widthOf = (r: Rect): number => r.x1 - r.x0;
const heightOf = (r: Rect): number => r.y1 - r.y0;

/** Destination of rows of 4-byte samples. */
interface Target {
  readonly address: number;
  readonly stride: number;
  /** Factor for the samples that the next synthesis expects in its low-pass quadrant. */
  readonly scale: number;
}

/** The four quadrants of a resolution level in memory. */
interface Quadrants {
  readonly address: number;
  readonly stride: number;
  readonly lowColumns: number;
  readonly lowRows: number;
}

/** Chunks in the core's memory. */
class ChunkTable {
  readonly #placed: { offset: number; end: number; address: number }[];

  constructor(core: CoreExports, chunks: readonly Chunk[]) {
    const sorted = [...chunks].sort((a, b) => a.offset - b.offset);
    this.#placed = sorted.map(({ offset, bytes }) => ({ offset, end: offset + bytes.length, address: put(core, bytes) }));
    const table = checkedAddress(core.alloc(this.#placed.length * 12 + 4));
    const words = new Uint32Array(core.memory.buffer, table, this.#placed.length * 3);
    this.#placed.forEach(({ offset, end, address }, i) => {
      words.set([offset, end - offset, address], i * 3);
    });
    core.setRanges(table, this.#placed.length);
  }

  /** Address of the byte at `offset`, provided that all `length` bytes were read. */
  locate(offset: number, length: number): number {
    const chunk = this.#placed.find((c) => offset >= c.offset && offset + length <= c.end);
    if (!chunk) return checked(-5);
    return chunk.address + (offset - chunk.offset);
  }
}

/** Gain of the synthesis in one dimension of a subband; signals of length one pass unchanged (F.3.6). */
function gain97(length: number, high: boolean): number {
  if (length === 1) return 1;
  return high ? 1 / K : K;
}

/** Decodes one tile-component. */
class ComponentDecoder {
  readonly #core: CoreExports;
  readonly #chunks: ChunkTable;
  readonly #tile: TileIndex;
  readonly #layers: number;
  readonly #tc: TileComponent;
  readonly #plan: ComponentPlan;
  readonly #reversible: number;

  constructor(core: CoreExports, chunks: ChunkTable, tile: TileIndex, layers: number, plan: ComponentPlan) {
    this.#core = core;
    this.#chunks = chunks;
    this.#tile = tile;
    this.#layers = layers;
    this.#plan = plan;
    this.#tc = tile.components[plan.component] as TileComponent;
    this.#reversible = this.#tc.coding.reversible ? 1 : 0;
  }

  /** Writes the wanted samples of the last level to `out`, rows without gaps. `base`: the level below the first. */
  run(out: number, outRect: Rect, base: BaseImage | null): void {
    const { levels } = this.#plan;
    const buffers = this.#openBuffers();
    const final: Target = { address: out, stride: widthOf(outRect) * 4, scale: 1 };
    const first = levels[0];
    if (base)
      this.#startFromBase(base, first ? this.#lowTarget(first, buffers) : final, first ? this.#lowWanted(first) : outRect);
    levels.forEach((plan, i) => {
      const above = levels[i + 1];
      const target = above ? this.#lowTarget(above, buffers) : final;
      if (plan.level === 0) this.#decodeLowest(plan, target);
      else this.#synthesise(plan, buffers, target);
    });
  }

  #resolution(plan: LevelPlan): Resolution {
    return this.#tc.resolutions[plan.level] as Resolution;
  }

  /** Two buffers that the levels use alternately, each sized for its largest level. */
  #openBuffers(): [number, number] {
    const sizes = [0, 0];
    for (const plan of this.#plan.levels) {
      const bytes = this.#stride(plan) * (heightOf(plan.window) + 1);
      sizes[plan.level & 1] = Math.max(sizes[plan.level & 1] as number, bytes);
    }
    return [
      checkedAddress(this.#core.alloc((sizes[0] as number) + 64)),
      checkedAddress(this.#core.alloc((sizes[1] as number) + 64)),
    ];
  }

  #stride(plan: LevelPlan): number {
    return ((widthOf(plan.window) + ROW_PADDING + 3) & ~3) * 4;
  }

  #quadrants(plan: LevelPlan, buffers: [number, number]): Quadrants {
    const { window } = plan;
    const lowColumns = Math.ceil(window.x1 / 2) - Math.ceil(window.x0 / 2);
    const lowRows = Math.ceil(window.y1 / 2) - Math.ceil(window.y0 / 2);
    return { address: buffers[plan.level & 1] as number, stride: this.#stride(plan), lowColumns, lowRows };
  }

  /** Clears the low-pass quadrant of a level, into which the level below writes its result. */
  #lowTarget(plan: LevelPlan, buffers: [number, number]): Target {
    const { address, stride } = this.#quadrants(plan, buffers);
    new Uint8Array(this.#core.memory.buffer, address, stride * (heightOf(plan.window) + 1)).fill(0);
    const r = this.#resolution(plan);
    return { address, stride, scale: this.#reversible ? 1 : gain97(widthOf(r), false) * gain97(heightOf(r), false) };
  }

  #lowWanted(plan: LevelPlan): Rect {
    const { window } = plan;
    return {
      x0: Math.ceil(window.x0 / 2),
      y0: Math.ceil(window.y0 / 2),
      x1: Math.ceil(window.x1 / 2),
      y1: Math.ceil(window.y1 / 2),
    };
  }

  #startFromBase(base: BaseImage, target: Target, wanted: Rect): void {
    const memory = this.#reversible ? new Int32Array(this.#core.memory.buffer) : new Float32Array(this.#core.memory.buffer);
    const rowLength = widthOf(base);
    const columns = widthOf(wanted);
    for (let y = wanted.y0; y < wanted.y1; y++) {
      const from = (y - base.y0) * rowLength + wanted.x0 - base.x0;
      memory.set(base.samples.subarray(from, from + columns), (target.address + (y - wanted.y0) * target.stride) / 4);
    }
    this.#core.copyPlane(
      target.address,
      target.stride,
      target.address,
      target.stride,
      columns,
      heightOf(wanted),
      this.#reversible,
      target.scale,
    );
  }

  /** Decodes the LL subband. It is scaled in a separate step, as a base image is, so that both round alike. */
  #decodeLowest(plan: LevelPlan, { address, stride, scale }: Target): void {
    const r = this.#resolution(plan);
    const window = plan.bands[0] as Rect;
    if (window.x1 <= window.x0 || window.y1 <= window.y0) return;
    for (const k of plan.precincts) {
      const before = this.#core.mark();
      const precinct = this.#readPrecinct(plan, r, k);
      this.#decodePrecinctBand(precinct, 0, r.bands[0] as Subband, window, address, stride, 1);
      this.#core.release(before);
    }
    this.#core.copyPlane(address, stride, address, stride, widthOf(window), heightOf(window), this.#reversible, scale);
  }

  #decodePrecinctBand(precinct: number, b: number, band: Subband, w: Rect, address: number, stride: number, scale: number): void {
    const { coding, roiShift } = this.#tc;
    const step = Math.fround(band.step * scale);
    checked(
      this.#core.decodeBand(
        precinct,
        b,
        w.x0,
        w.y0,
        w.x1,
        w.y1,
        address,
        stride,
        roiShift,
        coding.blockStyle,
        this.#reversible,
        step,
      ),
    );
  }

  #readPrecinct(plan: LevelPlan, r: Resolution, k: number): number {
    const { component } = this.#plan;
    const level = (this.#tile.levels[component] as readonly LevelIndex[])[plan.level] as LevelIndex;
    if (level.kind === 'packed') return readPackedPrecinct(this.#core, this.#tile, component, r, level, k, this.#layers);
    return this.#readInlinePrecinct(r, level, k);
  }

  #readInlinePrecinct(r: Resolution, level: InlineLevel, k: number): number {
    const precinct = openPrecinct(this.#core, this.#tc, r, k);
    let offset = level.offsets[k] as number;
    const length = level.lengths[k] as number;
    let from = this.#chunks.locate(offset, length);
    const end = from + length;
    for (let layer = 0; layer < this.#layers; layer++) {
      const header = checked(this.#core.readPacket(precinct, layer, this.#tc.coding.blockStyle, from, end, offset, 0));
      const bytes = header + ((this.#core.packetBodyLength.value as number) >>> 0);
      if (bytes > end - from) checked(-5);
      from += bytes;
      offset += bytes;
    }
    // With damaged packet headers the lengths no longer add up to those of the index.
    if (this.#layers === this.#tile.parameters.layers && from !== end) {
      throw new Jp2Error('malformed', `Expected ${length} bytes of packets in a precinct, got ${length - (end - from)}.`);
    }
    return precinct;
  }

  /** Decodes the three subbands of a level beside its low-pass quadrant and synthesises them into `target`. */
  #synthesise(plan: LevelPlan, buffers: [number, number], target: Target): void {
    const r = this.#resolution(plan);
    const q = this.#quadrants(plan, buffers);
    for (const k of plan.precincts) {
      const before = this.#core.mark();
      const precinct = this.#readPrecinct(plan, r, k);
      r.bands.forEach((band, b) => {
        const highX = (band.orientation & 1) === 1;
        const highY = band.orientation > 1;
        const window = plan.bands[b] as Rect;
        if (window.x1 <= window.x0 || window.y1 <= window.y0) return;
        const address = q.address + (highY ? q.lowRows * q.stride : 0) + (highX ? q.lowColumns * 4 : 0);
        const scale = this.#reversible ? 1 : gain97(widthOf(r), highX) * gain97(heightOf(r), highY);
        this.#decodePrecinctBand(precinct, b, band, window, address, q.stride, scale);
      });
      this.#core.release(before);
    }
    const before = this.#core.mark();
    this.#synthesiseColumns(plan, r, q);
    this.#synthesiseRows(plan, r, q, target);
    this.#core.release(before);
  }

  #synthesiseColumns(plan: LevelPlan, r: Resolution, q: Quadrants): void {
    const { window } = plan;
    const columns = widthOf(window);
    const rows = heightOf(window);
    const odd = window.x0 & 1;
    if (widthOf(r) === 1) {
      if (odd) this.#core.halvePlane(q.address, q.stride, 1, rows, this.#reversible);
      return;
    }
    const horizontal = this.#reversible ? this.#core.horizontal53 : this.#core.horizontal97;
    if (!horizontal(q.address, q.stride, rows, q.lowColumns, columns - q.lowColumns, odd)) checked(-1);
  }

  #synthesiseRows(plan: LevelPlan, r: Resolution, q: Quadrants, target: Target): void {
    const { window, wanted } = plan;
    const [x0, y0, x1, y1] = [wanted.x0 - window.x0, wanted.y0 - window.y0, wanted.x1 - window.x0, wanted.y1 - window.y0];
    const odd = window.y0 & 1;
    const core = this.#core;
    if (heightOf(r) === 1) {
      if (odd) core.halvePlane(q.address, q.stride, widthOf(window), 1, this.#reversible);
      core.copyPlane(q.address + x0 * 4, q.stride, target.address, target.stride, x1 - x0, 1, this.#reversible, target.scale);
      return;
    }
    const highRows = heightOf(window) - q.lowRows;
    const done = this.#reversible
      ? core.vertical53(q.address, q.stride, q.lowRows, highRows, odd, x0, y0, x1, y1, target.address, target.stride)
      : core.vertical97(
          q.address,
          q.stride,
          q.lowRows,
          highRows,
          odd,
          x0,
          y0,
          x1,
          y1,
          target.address,
          target.stride,
          target.scale,
        );
    if (!done) checked(-1);
  }
}

/** A tile-component in the core's memory before the component transform. */
interface Plane {
  readonly component: number;
  readonly address: number;
  readonly rect: Rect;
  readonly reversible: number;
}

/** The rectangle that a component plan yields; for a base image without further levels, its part of the window. */
function resultRect(plan: ComponentPlan, whole: Rect): Rect {
  return plan.levels.at(-1)?.wanted ?? whole;
}

function decodeTile(
  core: CoreExports,
  chunks: ChunkTable,
  tilePlan: TilePlan,
  plan: WindowPlan,
  base: BaseImage | null,
): Plane[] {
  const { tile } = tilePlan;
  return tilePlan.components.map((component) => {
    const rect = resultRect(component, plan.rects[component.component] as Rect);
    const samples = widthOf(rect) * heightOf(rect);
    const address = checkedAddress(core.allocZeroed(samples * 4 + 64));
    const before = core.mark();
    new ComponentDecoder(core, chunks, tile, layersOf(tile, plan.request), component).run(address, rect, base);
    core.release(before);
    const reversible = (tile.components[component.component] as TileComponent).coding.reversible ? 1 : 0;
    return { component: component.component, address, rect, reversible };
  });
}

/** Inverts RCT or ICT on the first three components (Annex G). The window may lie between their samples, leaving none. */
function undoComponentTransform(core: CoreExports, planes: readonly Plane[]): void {
  const [a, b, c] = [0, 1, 2].map((component) => planes.find((plane) => plane.component === component));
  if (!a || !b || !c) return;
  const count = widthOf(a.rect) * heightOf(a.rect);
  if (a.reversible) core.inverseRct(a.address, b.address, c.address, count);
  else core.inverseIct(a.address, b.address, c.address, count);
}

function emptyComponents(size: ImageSize, plan: WindowPlan): DecodedComponent[] {
  return size.components.map(({ precision, signed }, c) => {
    const rect = plan.rects[c] as Rect;
    const width = Math.max(0, widthOf(rect));
    const height = Math.max(0, heightOf(rect));
    const samples = !signed && precision <= 8 ? new Uint8Array(width * height) : new Int32Array(width * height);
    return { ...rect, width, height, precision, signed, samples };
  });
}

/** Applies DC level shift and clamping (G.1, nominal range of A.5.1), and copies the samples to their place in the result. */
function store(core: CoreExports, plane: Plane, into: DecodedComponent): void {
  const { precision, signed, samples } = into;
  const width = widthOf(plane.rect);
  const height = heightOf(plane.rect);
  const shift = signed ? 0 : 2 ** (precision - 1);
  const [low, high] = signed ? [-(2 ** (precision - 1)), 2 ** (precision - 1) - 1] : [0, 2 ** precision - 1];
  let source: Uint8Array | Int32Array;
  if (samples instanceof Uint8Array) {
    core.finishBytes(plane.address, width * height, plane.reversible, shift, high, plane.address);
    source = new Uint8Array(core.memory.buffer, plane.address, width * height);
  } else {
    core.finishIntegers(plane.address, width * height, plane.reversible, shift, low, high);
    source = new Int32Array(core.memory.buffer, plane.address, width * height);
  }
  const left = plane.rect.x0 - into.x0;
  for (let y = 0; y < height; y++) {
    samples.set(source.subarray(y * width, (y + 1) * width), (plane.rect.y0 - into.y0 + y) * into.width + left);
  }
}

/**
 * Decodes a planned window from the bytes of `windowRanges`. With `base`, the plan must start at the level above it.
 *
 * @throws Jp2Error when the codestream is malformed
 */
export function decodeWindow(
  size: ImageSize,
  plan: WindowPlan,
  chunks: readonly Chunk[],
  base: BaseImage | null = null,
): DecodedComponent[] {
  const result = emptyComponents(size, plan);
  withCore((core) => {
    const table = new ChunkTable(core, chunks);
    for (const tilePlan of plan.tiles) {
      const before = core.mark();
      const planes = decodeTile(core, table, tilePlan, plan, base);
      if (tilePlan.tile.parameters.componentTransform && size.components.length >= 3) undoComponentTransform(core, planes);
      for (const plane of planes) store(core, plane, result[plane.component] as DecodedComponent);
      core.release(before);
    }
  });
  return result;
}

/** Decodes the base image of an image with one tile and one component. */
export function decodeBaseImage(plan: WindowPlan, chunks: readonly Chunk[]): BaseImage {
  const tilePlan = plan.tiles[0] as TilePlan;
  const level = (tilePlan.components[0] as ComponentPlan).levels.at(-1) as LevelPlan;
  return withCore((core) => {
    const [plane] = decodeTile(core, new ChunkTable(core, chunks), tilePlan, plan, null) as [Plane];
    const count = widthOf(plane.rect) * heightOf(plane.rect);
    const { buffer } = core.memory;
    const samples = plane.reversible
      ? new Int32Array(buffer, plane.address, count).slice()
      : new Float32Array(buffer, plane.address, count).slice();
    return { ...plane.rect, level: level.level, samples };
  });
}
