// getClosestImage, getImagesAtTimes and getClosestImageDatesForSources.
import { z } from '@hono/zod-openapi';
import { imagesAt, nearestImage, noImages } from '../../archive/find-image.ts';
import { imageTags } from '../../archive/keys.ts';
import {
  boolean,
  date,
  dateList,
  dateTimeText,
  jsonBody,
  named,
  number,
  object,
  text,
  whole,
} from '../../platform/http/parameters.ts';
import { type JsonBody, jsonReply, RECENT } from '../../platform/http/response.ts';
import { REQUEST_LIMITS } from '../../platform/limits/http.ts';
import { SECOND_MS } from '../../platform/util/durations.ts';
import { findSource, predecessorAt } from '../../sun/catalogue/sources.ts';
import type { ArchivedImage } from '../../sun/image.ts';
import { formatDateTime, throughSecond } from '../../sun/time.ts';
import { switchSources } from '../pictures/scene-parameters.ts';
import { operation, type Services } from '../services.ts';
import { imageHeaders, nearestFacts } from './image-headers.ts';
import { canonicalId, NO_IMAGE, namedSource, resolveSource, sourceId, sourceList } from './source-parameters.ts';

const centreOffset = () =>
  object('Header values of an image of Hinode XRT.', {
    XCEN: z.string(),
    YCEN: z.string(),
    CDELT1: z.string(),
    CDELT2: z.string(),
  });

const recordFields = () => ({
  id: z.int().min(1).describe('Id of the image, for getTile, getJP2Header, getJP2Image and downloadImage.'),
  date: dateTimeText('Observation time.'),
  name: text('Name of the datasource.'),
  scale: number('Arcseconds per pixel as seen from 1 au.'),
  scaleCorrection: number('Scale in the header, divided by `scale`.'),
  width: whole('Pixels of the JPEG 2000 image.'),
  height: whole('Pixels of the JPEG 2000 image.'),
  refPixelX: number('Pixel of the centre of the Sun; the centre of the first pixel, at the left edge, is 1.'),
  refPixelY: number('The same for rows, from the lower edge.'),
  offsetX: number('CRVAL1 of the header.'),
  offsetY: number('CRVAL2 of the header.'),
  rotation: number('CROTA of the header in degrees. getTile and downloadImage have the image as its file lies.'),
  rsun: number('Radius of the Sun in pixels.'),
  dsun: number('Distance of the observer from the Sun in metres.'),
  sunCenterOffsetParams: z
    .union([z.array(z.unknown()).max(0), centreOffset()])
    .describe('Empty for the images of other instruments.'),
  layeringOrder: whole('Place in a picture: layers with higher numbers lie above.'),
});

/** getClosestImage. */
const imageRecordSchema = () => named('ImageRecord', 'An image and its geometry.', recordFields());

/** getImagesAtTimes. */
const imagesOfDates = () =>
  named('ImagesOfDates', null, {
    images: z
      .array(
        named('TimedImageRecord', 'An image, its geometry and its exact time.', {
          ...recordFields(),
          takenAt: text('Observation time, ISO 8601 with Z and milliseconds.'),
        }).nullable(),
      )
      .describe('One for each date, in the order of the request; null where there is none.'),
  });

/** getClosestImageDatesForSources. */
const adjacentDates = () =>
  z
    .record(
      z.string(),
      z.object({
        prev_date: text('Time of the image before, or null.').nullable(),
        next_date: text('Time of the image after, or null.').nullable(),
      }),
    )
    .openapi('AdjacentDates', { description: 'By datasource id.' });

/** The image record of the interface, with its fields in the order of the original service. */
export function imageRecord({ id, sourceId, takenAtMs, geometry }: ArchivedImage): JsonBody<typeof imageRecordSchema> {
  return {
    id,
    date: formatDateTime(takenAtMs),
    name: findSource(sourceId)?.nickname ?? '',
    scale: geometry.scaleArcsecPerPixel,
    scaleCorrection: geometry.scaleCorrection,
    width: geometry.width,
    height: geometry.height,
    refPixelX: geometry.refPixelX,
    refPixelY: geometry.refPixelY,
    offsetX: geometry.offsetX,
    offsetY: geometry.offsetY,
    rotation: geometry.rotationDegrees,
    rsun: geometry.rsunPixels,
    dsun: geometry.dsunMetres,
    sunCenterOffsetParams: geometry.sunCenterOffsetParams,
    layeringOrder: geometry.layeringOrder,
  };
}

const requestedDate = date('Selects the image nearest to this time; of two at the same distance, the earlier one.');

