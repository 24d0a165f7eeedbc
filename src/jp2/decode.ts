// Decodes a planned window with the core (wasm/core). `decodeSteps` tells the stages in their order.
import { codestreamLevels, type DecodeBand, type LevelSource, type OpenLevel, type Rows } from './codestream-blocks.ts';
import { cellLevels, type ReadCells } from './coefficients/format.ts';
import { allocate, type CoreExports, checked, coreSteps } from './core/core.ts';
import type { ImageSize } from './markers.ts';
import type { TileIndex } from './packet-index.ts';
import type { Jp2Index } from './sidecar.ts';
import { isEmpty, type Rect, type Resolution, reduceRect, type TileComponent } from './structure.ts';
import type { ComponentPlan, LevelPlan, TilePlan, WindowPlan, WindowRequest } from './window.ts';
import { planWindow, windowRanges } from './window.ts';

/** Samples of one component: rows from the top, `width` * `height` of them. Bytes when unsigned and of at most 8 bits. */
export interface DecodedComponent extends Rect {
  readonly width: number;
  readonly height: number;
  readonly precision: number;
  readonly signed: boolean;
  readonly samples: Uint8Array | Int32Array;
}

/** A tile-component in the core's memory: samples before the component transform, or finished bytes. */
interface Plane {
  readonly component: number;
  readonly address: number;
  readonly rect: Rect;
  readonly reversible: number;
  readonly isFinished: boolean;
}

/** Scaling of the low-pass samples by the 9/7 synthesis (table F.4). */
const K = 1.230174104914001;

/** log2 of the fewest rows of a stripe: three subbands of 1024 columns then fit the second-level cache. */
const LOG2_STRIPE_ROWS = 6;

/** Rows of the first and of the last stripe, at least: the extension of a level reaches so far back into it. */
const EXTENSION_ROWS = 4;

const widthOf = (r: Rect): number => r.x1 - r.x0;
const heightOf = (r: Rect): number => r.y1 - r.y0;

/** Row length in bytes of a plane of 4-byte samples. */
const alignedRow = (columns: number): number => (columns * 4 + 15) & ~15;

/** Gain of the synthesis in one dimension of a subband; signals of length one pass unchanged (F.3.6). */
function gain97(length: number, high: boolean): number {
  if (length === 1) return 1;
  return high ? 1 / K : K;
}

/** Rows of low-pass and of high-pass subbands that are decoded together. */
type Stripe = { readonly low0: number; readonly low1: number; readonly high0: number; readonly high1: number };

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

/** Destination of a level: the LL input of the next level, or the result. */
interface Target extends Rows {
  /** Factor for the samples that the next synthesis expects as low-pass ones. */
  readonly scale: number;
  /** Set when the result is bytes, one a sample. */
  readonly bytes: Pick<ReturnType<typeof rangeOf>, 'shift' | 'high'> | null;
}

/** Steps of a decoding, each of which yields its cost in pixels of a layer. */
type Steps<T = void> = Generator<number, T>;

/** Cost of a sample of a synthesis, in pixels of a layer. */
const SYNTHESIS_COST = 0.06;

/** Two buffers that the levels below the last use alternately, each sized for the largest of them. */
function openBuffers(core: CoreExports, { levels }: ComponentPlan): readonly [number, number] {
  const sizes = [0, 0];
  for (const { level, window } of levels) {
    const low = reduceRect(window, 1);
    const parity = (level + 1) & 1;
    sizes[parity] = Math.max(sizes[parity]!, alignedRow(widthOf(low)) * heightOf(low));
  }
  return [allocate(core, sizes[0]!), allocate(core, sizes[1]!)];
}

/** Writes the wanted samples of the last level to `final`. @param buffers Of `openBuffers` */
function* decodeLevels(
  core: CoreExports,
  open: OpenLevel,
  tile: TileIndex,
  { component, levels }: ComponentPlan,
  final: Target,
  buffers: readonly [number, number],
): Steps {
  const { resolutions, coding } = tile.components[component] as TileComponent;
  let below: Rows = final;
  for (const [i, plan] of levels.entries()) {
    const [r, above, upper] = [resolutions[plan.level]!, levels[i + 1], resolutions[plan.level + 1]];
    const scale = coding.reversible || !upper ? 1 : gain97(widthOf(upper), false) * gain97(heightOf(upper), false);
    // The input of the level above.
    const input = { address: buffers[plan.level & 1]!, stride: alignedRow(widthOf(plan.wanted)), scale, bytes: null };
    const target: Target = above ? input : final;
    const before = core.mark();
    const decodeBand = open(tile, component, plan);
    if (plan.level === 0) yield* decodeLowest(core, r, plan, decodeBand, target);
    else if (!isEmpty(plan.window)) yield* synthesise(core, r, coding.reversible, plan, decodeBand, below, target);
    core.release(before);
    below = target;
  }
}

