import { indexedPng, rgbPng, WHOLE_PNG } from '../../../picture/encode/png.ts';
import type { ImageFormat } from './format.ts';

export const PNG = {
  type: 'png',
  name: 'PNG',
  indexed: indexedPng,
  whole: WHOLE_PNG,
  rgb: rgbPng,
} as const satisfies ImageFormat;
