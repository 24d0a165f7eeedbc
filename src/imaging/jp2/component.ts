// Decodes a window of one tile-component: code-blocks, dequantisation and the inverse wavelet transform, level by level.
import { type CoreExports, checked, checkedAddress } from '../core/core.ts';
import type { LevelBlocks, OpenLevel, Rows } from './level-blocks.ts';
import type { TileIndex } from './packet-index.ts';
import { isEmpty, type Rect, type Resolution, type Subband, type TileComponent } from './structure.ts';
import type { ComponentPlan, LevelPlan } from './window.ts';

/** Samples of a whole resolution level as the inverse transform leaves them: windows of higher levels start from them. */
export interface BaseImage extends Rect {
  readonly level: number;
  readonly samples: Float32Array | Int32Array;
}

/** Level shift and highest value of unsigned samples of at most 8 bits (G.1). */
export interface ByteRangeOfSamples {
  readonly shift: number;
  readonly high: number;
}

/** Scaling of the low-pass samples by the 9/7 synthesis (table F.4). */
const K = 1.230174104914001;

/** Bytes behind a plane that vector instructions may touch. */
export const PLANE_PADDING = 64;

/** log2 of the fewest rows of a stripe: three subbands of 1024 columns then fit the second-level cache. */
const LOG2_STRIPE_ROWS = 6;

/** Rows of the first and of the last stripe, at least: the extension of a level reaches so far back into it. */
const EXTENSION_ROWS = 4;

export const widthOf = (r: Rect): number => r.x1 - r.x0;
export const heightOf = (r: Rect): number => r.y1 - r.y0;

/** Row length in bytes of a plane of 4-byte samples. */
const alignedRow = (columns: number): number => (columns * 4 + 15) & ~15;

/** Gain of the synthesis in one dimension of a subband; signals of length one pass unchanged (F.3.6). */
function gain97(length: number, high: boolean): number {
  if (length === 1) return 1;
  return high ? 1 / K : K;
}

/** Rows of low-pass and of high-pass subbands that are decoded together. */
interface Stripe {
  readonly low0: number;
  readonly low1: number;
  readonly high0: number;
  readonly high1: number;
}

const isShort = (s: Stripe): boolean => s.low1 - s.low0 < EXTENSION_ROWS || s.high1 - s.high0 < EXTENSION_ROWS;

/** Splits a level at rows of code-blocks. `lowRows`, `highRows`: the windows of HL and LH. */
function stripesOf(lowRows: Rect, highRows: Rect, log2CodeblockHeight: number): Stripe[] {
  const log2 = Math.max(log2CodeblockHeight, LOG2_STRIPE_ROWS);
  const clip = (y: number, rows: Rect): number => Math.min(Math.max(y, rows.y0), rows.y1);
  const stripes: Stripe[] = [];
  const first = Math.floor(Math.min(lowRows.y0, highRows.y0) / 2 ** log2);
  const last = Math.floor((Math.max(lowRows.y1, highRows.y1) - 1) / 2 ** log2);
  for (let j = first; j <= last; j++) {
    const [from, to] = [j * 2 ** log2, (j + 1) * 2 ** log2];
    const next = { low0: clip(from, lowRows), low1: clip(to, lowRows), high0: clip(from, highRows), high1: clip(to, highRows) };
    const before = stripes.at(-1);
    if (before && (isShort(before) || isShort(next)))
      stripes[stripes.length - 1] = { ...before, low1: next.low1, high1: next.high1 };
    else stripes.push(next);
  }
  return stripes;
}

/** Where a level goes: the LL input of the next level, or the result. */
interface Target extends Rows {
  /** Factor for the samples that the next synthesis expects as low-pass ones. */
  readonly scale: number;
  /** Set when the result is bytes, one a sample. */
  readonly bytes: ByteRangeOfSamples | null;
}