function* decodeLowest(core: CoreExports, { bands }: Resolution, plan: LevelPlan, decodeBand: DecodeBand, target: Target): Steps {
  const window = plan.bands[0] as Rect;
  if (isEmpty(window)) return;
  yield* decodeBand(0, window, target, Math.fround(bands[0]!.step));
  const { address, stride, scale } = target;
  // In a second step, because one factor for both would round differently.
  if (scale !== 1) core.scalePlane(address, stride, widthOf(window), heightOf(window), scale);
}

/** Decodes the three subbands of a level in stripes and synthesises each while it is in the cache. */
function* synthesise(
  core: CoreExports,
  r: Resolution,
  isReversible: boolean,
  { window, wanted, bands }: LevelPlan,
  decodeBand: DecodeBand,
  below: Rows,
  target: Target,
): Steps {
  const [hl, lh, hh] = bands as [Rect, Rect, Rect];
  const steps = r.bands.map(({ orientation, step }) =>
    Math.fround(step * (isReversible ? 1 : gain97(widthOf(r), (orientation & 1) === 1) * gain97(heightOf(r), orientation > 1))),
  );
  const stripes = stripesOf(hl, lh, r.log2CodeblockHeight);
  const stride = alignedRow(Math.max(widthOf(hl), widthOf(lh)));
  const most = Math.max(...stripes.map((s) => Math.max(s.low1 - s.low0, s.high1 - s.high0)));
  const planes = [0, 1, 2].map(() => ({ address: allocate(core, stride * most), stride }));
  const oddY = window.y0 & 1;
  if (!core.openSynthesis(widthOf(lh), widthOf(hl), window.x0 & 1, heightOf(window), oddY)) checked(-1);
  const [x0, y0, x1, y1] = [wanted.x0 - window.x0, wanted.y0 - window.y0, wanted.x1 - window.x0, wanted.y1 - window.y0];
  const { shift, high } = target.bytes ?? { shift: 0, high: 0 };
  core.setResult(x0, y0, x1, y1, target.address, target.stride, target.scale, shift, high);
  const reversible = isReversible ? 1 : 0;
  const lastStep = core.lastStep(reversible);
  let step = core.firstStep(reversible);
  for (const [i, s] of stripes.entries()) {
    const windows: readonly Rect[] = [
      { ...hl, y0: s.low0, y1: s.low1 },
      { ...lh, y0: s.high0, y1: s.high1 },
      { ...hh, y0: s.high0, y1: s.high1 },
    ];
    for (const [b, w] of windows.entries()) if (!isEmpty(w)) yield* decodeBand(b, w, planes[b] as Rows, steps[b]!);
    const [lowRow, highRow] = [s.low0 - hl.y0, s.high0 - lh.y0];
    const [hlAt, lhAt, hhAt] = planes.map(({ address }) => address) as [number, number, number];
    core.setStripe(below.address, below.stride, hlAt, lhAt, hhAt, stride, lowRow, highRow);
    // A step needs low-pass row n and, when the first row is high-pass, high-pass row n + 1.
    const stop = i === stripes.length - 1 ? lastStep : Math.min(lastStep, s.low1 - hl.y0 - 1, s.high1 - lh.y0 - 1 - oddY);
    core.synthesise(step, stop, reversible);
    step = Math.max(step, stop + 1);
    yield SYNTHESIS_COST * widthOf(window) * (s.low1 - s.low0 + s.high1 - s.high0);
  }
}

type Depth = Pick<DecodedComponent, 'precision' | 'signed'>;

const isOfBytes = ({ precision, signed }: Depth): boolean => !signed && precision <= 8;

/** Level shift and nominal range of samples (G.1, A.5.1). */
function rangeOf({ precision, signed }: Depth) {
  const half = 2 ** (precision - 1);
  return signed ? { shift: 0, low: -half, high: half - 1 } : { shift: half, low: 0, high: 2 * half - 1 };
}

const hasComponentTransform = (size: ImageSize, { tile }: TilePlan): boolean =>
  tile.parameters.componentTransform && size.components.length >= 3;

/** Decodes the code-blocks of a component of a tile, and synthesises its levels from the lowest up. */
function* decodeComponent(
  core: CoreExports,
  open: OpenLevel,
  tilePlan: TilePlan,
  plan: ComponentPlan,
  size: ImageSize,
): Steps<Plane> {
  const { tile } = tilePlan;
  const { component } = plan;
  const { level, wanted: rect } = plan.levels.at(-1) as LevelPlan;
  const depth = size.components[component]!;
  const isMixed = hasComponentTransform(size, tilePlan) && component < 3;
  // A last step that is a synthesis writes bytes.
  const bytes = !isMixed && level > 0 && isOfBytes(depth) ? rangeOf(depth) : null;
  const sampleBytes = bytes ? 1 : 4;
  const address = allocate(core, widthOf(rect) * heightOf(rect) * sampleBytes);
  const before = core.mark();
  const final = { address, stride: widthOf(rect) * sampleBytes, scale: 1, bytes };
  yield* decodeLevels(core, open, tile, plan, final, openBuffers(core, plan));
  core.release(before);
  const reversible = (tile.components[component] as TileComponent).coding.reversible ? 1 : 0;
  return { component, address, rect, reversible, isFinished: bytes !== null };
}

