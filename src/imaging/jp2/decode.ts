// Decodes a planned window with the core: code-blocks and inverse transforms of its tiles, component transform, samples.
import { type CoreExports, checkedAddress, withCore } from '../core/core.ts';
import {
  type BaseImage,
  type ByteRangeOfSamples,
  ComponentDecoder,
  heightOf,
  PLANE_PADDING,
  resultRect,
  widthOf,
} from './component.ts';
import type { LevelSource, OpenLevel } from './level-blocks.ts';
import type { ImageSize } from './markers.ts';
import type { Rect, TileComponent } from './structure.ts';
import type { ComponentPlan, LevelPlan, TilePlan, WindowPlan } from './window.ts';

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

/** Level shift and clamping of a component whose samples become bytes (G.1, nominal range of A.5.1); null for others. */
function bytesOf({ components }: ImageSize, component: number): ByteRangeOfSamples | null {
  const { precision, signed } = components[component] as { precision: number; signed: boolean };
  return signed || precision > 8 ? null : { shift: 2 ** (precision - 1), high: 2 ** precision - 1 };
}

const hasComponentTransform = (size: ImageSize, { tile }: TilePlan): boolean =>
  tile.parameters.componentTransform && size.components.length >= 3;

/** `size`: of the image when its components are to be finished, null to keep the samples of the inverse transform. */
function decodeTile(
  core: CoreExports,
  open: OpenLevel,
  tilePlan: TilePlan,
  plan: WindowPlan,
  base: BaseImage | null,
  size: ImageSize | null,
): Plane[] {
  const { tile } = tilePlan;
  return tilePlan.components.map((componentPlan) => {
    const { component } = componentPlan;
    const rect = resultRect(componentPlan, plan.rects[component] as Rect);
    const decoder = new ComponentDecoder(core, open, tile, componentPlan);
    const mixed = size !== null && hasComponentTransform(size, tilePlan) && component < 3;
    const bytes = size && !mixed && decoder.endsWithSynthesis ? bytesOf(size, component) : null;
    const address = checkedAddress(core.alloc(widthOf(rect) * heightOf(rect) * (bytes ? 1 : 4) + PLANE_PADDING));
    const before = core.mark();
    decoder.run(address, rect, bytes, base);
    core.release(before);
    const reversible = (tile.components[component] as TileComponent).coding.reversible ? 1 : 0;
    return { component, address, rect, reversible, isFinished: bytes !== null };
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

/** Applies DC level shift and clamping (G.1, nominal range of A.5.1) unless the synthesis did. Returns the samples. */
function finish(core: CoreExports, { address, rect, reversible, isFinished }: Plane, into: DecodedComponent) {
  const { precision, signed, samples } = into;
  const count = widthOf(rect) * heightOf(rect);
  const shift = signed ? 0 : 2 ** (precision - 1);
  const [low, high] = signed ? [-(2 ** (precision - 1)), 2 ** (precision - 1) - 1] : [0, 2 ** precision - 1];
  if (samples instanceof Uint8Array) {
    if (!isFinished) core.finishBytes(address, count, reversible, shift, high, address);
    return new Uint8Array(core.memory.buffer, address, count);
  }
  core.finishIntegers(address, count, reversible, shift, low, high);
  return new Int32Array(core.memory.buffer, address, count);
}

/** Copies the samples of a tile to their place in the result. */
function store(core: CoreExports, plane: Plane, into: DecodedComponent): void {
  const source = finish(core, plane, into);
  const [width, height] = [widthOf(plane.rect), heightOf(plane.rect)];
  if (width === into.width) {
    into.samples.set(source, (plane.rect.y0 - into.y0) * width);
    return;
  }
  const left = plane.rect.x0 - into.x0;
  for (let y = 0; y < height; y++) {
    into.samples.set(source.subarray(y * width, (y + 1) * width), (plane.rect.y0 - into.y0 + y) * into.width + left);
  }
}

/**
 * Decodes a planned window. With `base`, the plan must start at the level above it.
 *
 * @throws Jp2Error when the codestream is malformed
 */
export function decodeWindow(
  size: ImageSize,
  plan: WindowPlan,
  source: LevelSource,
  base: BaseImage | null = null,
): DecodedComponent[] {
  const result = emptyComponents(size, plan);
  withCore((core) => {
    const open = source(core);
    for (const tilePlan of plan.tiles) {
      const before = core.mark();
      const planes = decodeTile(core, open, tilePlan, plan, base, size);
      if (hasComponentTransform(size, tilePlan)) undoComponentTransform(core, planes);
      for (const plane of planes) store(core, plane, result[plane.component] as DecodedComponent);
      core.release(before);
    }
  });
  return result;
}

/** Decodes the base image of an image with one tile and one component. */
export function decodeBaseImage(plan: WindowPlan, source: LevelSource): BaseImage {
  const tilePlan = plan.tiles[0] as TilePlan;
  const level = (tilePlan.components[0] as ComponentPlan).levels.at(-1) as LevelPlan;
  return withCore((core) => {
    const [plane] = decodeTile(core, source(core), tilePlan, plan, null, null) as [Plane];
    const count = widthOf(plane.rect) * heightOf(plane.rect);
    const { buffer } = core.memory;
    const samples = plane.reversible
      ? new Int32Array(buffer, plane.address, count).slice()
      : new Float32Array(buffer, plane.address, count).slice();
    return { ...plane.rect, level: level.level, samples };
  });
}