/** Decodes one tile-component. */
export class ComponentDecoder {
  readonly #core: CoreExports;
  readonly #open: OpenLevel;
  readonly #tile: TileIndex;
  readonly #tc: TileComponent;
  readonly #plan: ComponentPlan;
  readonly #reversible: boolean;

  constructor(core: CoreExports, open: OpenLevel, tile: TileIndex, plan: ComponentPlan) {
    this.#core = core;
    this.#open = open;
    this.#tile = tile;
    this.#plan = plan;
    this.#tc = tile.components[plan.component] as TileComponent;
    this.#reversible = this.#tc.coding.reversible;
  }

  /** Whether `run` can write bytes: the last step is a synthesis. */
  get endsWithSynthesis(): boolean {
    return (this.#plan.levels.at(-1)?.level ?? 0) > 0;
  }

  /**
   * Writes the wanted samples of the last level to `out`, rows without gaps: of four bytes each, or of one with `bytes`.
   * @param base The level below the first
   */
  run(out: number, outRect: Rect, bytes: ByteRangeOfSamples | null, base: BaseImage | null): void {
    const { levels } = this.#plan;
    const buffers = this.#openBuffers();
    const final: Target = { address: out, stride: widthOf(outRect) * (bytes ? 1 : 4), scale: 1, bytes };
    let below: Rows = final;
    if (base) {
      const first = levels[0];
      const target = first ? this.#bufferOf(first.level - 1, first, this.#lowRect(first), buffers) : final;
      this.#startFromBase(base, target, first ? this.#lowRect(first) : outRect);
      below = target;
    }
    levels.forEach((plan, i) => {
      const above = levels[i + 1];
      const target = above ? this.#bufferOf(plan.level, above, plan.wanted, buffers) : final;
      const before = this.#core.mark();
      const blocks = this.#open(this.#tile, this.#plan.component, plan);
      if (plan.level === 0) this.#decodeLowest(plan, blocks, target);
      else if (!isEmpty(plan.window)) this.#synthesise(plan, blocks, below, target);
      this.#core.release(before);
      below = target;
    });
  }

  #resolution(plan: LevelPlan): Resolution {
    return this.#tc.resolutions[plan.level] as Resolution;
  }

