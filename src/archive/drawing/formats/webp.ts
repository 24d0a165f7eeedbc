import { lossyWebp, rgbaWebp } from '../../../picture/encode/libwebp.ts';
import { webp } from '../../../picture/encode/webp.ts';
import { LOSSY_WEBP } from '../../../platform/limits/rendering.ts';
import type { ImageFormat } from './format.ts';

export const WEBP = {
  type: 'webp',
  name: 'WebP',
  lossless: { indexed: webp, rgba: rgbaWebp },
  rgb: lossyWebp,
  lossy: { mostPixels: LOSSY_WEBP.most, bytes: (pixels: number) => LOSSY_WEBP.baseBytes + LOSSY_WEBP.bytesPerPixel * pixels },
} as const satisfies ImageFormat;
