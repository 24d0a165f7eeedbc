// Measurements of one image, or of those of one time: getValue, getImageData and getSolarMap.

import { z } from '@hono/zod-openapi';
import { timelineTagOf } from '../../archive/keys.ts';
import type { ImageArray } from '../../measure/image-arrays.ts';
import { MAP_FORMATS } from '../../measure/maps/map-files.ts';
import { arrayOfImage, historyOf, wholeFileOf } from '../../measure/products.ts';
import { FRAMES, ROTATION } from '../../measure/regions.ts';
import { layersFileName } from '../../picture/layers.ts';
import { savedAs } from '../../platform/http/lists.ts';
import {
  boolean,
  choice,
  date,
  decimal,
  integer,
  integerList,
  jsonBody,
  named,
  number,
  object,
  text,
  whole,
} from '../../platform/http/parameters.ts';
import { bytesReply, isShown, type JsonBody, jsonReply, MEDIA_TYPES, namedFile, RECENT } from '../../platform/http/response.ts';
import { LIFETIMES, REQUEST_LIMITS } from '../../platform/limits/http.ts';
import { MAPS } from '../../platform/limits/maps.ts';
import { MEASURING } from '../../platform/limits/rendering.ts';
import { jsonBytes } from '../../platform/util/bytes.ts';
import { badParameter } from '../../platform/util/errors.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import type { ArchivedImage } from '../../sun/image.ts';
import { statedLaw } from '../../sun/laws/gate.ts';
import { roundedValue } from '../../sun/laws/value.ts';
import { centreOf, MAP_FRAMES, MAP_METHODS, MAP_PROJECTIONS } from '../../sun/maps/map-grid.ts';
import { fileStamp, formatExact } from '../../sun/time.ts';
import { GONE, imageSelection, selectImage, selectionOf, storedFile } from '../images/jp2.ts';
import { NO_IMAGE } from '../images/source-parameters.ts';
import { BUSY } from '../pictures/scene-parameters.ts';
import { operation, policyUntil } from '../services.ts';
import * as measure from './parameters.ts';

const degrees = (description: string) =>
  z
    .object({ longitude: number('Degrees.'), latitude: number('Degrees.') })
    .nullable()
    .describe(description);

const place = () =>
  object('The requested place in all frames.', {
    helioprojective: object(
      'Arcseconds to the west and to the north, as the observer saw them; null for a projection that is not supported.',
      { x: z.number(), y: z.number() },
    ).nullable(),
    stonyhurst: degrees('Longitude from the meridian of the Earth, and latitude; null beside the Sun.'),
    carrington: degrees('The same with the longitude of Carrington, 0 to 360.'),
    pixel: object('FITS pixel: the centre of the lower left one is 1, 1.', { x: z.number(), y: z.number() }),
  });

const statistics = () =>
  object('Of the box; null without `size`.', {
    mean: number('Mean of the inverted values. A censored pixel counts as the edge beyond which its value lies.'),
    lower: number('Lower end of the interval of the mean; null where censored pixels leave it open.').nullable(),
    upper: number('Upper end.').nullable(),
    median: z.number(),
    min: z.number(),
    max: z.number(),
    count: whole('Pixels with data, at full resolution.'),
    below: whole('Pixels of them below the lower end of the scale.'),
    above: whole('Pixels of them above the upper end.'),
    noData: whole('Pixels of the box without data.'),
    lossyLevels: number('Levels by which the mean may be off because the file is lossy, with a confidence of 95 %.'),
  }).nullable();