const getClosestImage = operation({
  name: 'getClosestImage',
  summary: 'The image of a datasource that is nearest to a time.',
  description:
    'The nearest image can be years away from the requested time: compare `date`, or read X-Image-Distance. `id` names the image ' +
    'in other operations and never means another one.',
  tag: 'Images',
  responses: { 'application/json': jsonBody('The image and its geometry.', imageRecordSchema) },
  headers: ['X-Image-Date', 'X-Image-Distance'],
  otherResponses: NO_IMAGE,
  parameters: { date: requestedDate, sourceId: sourceId(), switchSources },
  parametersInV1: { date: requestedDate, ...namedSource, switchSources },
  jsonp: true,
  edge: 'shared',
  canonical: (values) => {
    const id = resolveSource(values);
    return { sourceId: values.switchSources ? predecessorAt(id, values.date) : id, atMs: values.date };
  },
  key: ({ sourceId, atMs }) => ({ date: atMs, sourceId }),
  handle: async (request, { services, stopwatch }) => {
    const nearest = await nearestImage({ ...services, stopwatch }, request, services.clock());
    const headers = imageHeaders(nearest.image, nearest.distanceSeconds);
    return jsonReply(imageRecord(nearest.image), { headers, ...nearestFacts(nearest, request.atMs, services) });
  },
});

const getImagesAtTimes = operation({
  name: 'getImagesAtTimes',
  summary: 'The images of a datasource that are nearest to several times.',
  description:
    'For players of a range of time: one request in place of a getClosestImage for each frame. With `earlier`, the latest image at or ' +
    'before each date, as differences subtract it. An image that is the nearest to several dates is repeated.',
  tag: 'Images',
  responses: { 'application/json': jsonBody('An image for each date.', imagesOfDates) },
  otherResponses: NO_IMAGE,
  parameters: {
    sourceId: sourceId(),
    dates: dateList('Selects an image for each of these times.', { maxItems: REQUEST_LIMITS.datesPerRequest }),
    earlier: boolean('Selects the latest images at or before the dates.').default(false),
  },
  parametersInV1: null,
  edge: 'shared',
  canonical: ({ sourceId: id, dates, earlier }) => ({ sourceId: resolveSource({ sourceId: id }), dates, earlier }),
  handle: async ({ sourceId: id, dates, earlier }, { services: { index }, stopwatch }) => {
    const found = await stopwatch.measure('index', () => imagesAt(index, id, dates, earlier));
    const images = found.flatMap((image) => image ?? []);
    if (images.length === 0 && !earlier) throw noImages(id);
    const body = found.map((image) => image && { ...imageRecord(image), takenAt: new Date(image.takenAtMs).toISOString() });
    return jsonReply<typeof imagesOfDates>({ images: body }, { policy: RECENT, tags: images.flatMap(imageTags) });
  },
});

const dateOrNull = (ms: number | null): string | null => (ms === null ? null : formatDateTime(ms));

/** Dates of the images before and after a second. Images within it are neither, because clients send times without their fraction. */
async function datesBeside({ index }: Pick<Services, 'index'>, id: number, secondMs: number) {
  const sourceId = canonicalId(id);
  const { beforeMs, afterMs } = await index.adjacentTimes(sourceId, secondMs);
  const endMs = throughSecond(secondMs);
  const isWithin = afterMs !== null && afterMs <= endMs;
  const next = isWithin ? (await index.adjacentTimes(sourceId, endMs)).afterMs : afterMs;
  return { prev_date: dateOrNull(beforeMs), next_date: dateOrNull(next) };
}

const getClosestImageDatesForSources = operation({
  name: 'getClosestImageDatesForSources',
  summary: 'Times of the images before and after a time, for each of several datasources.',
  description: 'For steps to the previous and the next image. Images within the second of `date` are neither.',
  tag: 'Images',
  responses: { 'application/json': jsonBody('By datasource id.', adjacentDates) },
  parameters: {
    date: date('Finds the images before and after the second of this time.'),
    sources: sourceList('Datasources.'),
  },
  jsonp: true,
  edge: 'shared',
  canonical: ({ date: atMs, sources }) => ({
    date: Math.floor(atMs / SECOND_MS) * SECOND_MS,
    sources: sources.toSorted((a, b) => a - b),
  }),
  handle: async ({ date: secondMs, sources }, { services, stopwatch }) => {
    const entries = await stopwatch.measure('index', () =>
      Promise.all(sources.map(async (id) => [id, await datesBeside(services, id, secondMs)] as const)),
    );
    return jsonReply<typeof adjacentDates>(Object.fromEntries(entries), { policy: RECENT });
  },
});

export const nearestImages = [getClosestImage, getImagesAtTimes, getClosestImageDatesForSources];
