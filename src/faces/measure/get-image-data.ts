// getImageData: the values or bytes of an image or a region of it as an array.
import type { ImageArray } from '../../measure/image-arrays.ts';
import { arrayOfImage, historyOf, wholeFileOf } from '../../measure/products.ts';
import { RECENT } from '../../platform/http/cache-policy.ts';
import { savedAs } from '../../platform/http/lists.ts';
import { MEDIA_TYPES } from '../../platform/http/media-types.ts';
import { type JsonBody, jsonBody } from '../../platform/http/openapi/json-bodies.ts';
import { boolean, choice, integer } from '../../platform/http/parameters.ts';
import { bytesReply } from '../../platform/http/response.ts';
import { LIFETIMES } from '../../platform/limits/http.ts';
import { MEASURING } from '../../platform/limits/rendering.ts';
import { jsonBytes } from '../../platform/util/bytes.ts';
import type { ArchivedImage } from '../../sun/image.ts';
import { roundedValue } from '../../sun/laws/value.ts';
import { formatExact } from '../../sun/time.ts';
import { GONE, imageSelection, selectImage, selectionOf } from '../images/jp2.ts';
import { NO_IMAGE, sourceId } from '../images/source-parameters.ts';
import { BUSY } from '../pictures/scene-parameters.ts';
import { operation } from '../services.ts';
import { imageData } from './measurement-schemas.ts';
import {
  MEASURING_OPERATION,
  measuredFacts,
  NO_VALUES,
  regionFound,
  regionKey,
  regionOf,
  regionParameters,
} from './parameters.ts';

const FORMATS = ['fits', 'npy', 'json'] as const;
const MOST_VALUES = { fits: MEASURING.arrayBytes, npy: MEASURING.arrayBytes, json: MEASURING.jsonValues } as const;

function jsonOf(image: ArchivedImage, array: ImageArray): JsonBody<typeof imageData> {
  const { width, height, samples, wcs, confirmed, grid, pixels } = array;
  const row = (y: number) => Array.from(samples.subarray(y * width, (y + 1) * width), roundedValue);
  return {
    id: image.id,
    date: formatExact(image.takenAtMs),
    unit: confirmed?.law.unit ?? null,
    law: confirmed?.law.name ?? null,
    status: confirmed?.status ?? null,
    history: historyOf(array),
    width,
    height,
    corner: { x: grid.left + 1, y: grid.below + 1 },
    pixels,
    wcs: wcs && { ctype: wcs.ctype, cunit: wcs.cunit, crpix: wcs.crpix, cdelt: wcs.cdelt, crval: wcs.crval, pc: wcs.pc },
    values: Array.from({ length: height }, (_, y) => row(y)),
  };
}

/** `<image>_values_level<level>.<format>` */
const stemOf = ({ fileName }: ArchivedImage, { isRaw, level }: { isRaw: boolean; level: number }) =>
  `${fileName.replace(/\.jp2$/i, '')}_${isRaw ? 'bytes' : 'values'}_level${level}`;

export const getImageData = operation({
  ...MEASURING_OPERATION,
  name: 'getImageData',
  summary: 'The physical values of an image, or of a region of it, as a FITS file, a numpy array or JSON.',
  description:
    'The image is named by `id`, or is the nearest one to `date` of `sourceId`. Values are those of getValue: the middle of each level, by ' +
    'the law that the header names and its statistics confirm. Pixels below and above the scale and those without data are NaN (null in ' +
    'JSON). At a `level` above 0, each value is the mean of a block of 2^level pixels squared at full resolution, taken after they were ' +
    'inverted, and NaN where one of them is; blocks begin at the lower left pixel. Rows are from the bottom, as in FITS. The header has the ' +
    'coordinates of the array, the cards of the original but those of its own array, and the law, its gate and the caveats as HISTORY. ' +
    `At most ${MEASURING.arrayBytes} bytes of values, ${MEASURING.jsonValues} values in JSON: take a region or a level for larger ones.`,
  responses: {
    [MEDIA_TYPES.fits]: 'With format=fits: one image of float32, or of bytes with `raw`.',
    [MEDIA_TYPES.npy]: 'With format=npy: an array of shape (height, width) for `numpy.load`.',
    'application/json': jsonBody('With format=json.', imageData),
  },
  headers: ['Content-Disposition', 'Last-Modified', 'X-Image-Date', 'X-Image-Distance'],
  otherResponses: { ...NO_IMAGE, ...GONE, ...NO_VALUES, ...BUSY },
  parameters: {
    ...imageSelection,
    sourceId: sourceId().optional(),
    ...regionParameters,
    level: integer('Side of the blocks as an exponent of 2: 0 for pixels.', { min: 0, max: MEASURING.level }).default(0),
    format: choice('Format.', FORMATS).default('fits'),
    raw: boolean('The bytes of the image instead of values; outside of a circle or polygon 0.').default(false),
  },
  canonical: ({ id, date, sourceId, level, format, raw, ...region }) => ({
    selection: selectionOf({ id, date, sourceId }),
    request: { named: regionOf(region), level, isRaw: raw },
    format,
  }),
  key: ({ selection, request: { named, ...request }, format }) => ({ ...selection, ...regionKey(named), ...request, format }),
  handle: async ({ selection, request: { named, ...request }, format }, context, address) => {
    const region = await regionFound(named, context);
    const selected = await selectImage(selection, context);
    const { image } = selected;
    const bounded = { ...request, region, mostValues: MOST_VALUES[format] };
    const array = await context.services.imageArrays.array(image, bounded, context);
    const origin = { address, items: [selected] };
    const file =
      format === 'json' ? jsonBytes(jsonOf(image, array)) : await wholeFileOf(format, arrayOfImage(image, array), origin);
    return bytesReply(MEDIA_TYPES[format], file, {
      ...measuredFacts(selected, savedAs(format, stemOf(image, request))),
      // The HEK may correct an outline.
      ...(named?.kind === 'event' ? { policy: RECENT, edgeSeconds: LIFETIMES.recent } : {}),
    });
  },
});
