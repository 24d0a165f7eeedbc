// The file formats of pictures.
import { jpeg } from '../../../picture/encode/jpeg.ts';
import { lossyWebp, rgbaWebp } from '../../../picture/encode/libwebp.ts';
import { indexedPng, rgbaPng, rgbPng } from '../../../picture/encode/png.ts';
import { webp } from '../../../picture/encode/webp.ts';
import { LOSSY_WEBP } from '../../../platform/limits/rendering.ts';
import { badParameter } from '../../../platform/util/errors.ts';
import type { Size } from '../../../sun/image.ts';
import type { ImageFormat } from './format.ts';

const PNG = { type: 'png', name: 'PNG', lossless: { indexed: indexedPng, rgba: rgbaPng }, rgb: rgbPng } as const;
const JPEG = { type: 'jpg', name: 'JPEG', rgb: jpeg, lossy: {} } as const;
const WEBP = {
  type: 'webp',
  name: 'WebP',
  lossless: { indexed: webp, rgba: rgbaWebp },
  rgb: lossyWebp,
  lossy: { mostPixels: LOSSY_WEBP.most, bytes: (pixels: number) => LOSSY_WEBP.baseBytes + LOSSY_WEBP.bytesPerPixel * pixels },
} as const;

export const FORMATS = { png: PNG, jpg: JPEG, webp: WEBP } as const satisfies Readonly<Record<string, ImageFormat>>;

export type ImageType = keyof typeof FORMATS;
export const IMAGE_TYPES = Object.keys(FORMATS) as ImageType[];

export type FileFormat = { readonly type: ImageType; readonly quality?: number | undefined };

/** The parameters of a format, without those that have their default. */
export const fileParameters = ({ type, quality }: FileFormat) => ({ type: type === 'png' ? undefined : type, quality });

export const formatOf = (type: ImageType): ImageFormat => FORMATS[type];

const LOSSY_TYPES = IMAGE_TYPES.filter((type) => 'lossy' in FORMATS[type]);

/** Bytes that an encoder holds beside the file. @throws Failure `bad-parameter` for a quality that it does not have, or too large a picture */
export function encoderBytes({ type, quality }: FileFormat, { width, height }: Size): number {
  if (quality === undefined) return 0;
  const { lossy } = formatOf(type);
  if (!lossy) throw badParameter('quality', `a type with loss, ${LOSSY_TYPES.join(' or ')},`, `${quality} with type=${type}`);
  const { mostPixels: most, bytes } = lossy;
  if (most && width * height > most.width * most.height) {
    const what = `at most ${most.width * most.height} pixels, such as ${most.width}x${most.height}, beside type=${type}`;
    throw badParameter('quality', what, `${quality} for ${width}x${height}`);
  }
  return bytes?.(width * height) ?? 0;
}
