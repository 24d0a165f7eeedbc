import { LOSSY_WEBP } from '../../../config/limits/rendering.ts';
import { lossyWebp, WHOLE_WEBP } from '../../../imaging/encode/libwebp.ts';
import { webpNote } from '../../../imaging/encode/notes.ts';
import { webp } from '../../../imaging/encode/webp.ts';
import type { ImageFormat } from './format.ts';

export const WEBP = {
  type: 'webp',
  name: 'WebP',
  indexed: webp,
  whole: WHOLE_WEBP,
  rgb: lossyWebp,
  note: webpNote,
  lossy: { mostPixels: LOSSY_WEBP.most, bytes: (pixels: number) => LOSSY_WEBP.baseBytes + LOSSY_WEBP.bytesPerPixel * pixels },
} as const satisfies ImageFormat;
