import { jpeg } from '../../../picture/encode/jpeg.ts';
import type { ImageFormat } from './format.ts';

export const JPEG = { type: 'jpg', name: 'JPEG', rgb: jpeg, lossy: {} } as const satisfies ImageFormat;
