// The formats in which a whole image is downloaded.
import { drawOver, type LayerPixels } from '../../imaging/compose.ts';
import type { StripEncoder } from '../../imaging/encode/encoder.ts';
import { jpeg } from '../../imaging/encode/jpeg.ts';
import { indexedPng } from '../../imaging/encode/png.ts';
import { webp } from '../../imaging/encode/webp.ts';

export const IMAGE_TYPES = ['png', 'jpg', 'webp'] as const;

export type ImageType = (typeof IMAGE_TYPES)[number];

export const MEDIA_TYPES: Readonly<Record<ImageType, string>> = { png: 'image/png', jpg: 'image/jpeg', webp: 'image/webp' };

/** Opaque enough to be seen where a pixel is either there or not. */
const HALF_ALPHA = 128;

/**
 * Palette indexes of a layer. Where it is masked, index 0 is the transparent one and black samples are drawn as 1, the next
 * in a table of 256.
 */
function indexesOf({ samples, alpha }: LayerPixels, isMasked: boolean): Uint8Array {
  if (!isMasked) return samples;
  return samples.map((sample, i) => (alpha && (alpha[i] as number) < HALF_ALPHA ? 0 : Math.max(1, sample)));
}

function rgbOf(layer: LayerPixels): Uint8Array {
  const rgb = new Uint8Array(layer.width * layer.height * 3);
  drawOver(rgb, layer, 100);
  return rgb;
}

interface Picture {
  readonly width: number;
  readonly height: number;
  /** 256 times R, G, B; null for grey. */
  readonly palette: Uint8Array | null;
  /** Whether a mask hides a part of it. */
  readonly isMasked: boolean;
}

/** Takes the strips of one layer from the top on. */
export interface LayerEncoder {
  write(strip: LayerPixels): Promise<void>;
  finish(): Promise<Uint8Array>;
}

function indexedEncoder(encoder: StripEncoder, isMasked: boolean): LayerEncoder {
  return { write: (strip) => encoder.write(indexesOf(strip, isMasked), strip.height), finish: () => encoder.finish() };
}

/** PNG and WebP have a palette and no more colours than it, JPEG is black where the others are transparent. */
export function layerEncoder(type: ImageType, { width, height, palette, isMasked }: Picture): LayerEncoder {
  const transparentIndex = isMasked ? 0 : undefined;
  switch (type) {
    case 'png':
      return indexedEncoder(indexedPng(width, height, palette, transparentIndex), isMasked);
    case 'webp':
      return indexedEncoder(webp(width, height, { format: 'indexed', palette, transparentIndex }), isMasked);
    case 'jpg': {
      const encoder = jpeg(width, height, { format: 'rgb' });
      return { write: (strip) => encoder.write(rgbOf(strip), strip.height), finish: () => encoder.finish() };
    }
  }
}
