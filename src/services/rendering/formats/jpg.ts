import { jpeg } from '../../../imaging/encode/jpeg.ts';
import { jpegNote } from '../../../imaging/encode/notes.ts';
import type { ImageFormat } from './format.ts';

export const JPEG = { type: 'jpg', name: 'JPEG', rgb: jpeg, note: jpegNote, lossy: {} } as const satisfies ImageFormat;