  /** Low-pass samples that a level needs. */
  #lowRect({ window }: LevelPlan): Rect {
    const half = (n: number): number => Math.ceil(n / 2);
    return { x0: half(window.x0), y0: half(window.y0), x1: half(window.x1), y1: half(window.y1) };
  }

  /** Two buffers that the levels below the last use alternately, each sized for the largest of them. */
  #openBuffers(): [number, number] {
    const sizes = [0, 0];
    for (const plan of this.#plan.levels) {
      const low = this.#lowRect(plan);
      const parity = (plan.level + 1) & 1;
      sizes[parity] = Math.max(sizes[parity] as number, alignedRow(widthOf(low)) * heightOf(low));
    }
    const open = (bytes: number): number => checkedAddress(this.#core.alloc(bytes + PLANE_PADDING));
    return [open(sizes[0] as number), open(sizes[1] as number)];
  }

  /** Place of `level` as input of the level `above` it. */
  #bufferOf(level: number, above: LevelPlan, rect: Rect, buffers: [number, number]): Target {
    const r = this.#resolution(above);
    const scale = this.#reversible ? 1 : gain97(widthOf(r), false) * gain97(heightOf(r), false);
    return { address: buffers[level & 1] as number, stride: alignedRow(widthOf(rect)), scale, bytes: null };
  }

  #startFromBase(base: BaseImage, target: Target, wanted: Rect): void {
    const memory = this.#reversible ? new Int32Array(this.#core.memory.buffer) : new Float32Array(this.#core.memory.buffer);
    const rowLength = widthOf(base);
    const columns = widthOf(wanted);
    for (let y = wanted.y0; y < wanted.y1; y++) {
      const from = (y - base.y0) * rowLength + wanted.x0 - base.x0;
      memory.set(base.samples.subarray(from, from + columns), (target.address + (y - wanted.y0) * target.stride) / 4);
    }
    this.#scale(target, columns, heightOf(wanted));
  }

  /** Scales samples in place, in a separate step for base images and LL subbands, so that both round alike. */
  #scale({ address, stride, scale }: Target, columns: number, rows: number): void {
    this.#core.copyPlane(address, stride, address, stride, columns, rows, this.#reversible ? 1 : 0, scale);
  }

  #decodeLowest(plan: LevelPlan, blocks: LevelBlocks, target: Target): void {
    const window = plan.bands[0] as Rect;
    if (isEmpty(window)) return;
    const band = this.#resolution(plan).bands[0] as Subband;
    blocks.decode(0, window, target, Math.fround(band.step));
    this.#scale(target, widthOf(window), heightOf(window));
  }

  /** Decodes the three subbands of a level in stripes and synthesises each while it is in the cache. */
  #synthesise(plan: LevelPlan, blocks: LevelBlocks, below: Rows, target: Target): void {
    const core = this.#core;
    const r = this.#resolution(plan);
    const { window, wanted } = plan;
    const [hl, lh, hh] = plan.bands as [Rect, Rect, Rect];
    const steps = r.bands.map(({ orientation, step }) =>
      Math.fround(
        step * (this.#reversible ? 1 : gain97(widthOf(r), (orientation & 1) === 1) * gain97(heightOf(r), orientation > 1)),
      ),
    );
    const stripes = stripesOf(hl, lh, r.log2CodeblockHeight);
    const stride = alignedRow(Math.max(widthOf(hl), widthOf(lh)));
    const most = Math.max(...stripes.map((s) => Math.max(s.low1 - s.low0, s.high1 - s.high0)));
    const planes = [0, 1, 2].map(() => ({ address: checkedAddress(core.alloc(stride * most + PLANE_PADDING)), stride }));
    const oddY = window.y0 & 1;
    if (!core.openSynthesis(widthOf(lh), widthOf(hl), window.x0 & 1, heightOf(window), oddY)) checked(-1);
    const [x0, y0, x1, y1] = [wanted.x0 - window.x0, wanted.y0 - window.y0, wanted.x1 - window.x0, wanted.y1 - window.y0];
    const { shift, high } = target.bytes ?? { shift: 0, high: 0 };
    core.setResult(x0, y0, x1, y1, target.address, target.stride, target.scale, shift, high);
    const [firstStep, lastStep, run] = this.#reversible
      ? [core.firstStep53(), core.lastStep53(), core.synthesise53]
      : [core.firstStep97(), core.lastStep97(), core.synthesise97];
    let step = firstStep;
    for (const [i, s] of stripes.entries()) {
      const windows: readonly Rect[] = [
        { ...hl, y0: s.low0, y1: s.low1 },
        { ...lh, y0: s.high0, y1: s.high1 },
        { ...hh, y0: s.high0, y1: s.high1 },
      ];
      windows.forEach((w, b) => {
        if (!isEmpty(w)) blocks.decode(b, w, planes[b] as Rows, steps[b] as number);
      });
      const [lowRow, highRow] = [s.low0 - hl.y0, s.high0 - lh.y0];
      const [hlAt, lhAt, hhAt] = planes.map(({ address }) => address) as [number, number, number];
      core.setStripe(below.address, below.stride, hlAt, lhAt, hhAt, stride, lowRow, highRow);
      // A step needs low-pass row n and, when the first row is high-pass, high-pass row n + 1.
      const stop = i === stripes.length - 1 ? lastStep : Math.min(lastStep, s.low1 - hl.y0 - 1, s.high1 - lh.y0 - 1 - oddY);
      run(step, stop);
      step = Math.max(step, stop + 1);
    }
  }
}

/** The rectangle that a component plan yields; for a base image without further levels, its part of the window. */
export function resultRect(plan: ComponentPlan, whole: Rect): Rect {
  return plan.levels.at(-1)?.wanted ?? whole;
}