/** Inverts RCT or ICT on the first three components (Annex G). The window may lie between their samples, leaving none. */
function undoComponentTransform(core: CoreExports, planes: readonly Plane[]): void {
  const [a, b, c] = [0, 1, 2].map((component) => planes.find((plane) => plane.component === component));
  if (!a || !b || !c) return;
  const count = widthOf(a.rect) * heightOf(a.rect);
  if (a.reversible) core.inverseRct(a.address, b.address, c.address, count);
  else core.inverseIct(a.address, b.address, c.address, count);
}

const emptyComponents = (size: ImageSize, plan: WindowPlan): DecodedComponent[] =>
  size.components.map(({ precision, signed }, c) => {
    const rect = plan.rects[c] as Rect;
    const width = Math.max(0, widthOf(rect));
    const height = Math.max(0, heightOf(rect));
    const samples = new (isOfBytes({ precision, signed }) ? Uint8Array : Int32Array)(width * height);
    return { ...rect, width, height, precision, signed, samples };
  });

/** Applies DC level shift and clamping (G.1, nominal range of A.5.1) unless the synthesis did, and copies the samples into the result. */
function store(core: CoreExports, { address, rect, reversible, isFinished }: Plane, into: DecodedComponent): void {
  const [width, height] = [widthOf(rect), heightOf(rect)];
  const { shift, low, high } = rangeOf(into);
  const isBytes = into.samples instanceof Uint8Array;
  if (!isBytes) core.finishIntegers(address, width * height, reversible, shift, low, high);
  else if (!isFinished) core.finishBytes(address, width * height, reversible, shift, high, address);
  const source = new (isBytes ? Uint8Array : Int32Array)(core.memory.buffer, address, width * height);
  if (width === into.width) {
    into.samples.set(source, (rect.y0 - into.y0) * width);
    return;
  }
  const left = rect.x0 - into.x0;
  for (let y = 0; y < height; y++)
    into.samples.set(source.subarray(y * width, (y + 1) * width), (rect.y0 - into.y0 + y) * into.width + left);
}

/** Decodes a planned window in steps of a few code-blocks or a stripe's synthesis. @throws Jp2Error when the codestream is malformed */
export function* decodeSteps(size: ImageSize, plan: WindowPlan, source: LevelSource): Steps<DecodedComponent[]> {
  const result = emptyComponents(size, plan);
  yield* coreSteps(function* (core): Steps {
    // First the bytes of the window are copied into the core, packets of the codestream or cells of the coefficient sidecar.
    const open = source(core);
    for (const tilePlan of plan.tiles) {
      const before = core.mark();
      // Then each component is decoded level by level: code-blocks, dequantisation, inverse wavelet transform.
      const planes: Plane[] = [];
      for (const component of tilePlan.components) planes.push(yield* decodeComponent(core, open, tilePlan, component, size));
      // Then the component transform is inverted, if the tile has one.
      if (hasComponentTransform(size, tilePlan)) undoComponentTransform(core, planes);
      // Last come level shift and clamping, unless the synthesis did both, and the copy into the result.
      for (const plane of planes) store(core, plane, result[plane.component] as DecodedComponent);
      core.release(before);
    }
  });
  return result;
}

/** Decodes a planned window in one step. @throws as `decodeSteps` */
export function decodeWindow(size: ImageSize, plan: WindowPlan, source: LevelSource): DecodedComponent[] {
  const steps = decodeSteps(size, plan, source);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Samples as bytes. Other depths are scaled so that their nominal range becomes 0 to 255. */
export function greyBytes({ samples, ...depth }: DecodedComponent): Uint8Array {
  if (samples instanceof Uint8Array && depth.precision === 8) return samples;
  const { low, high } = rangeOf(depth);
  const factor = 255 / (high - low);
  return Uint8Array.from(samples, (sample) => Math.round((sample - low) * factor));
}

interface FileWindow extends WindowRequest {
  /** Levels that are decoded from cells, in a third of the time. */
  readonly cells?: ReadonlyMap<number, ReadCells>;
}

/** Samples of every component in `window` of the reference grid, `reduce` levels discarded. @throws Jp2Error (malformed or too large) */
export function decodeFileWindow(jp2: Uint8Array, index: Jp2Index, { reduce, window, cells = new Map() }: FileWindow) {
  const plan = planWindow(index, { reduce, window });
  const chunks = windowRanges(plan, (level) => !cells.has(level)).map(({ offset, length }) => {
    const start = index.codestreamOffset + offset;
    return { offset, bytes: jp2.subarray(start, start + length) };
  });
  return decodeWindow(index.size, plan, cellLevels(cells, codestreamLevels(chunks)));
}
