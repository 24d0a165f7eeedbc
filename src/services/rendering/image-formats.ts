// File formats of images and tiles.
import { drawOver, type LayerPixels } from '../../imaging/compose.ts';
import type { StripEncoder } from '../../imaging/encode/encoder.ts';
import { jpeg } from '../../imaging/encode/jpeg.ts';
import { indexedPng } from '../../imaging/encode/png.ts';
import { webp } from '../../imaging/encode/webp.ts';

export const IMAGE_TYPES = ['png', 'jpg', 'webp'] as const;

export type ImageType = (typeof IMAGE_TYPES)[number];

export const MEDIA_TYPES: Readonly<Record<ImageType, string>> = { png: 'image/png', jpg: 'image/jpeg', webp: 'image/webp' };

/** Alpha from which a pixel counts as opaque in formats with one transparent palette index. */
const HALF_ALPHA = 128;

/** Palette indexes of a layer. If it is masked, index 0 is transparent and samples of 0 become 1, the next colour. */
function indexesOf({ samples, alpha }: LayerPixels, isMasked: boolean): Uint8Array {
  if (!isMasked) return samples;
  const indexes = new Uint8Array(samples.length);
  for (let i = 0; i < samples.length; i++) if (!alpha || alpha[i]! >= HALF_ALPHA) indexes[i] = Math.max(1, samples[i]!);
  return indexes;
}

function rgbOf(layer: LayerPixels): Uint8Array {
  const rgb = new Uint8Array(layer.width * layer.height * 3);
  drawOver(rgb, layer, 100);
  return rgb;
}

interface Picture {
  readonly width: number;
  readonly height: number;
  /** 256 RGB entries; null for grey. */
  readonly palette: Uint8Array | null;
  /** Whether a mask hides a part of the image. */
  readonly isMasked: boolean;
}

/** Encodes the strips of one layer from top to bottom. */
interface LayerEncoder {
  write(strip: LayerPixels, pause?: (pixels: number) => Promise<void>): Promise<void>;
  finish(): Promise<Uint8Array>;
}

function indexedEncoder(encoder: StripEncoder, isMasked: boolean): LayerEncoder {
  return {
    write: (strip, pause) => encoder.write(indexesOf(strip, isMasked), strip.height, pause),
    finish: () => encoder.finish(),
  };
}

/** PNG and WebP use only the colours of the palette; JPEG is black where they are transparent. */
export function layerEncoder(type: ImageType, { width, height, palette, isMasked }: Picture): LayerEncoder {
  const transparentIndex = isMasked ? 0 : undefined;
  switch (type) {
    case 'png':
      return indexedEncoder(indexedPng(width, height, palette, transparentIndex), isMasked);
    case 'webp':
      return indexedEncoder(webp(width, height, palette, transparentIndex), isMasked);
    case 'jpg': {
      const encoder = jpeg(width, height);
      return {
        write: (strip, pause) => encoder.write(rgbOf(strip), strip.height, pause),
        finish: () => encoder.finish(),
      };
    }
  }
}

/** The layer with an alpha that is 0 where nothing is covered. */
function withoutUncovered(layer: LayerPixels): LayerPixels {
  const { width, height, covered, alpha } = layer;
  if (covered.x0 === 0 && covered.y0 === 0 && covered.x1 === width && covered.y1 === height) return layer;
  const opaque = new Uint8Array(width * height);
  for (let y = covered.y0; y < covered.y1; y++) {
    const [from, to] = [y * width + covered.x0, y * width + covered.x1];
    if (alpha) opaque.set(alpha.subarray(from, to), from);
    else opaque.fill(255, from, to);
  }
  return { ...layer, alpha: opaque };
}

/** A whole layer in one file. WebP is transparent, and JPEG black, outside the image and where a mask hides it. */
export async function encodeLayer(type: ImageType, layer: LayerPixels): Promise<Uint8Array> {
  const masked = withoutUncovered(layer);
  const encoder = layerEncoder(type, { ...masked, isMasked: masked.alpha !== null });
  await encoder.write(masked);
  return encoder.finish();
}
