import { jpeg } from '../../../picture/encode/jpeg.ts';
import { jpegNote } from '../../../picture/encode/notes.ts';
import type { ImageFormat } from './format.ts';

export const JPEG = { type: 'jpg', name: 'JPEG', rgb: jpeg, note: jpegNote, lossy: {} } as const satisfies ImageFormat;
