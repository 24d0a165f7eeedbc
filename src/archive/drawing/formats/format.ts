// The record of a file format of pictures, and how layers are encoded in it.
import type { StripEncoder } from '../../../picture/encode/encoder.ts';
import type { LosslessEncoders } from '../../../picture/encode/png.ts';
import { drawOver, type LayerPixels } from '../../../picture/raster/compose.ts';

export interface ImageFormat {
  /** Value of the parameter `type`, and extension of file names. */
  readonly type: string;
  readonly name: string;
  /** Absent in formats with loss alone. */
  readonly lossless?: LosslessEncoders;
  /** Encodes rows of R, G, B: with loss where a quality from 1 to 100 is given or the format has no other. */
  readonly rgb: (width: number, height: number, quality?: number) => StripEncoder;
  /** Files with a quality; absent in formats without loss. */
  readonly lossy?: {
    /** Most pixels of a picture, whose encoder then stays within the memory of an isolate. Unset: no limit. */
    readonly mostPixels?: { readonly width: number; readonly height: number };
    /** Bytes that the encoder holds. Unset: those of the file. */
    readonly bytes?: (pixels: number) => number;
  };
}

/** Alpha from which a pixel counts as opaque in files with one transparent palette index. */
const HALF_ALPHA = 128;

/** Palette indexes of a layer. If it is masked, index 0 is transparent and samples of 0 become 1, the next colour. */
function indexesOf({ samples, alpha }: LayerPixels, isMasked: boolean): Uint8Array {
  if (!isMasked) return samples;
  const indexes = new Uint8Array(samples.length);
  for (let i = 0; i < samples.length; i++) if (!alpha || alpha[i]! >= HALF_ALPHA) indexes[i] = Math.max(1, samples[i]!);
  return indexes;
}

/** The layer on black. */
export function rgbOf(layer: LayerPixels): Uint8Array {
  const rgb = new Uint8Array(layer.width * layer.height * 3);
  drawOver(rgb, layer, 100);
  return rgb;
}

interface LayerShape {
  readonly width: number;
  readonly height: number;
  /** 256 RGB entries; null for grey. */
  readonly palette: Uint8Array | null;
  /** Whether a mask hides a part of the image. */
  readonly isMasked: boolean;
}

/** Files without loss have only the colours of the palette; those with loss are black where a mask hides the image. */
export function layerEncoder({ lossless, rgb }: ImageFormat, shape: LayerShape, quality?: number) {
  const { width, height, palette, isMasked } = shape;
  const isLossless = lossless && quality === undefined;
  const encoder = isLossless ? lossless.indexed(width, height, palette, isMasked ? 0 : undefined) : rgb(width, height, quality);
  const pixelsOf = isLossless ? (strip: LayerPixels) => indexesOf(strip, isMasked) : rgbOf;
  return {
    write: (strip: LayerPixels, pause?: (pixels: number) => Promise<void>) => encoder.write(pixelsOf(strip), strip.height, pause),
    finish: encoder.finish,
  };
}
