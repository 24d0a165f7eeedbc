import { indexedPng, rgbaPng, rgbPng } from '../../../picture/encode/png.ts';
import type { ImageFormat } from './format.ts';

export const PNG = {
  type: 'png',
  name: 'PNG',
  lossless: { indexed: indexedPng, rgba: rgbaPng },
  rgb: rgbPng,
} as const satisfies ImageFormat;
