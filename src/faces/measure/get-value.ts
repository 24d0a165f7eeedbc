// getValue: the physical value at a place of an image, and the statistics of a box.
import { FRAMES } from '../../measure/regions.ts';
import type { ImageValue } from '../../measure/values.ts';
import { type JsonBody, jsonBody } from '../../platform/http/openapi/json-bodies.ts';
import { choice, decimal } from '../../platform/http/parameters.ts';
import { jsonReply } from '../../platform/http/response.ts';
import { MEASURING } from '../../platform/limits/rendering.ts';
import { statedLaw } from '../../sun/laws/gate.ts';
import { formatExact } from '../../sun/time.ts';
import { GONE, imageSelection, selectImage, selectionOf } from '../images/jp2.ts';
import { NO_IMAGE, sourceId } from '../images/source-parameters.ts';
import { BUSY } from '../pictures/scene-parameters.ts';
import { operation } from '../services.ts';
import { imageValue } from './measurement-schemas.ts';
import { MEASURING_OPERATION, measuredFacts, NO_VALUES, raw } from './parameters.ts';

const coordinate = (description: string) => decimal(description, { min: -MEASURING.coordinate, max: MEASURING.coordinate });

function reply({ measurement, byte, confirmed, place, statistics }: ImageValue, isRaw: boolean) {
  const { law, caveats, lossy } = confirmed;
  const { value = null, lower = null, upper = null, censored = null } = measurement ?? {};
  const facts = { unit: law.unit, ...statedLaw(confirmed, isRaw), censored, lossyLevels: lossy?.pixel ?? 0, caveats };
  return { byte, value, lower, upper, ...facts, place, statistics };
}

export const getValue = operation({
  ...MEASURING_OPERATION,
  name: 'getValue',
  summary: 'The physical value at a place of an image, with its interval, or the statistics of a box.',
  description:
    'The image is named by `id`, or is the nearest one to `date` of `sourceId`. The header of the image names the law by which its values ' +
    'became bytes, and the statistics of the header confirm it; without a law the response is 422 with the reason. The value is that of ' +
    'the pixel of the archived image, at full resolution: its interval has the width of the level and the loss of the compression. It is ' +
    'not corrected for degradation, and no substitute for calibrated data: see `caveats` and docs/measure.md. With `size`, ' +
    '`statistics` are those of a box along the axes of the image, of inverted values.',
  responses: {
    'application/json': jsonBody('The value.', imageValue),
  },
  headers: ['Last-Modified', 'X-Image-Date', 'X-Image-Distance'],
  otherResponses: { ...NO_IMAGE, ...GONE, ...NO_VALUES, ...BUSY },
  parameters: {
    ...imageSelection,
    sourceId: sourceId().optional(),
    x: coordinate(
      'Arcseconds to the west of the centre of the Sun as the observer saw it; longitude in degrees or FITS pixel by `frame`.',
    ),
    y: coordinate('Arcseconds to the north; latitude in degrees or FITS pixel by `frame`.'),
    frame: choice('Coordinates of the place. FITS pixels begin with 1 at the lower left.', FRAMES).default('helioprojective'),
    raw: raw(),
    size: decimal('Side of a box around the place in arcseconds, for statistics.', {
      min: 0,
      max: MEASURING.coordinate,
    }).optional(),
  },
  jsonp: true,
  canonical: ({ id, date, sourceId, size = null, raw: isRaw, ...place }) => ({
    selection: selectionOf({ id, date, sourceId }),
    place: { ...place, size, isRaw },
  }),
  key: ({ selection, place: { size, isRaw, ...place } }) => ({
    ...selection,
    ...place,
    ...(size === null ? {} : { size }),
    ...(isRaw ? { raw: true } : {}),
  }),
  handle: async ({ selection, place }, context) => {
    const selected = await selectImage(selection, context);
    const { image } = selected;
    const body: JsonBody<typeof imageValue> = {
      id: image.id,
      date: formatExact(image.takenAtMs),
      ...reply(await context.services.measurements.value(image, place, context), place.isRaw),
    };
    return jsonReply(body, measuredFacts(selected));
  },
});