/** getValue. */
const imageValue = () =>
  named('ImageValue', 'A physical value with its interval.', {
    id: whole('Id of the image.'),
    date: text('Observation time, ISO 8601.'),
    byte: z.int().min(0).max(255).describe('Byte of the pixel.'),
    value: number(
      'Middle of the level; the edge beyond which the value lies where it is censored; null where the pixel has no data.',
    ).nullable(),
    lower: number('Lower end of the interval, with level and loss of the compression; null where it is open.').nullable(),
    upper: number('Upper end.').nullable(),
    unit: text('Of all values, per pixel of the image.'),
    law: text('Name of the law by which the byte was inverted; null with `raw`.').nullable(),
    status: z.enum(['exact', 'approximate']).nullable().describe('How sure the law is; null with `raw`.'),
    censored: z
      .enum(['below', 'above'])
      .nullable()
      .describe('Whether the byte is an end of the scale: the value lies below or above it.'),
    lossyLevels: number('Levels by which the byte may be off because the file is lossy, with a confidence of 95 %.'),
    caveats: z.array(z.string()).describe('Sentences on what the value is not.'),
    place: place(),
    statistics: statistics(),
  });

const pair = (description: string) => z.array(z.number()).length(2).readonly().describe(description);

const imageData = () =>
  named('ImageData', 'The values or bytes of a region of an image.', {
    id: whole('Id of the image.'),
    date: text('Observation time, ISO 8601.'),
    unit: text('Of all values, per pixel of the image; null with `raw`.').nullable(),
    law: text('Name of the law by which the bytes were inverted; null with `raw`.').nullable(),
    status: z.enum(['exact', 'approximate']).nullable().describe('How sure the law is; null with `raw`.'),
    history: z.array(z.string()).describe('Sentences on the law, its gate, and what the values are not.'),
    width: whole('Values of a row.'),
    height: whole('Rows.'),
    corner: object('FITS pixel of the image at the lower left of the array.', { x: z.int(), y: z.int() }),
    pixels: object('Pixels of the region at full resolution.', {
      measured: whole('With a value.'),
      below: whole('Below the lower end of the scale.'),
      above: whole('Above the upper end.'),
      noData: whole('Without data.'),
    }),
    wcs: object('Coordinates of the array as FITS keywords; null for an image without.', {
      ctype: z.array(z.string()).length(2).readonly(),
      cunit: z.array(z.string()).length(2).readonly(),
      crpix: pair('Reference pixel of the array; the centre of its first one is 1.'),
      cdelt: pair('Unit a value.'),
      crval: pair('Coordinates at the reference pixel.'),
      pc: z.array(pair('A row.')).length(2).readonly().describe('Linear transformation.'),
    }).nullable(),
    values: z.array(z.array(z.number().nullable())).describe('Rows from the bottom; null where there is no value.'),
  });

const coordinate = (description: string) => decimal(description, { min: -MEASURING.coordinate, max: MEASURING.coordinate });

