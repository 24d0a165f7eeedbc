// downloadImage.
import { imageTags } from '../../domain/archive/keys.ts';
import type { DownloadSize } from '../../domain/download-size.ts';
import { MEDIA_TYPES } from '../../domain/media-types.ts';
import { DRAWN } from '../../http/cache-policy.ts';
import { decimal, integer } from '../../http/parameters.ts';
import { namedFile } from '../../http/response.ts';
import { operationsIn } from '../../picture/operations/operations.ts';
import type { ImageType } from '../../services/rendering/formats/formats.ts';
import { EXAMPLE_IMAGE } from '../examples.ts';
import { imageHeaders } from '../images/image-headers.ts';
import { GONE, imageId, UNKNOWN_IMAGE } from '../images/jp2.ts';
import { storedFile } from '../images/stored-file.ts';
import { operation } from '../services.ts';
import { FORMAT_NAMES, fileFormat, fileResponses } from './file-formats.ts';
import { BUSY, plainOperations } from './scene-parameters.ts';

export const downloadImage = operation({
  name: 'downloadImage',
  summary: `A whole image in colour, as ${FORMAT_NAMES}.`,
  description:
    'The whole picture at a size of your choice, never larger than the source. WebP has no loss unless `quality` is given.',
  tag: 'Images',
  responses: fileResponses('The image.'),
  headers: ['Content-Disposition', 'X-Image-Date', 'X-Image-Distance'],
  otherResponses: { ...UNKNOWN_IMAGE, ...GONE, ...BUSY },
  example: { id: EXAMPLE_IMAGE, width: 512, type: 'webp' },
  parameters: {
    id: imageId(),
    width: integer('Width in pixels, limited to that of the image. Overrides scale.', {
      min: 1,
      max: Number.MAX_SAFE_INTEGER,
    }).optional(),
    scale: decimal('Reduction factor: 2 for half the width. Values below 1 count as 1.', {
      min: 0.001,
      max: 1_000_000,
    }).optional(),
    ...fileFormat,
    ...plainOperations,
  },
  edge: 'given',
  canonical: ({ id, width, scale, type, quality, ...values }) => ({ id, width, scale, type, quality, ...operationsIn(values) }),
  handle: async (request, context) => {
    const { type } = request;
    const { image, size, key, etag, length, bytes } = await context.services.imageDownloads.file(request, context);
    const named = disposition(image.fileName, size, type);
    const facts = { ...DRAWN, headers: { ...imageHeaders(image), ...named }, tags: imageTags(image) };
    const file = { contentType: MEDIA_TYPES[type], etag };
    if (bytes) return { ...facts, ...file, bytes };
    return storedFile({ ...file, key, length }, facts, context);
  },
});

/** `<image>_full_image_<reduction factor>.<ext>` */
function disposition(fileName: string, { step }: DownloadSize, type: ImageType) {
  const base = fileName.replace(/\.jp2$/i, '');
  return namedFile('inline', `${base}_full_image_${Number(step.toFixed(4))}.${type}`);
}
