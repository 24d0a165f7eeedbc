// Pictures of outlines, not stored, because anyone can write a path. Their palette, mixtures of fill and line, takes a fifth of the bytes.
import { drawn } from '../archive/drawing/picture-cost.ts';
import { translucentPng } from '../picture/encode/png.ts';
import { prepareRasteriser, rasterise, svgDocument } from '../picture/overlays/drawing/draw.ts';
import { OUTLINE_OPACITY, outlineElement } from '../picture/overlays/drawing/event-markers.ts';
import type { RenderCall } from '../platform/admission/admission.ts';
import type { Pace } from '../platform/ports/timing.ts';
import type { Point } from '../sun/coordinates/rings.ts';
import { findEventType, UNKNOWN_TYPE_COLOUR } from '../sun/events/event-types.ts';
import type { Size } from '../sun/image.ts';
import { type OutlineShape, pictureSize, UNITS_PER_PIXEL } from './records/outline-path.ts';

/** Pixels rasterised at a time: 1 MiB, so that a large outline does not displace all other rasters from the cache. */
const STRIP_PIXELS = 1 << 18;

/** Highest share of the fill in a colour, and highest opacity, of 255: of the fill alone, and under the line. */
const HIGHEST = {
  share: 255 * OUTLINE_OPACITY.fill,
  alpha: 255 * (1 - (1 - OUTLINE_OPACITY.fill) * (1 - OUTLINE_OPACITY.line)),
} as const;
/** Steps of each in the palette: 12 x 21 colours. */
const SHARES = 11;
const ALPHAS = 20;

type Rgb = readonly [red: number, green: number, blue: number];

function rgbOf(colour: string): Rgb {
  const value = Number.parseInt(colour, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

const indexOf = (share: number, alpha: number) =>
  Math.min(SHARES, Math.round((share / HIGHEST.share) * SHARES)) * (ALPHAS + 1) +
  Math.min(ALPHAS, Math.round((alpha / HIGHEST.alpha) * ALPHAS));

/** R, G, B, A of each index, alpha not premultiplied. */
function paletteOf(fill: Rgb): Uint8Array {
  const entries = Array.from({ length: (SHARES + 1) * (ALPHAS + 1) }, (_, i) => {
    const alpha = ((i % (ALPHAS + 1)) / ALPHAS) * HIGHEST.alpha;
    const share = (Math.floor(i / (ALPHAS + 1)) / SHARES) * HIGHEST.share;
    const part = alpha > 0 ? Math.min(1, share / alpha) : 0;
    return [...fill.map((channel) => Math.round(channel * part)), Math.round(alpha)];
  });
  return Uint8Array.from(entries.flat());
}

function indexesOf(pixels: Uint8Array, fill: Rgb): Uint8Array {
  const brightest = fill.indexOf(Math.max(...fill));
  const indexes = new Uint8Array(pixels.length / 4);
  for (let i = 0; i < indexes.length; i++) {
    const alpha = pixels[i * 4 + 3]!;
    if (alpha > 0) indexes[i] = indexOf((pixels[i * 4 + brightest]! * 255) / fill[brightest]!, alpha);
  }
  return indexes;
}

/** The element as a PNG file, drawn strip by strip. */
async function outlinePng({ width, height }: Size, svg: string, fill: Rgb, pace: Pace): Promise<Uint8Array> {
  await prepareRasteriser();
  const overlay = { x: 0, y: 0, width, height, svg };
  const pause = (pixels: number) => pace.pause(pixels);
  const encoder = translucentPng(width, height, paletteOf(fill));
  const rows = Math.max(1, Math.floor(STRIP_PIXELS / width));
  for (let y = 0; y < height; y += rows) {
    const strip = { x: 0, y, width, height: Math.min(rows, height - y) };
    await pause(width * strip.height);
    const pixels = rasterise(svgDocument(overlay, strip), strip.width, strip.height);
    await encoder.write(indexesOf(pixels, fill), strip.height, pause);
  }
  return encoder.finish();
}

/** The picture of an outline as a PNG file; equal shapes give equal bytes. @throws Failure `busy` when no room becomes free in time */
export async function outlinePicture(shape: OutlineShape, call: RenderCall): Promise<Uint8Array> {
  const { width, height, insetPx, reduction } = pictureSize(shape);
  const size = { width: width / reduction, height: height / reduction };
  const colour = findEventType(shape.pin)?.colour ?? UNKNOWN_TYPE_COLOUR;
  const toPx = (units: number) => (units / UNITS_PER_PIXEL + insetPx) / reduction;
  const rings = shape.rings.map((ring) => ring.map(([x, y]): Point => [toPx(x), toPx(y)]));
  const svg = outlineElement(rings, colour, (2 * insetPx) / reduction);
  return drawn(size, call, (pace) => pace.measure('encode', () => outlinePng(size, svg, rgbOf(colour), pace)));
}