export const getValue = operation({
  ...measure.MEASURING_OPERATION,
  name: 'getValue',
  summary: 'The physical value at a place of an image, with its interval, or the statistics of a box.',
  description:
    'The image is named by `id`, or is the nearest one to `date` of `sourceId`. The header of the image names the law by which its values ' +
    'became bytes, and the statistics of the header confirm it; without a law the response is 422 with the reason. The value is that of ' +
    'the pixel of the archived image, at full resolution: its interval has the width of the level and the loss of the compression. It is ' +
    'not corrected for degradation, and no substitute for calibrated data: see `caveats` and docs/measure.md. With `size`, ' +
    '`statistics` are those of a box along the axes of the image, of inverted values.',
  responses: { 'application/json': jsonBody('The value.', imageValue) },
  headers: ['Last-Modified', 'X-Image-Date', 'X-Image-Distance'],
  otherResponses: { ...NO_IMAGE, ...GONE, ...measure.NO_VALUES, ...BUSY },
  parameters: {
    ...imageSelection,
    x: coordinate(
      'Arcseconds to the west of the centre of the Sun as the observer saw it; longitude in degrees or FITS pixel by `frame`.',
    ),
    y: coordinate('Arcseconds to the north; latitude in degrees or FITS pixel by `frame`.'),
    frame: choice('Coordinates of the place. FITS pixels begin with 1 at the lower left.', FRAMES).default('helioprojective'),
    raw: measure.raw(),
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
  key: ({ selection, place: { size, isRaw, ...place } }) => {
    return { ...selection, ...place, size: size ?? undefined, raw: isRaw || undefined };
  },
  handle: async ({ selection, place }, context) => {
    const selected = await selectImage(selection, context);
    const { id, takenAtMs } = selected.image;
    const found = await context.services.measurements.value(selected.image, place, context);
    const { measurement, byte, confirmed, ...placed } = found;
    const { law, caveats, lossy } = confirmed;
    const { value = null, lower = null, upper = null, censored = null } = measurement ?? {};
    const facts = { unit: law.unit, ...statedLaw(confirmed, place.isRaw), censored, lossyLevels: lossy?.pixel ?? 0, caveats };
    const body = { id, date: formatExact(takenAtMs), byte, value, lower, upper, ...facts, ...placed };
    return jsonReply<typeof imageValue>(body, measure.measuredFacts(selected));
  },
});

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

export const getImageData = operation({
  ...measure.MEASURING_OPERATION,
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
  otherResponses: { ...NO_IMAGE, ...GONE, ...measure.NO_VALUES, ...BUSY },
  parameters: {
    ...imageSelection,
    ...measure.regionParameters,
    level: integer('Side of the blocks as an exponent of 2: 0 for pixels.', { min: 0, max: MEASURING.level }).default(0),
    format: choice('Format.', FORMATS).default('fits'),
    raw: boolean('The bytes of the image instead of values; outside of a circle or polygon 0.').default(false),
  },
  canonical: ({ id, date, sourceId, level, format, raw, ...region }) => ({
    selection: selectionOf({ id, date, sourceId }),
    request: { named: measure.regionOf(region), level, isRaw: raw },
    format,
  }),
  key: ({ selection, request: { named, ...request }, format }) => ({
    ...selection,
    ...measure.regionKey(named),
    ...request,
    format,
  }),
  handle: async ({ selection, request: { named, ...request }, format }, context, address) => {
    const region = await measure.regionFound(named, context);
    const selected = await selectImage(selection, context);
    const { image } = selected;
    const bounded = { ...request, region, mostValues: MOST_VALUES[format] };
    const array = await context.services.imageArrays.array(image, bounded, context);
    const origin = { address, items: [selected] };
    const file =
      format === 'json' ? jsonBytes(jsonOf(image, array)) : await wholeFileOf(format, arrayOfImage(image, array), origin);
    const stem = `${image.fileName.replace(/\.jp2$/i, '')}_${request.isRaw ? 'bytes' : 'values'}_level${request.level}`;
    return bytesReply(MEDIA_TYPES[format], file, {
      ...measure.measuredFacts(selected, savedAs(format, stem)),
      // The HEK may correct an outline.
      ...(named?.kind === 'event' ? { policy: RECENT, edgeSeconds: LIFETIMES.recent } : {}),
    });
  },
});

/** Datasources that show the disc. @throws Failure for others */
export function mapSources(ids: readonly number[], parameter = 'sourceId'): readonly number[] {
  return ids.map((given) => {
    const id = measure.seriesSource(given, parameter);
    const source = findSource(id)!;
    if (source.mask)
      throw badParameter(
        parameter,
        'a datasource that shows the disc of the Sun, as 10 (AIA 171),',
        `${given} (${source.nickname})`,
      );
    return id;
  });
}

export const getSolarMap = operation({
  ...measure.MEASURING_OPERATION,
  name: 'getSolarMap',
  summary: 'The whole surface of the Sun at a time as a map, from the images of a rotation.',
  description:
    `Of each datasource the images nearest to 00 and 12 UTC of the last 27 days, at most ${MAPS.images} and six hours away, are brought to the map: ` +
    `each place is moved by differential rotation (${ROTATION}) from \`date\` to the time of the image, and placed in it by the full ` +
    'coordinates of its header, on a sphere of 6.957e8 m. With `method=weighted` a cell is the mean of the images that see it, with weights ' +
    'mu² exp(-age² / (2 day²)), where mu is the cosine of the angle between the line of sight and the vertical; below mu 0.15 an image does ' +
    'not count, and older ones that would add less than a thousandth of the weight are left out. `latest`: the newest image that sees a place. ' +
    '`synoptic`: the image in which it was nearest to the central meridian. Images are read at the resolution level that the map needs, and ' +
    'values taken linearly between pixels. Pictures have mean levels in the colours of the first datasource, and are transparent where ' +
    'nothing was seen; FITS and npy have values, or levels with `raw`, and NaN there. FITS has the extensions AGE, the mean age in seconds, ' +
    'weighted as the values, and COUNT, the number of images. The Carrington longitude is that of the Earth, from 0 to 360 to the right, and ' +
    'north is up; Stonyhurst longitudes are from -180 to 180. Several datasources need one unit of values. A map shows no moment: places on ' +
    'the far side are up to two weeks old, as AGE says, and what changed since is not in it. It is not for photometry, because limb ' +
    'brightening is not corrected, nor for the height of what stands above the surface. Maps of midnights of past days are stored once.',
  responses: {
    [MEDIA_TYPES.png]: 'With format=png: a picture of mean levels.',
    [MEDIA_TYPES.webp]: 'With format=webp: the same without loss.',
    [MEDIA_TYPES.fits]: 'With format=fits: float32 values with the extensions AGE and COUNT, rows from the south.',
    [MEDIA_TYPES.npy]: 'With format=npy: an array of shape (height, width), rows from the south.',
  },
  headers: ['Content-Disposition'],
  otherResponses: {
    404: 'There are no images in the 27 days before the date; the nearest one is named.',
    ...measure.NO_VALUES,
    ...BUSY,
  },
  parameters: {
    sourceId: integerList('Datasources of the same line, as AIA with EUVI-A and EUVI-B.', {
      min: 0,
      max: REQUEST_LIMITS.sourceId,
      maxItems: MAPS.sources,
    }),
    date: date('Time of the map.'),
    frame: choice('Longitudes of Carrington, or from the meridian of the Earth.', MAP_FRAMES).default('carrington'),
    projection: choice('`car`: rows of equal latitudes; `cea`: of equal areas.', MAP_PROJECTIONS).default('car'),
    width: integer('Columns.', { min: 4, max: MAPS.width }).default(1800),
    height: integer('Rows. Unset: half the width, with cea two fifths.', { min: 2, max: MAPS.height }).optional(),
    method: choice('Which images a place has.', MAP_METHODS).default('weighted'),
    raw: measure.raw(' Without meaning for pictures.'),
    format: choice('Format.', MAP_FORMATS).default('png'),
  },
  canonical: ({ sourceId, date: atMs, raw: isRaw, height, format, ...grid }) => ({
    request: {
      ...grid,
      // Cells about as high as wide at the equator: half the width, or two fifths, as the synoptic maps of HMI have.
      height: height ?? Math.max(1, Math.round(grid.width * (grid.projection === 'car' ? 0.5 : 0.4))),
      centre: centreOf(grid.frame),
      sourceIds: mapSources(sourceId),
      atMs,
      isRaw: isRaw || isShown(format),
    },
    format,
  }),
  key: ({ request: { centre: _, ...request }, format }) => (isShown(format) ? { ...request, format } : null),
  handle: async ({ request, format }, context, address) => {
    const { services } = context;
    const file = await services.mapFiles.file(request, format, address(), context);
    const name = `${layersFileName(request.sourceIds.map((sourceId) => ({ sourceId })))}_map_${fileStamp(request.atMs)}.${format}`;
    const headers = namedFile(isShown(format) ? 'inline' : 'attachment', name);
    const tags = file.images.map(({ image }) => timelineTagOf(image));
    const facts = { policy: file.isWhole ? policyUntil(request.atMs, services) : RECENT, headers, tags };
    const contentType = MEDIA_TYPES[format];
    if ('bytes' in file) return bytesReply(contentType, file.bytes, facts);
    if ('flow' in file) return { contentType, ...facts, flow: file.flow };
    return storedFile({ contentType, key: file.key, etag: file.stored.etag, length: file.stored.size }, facts, context);
  },
});
