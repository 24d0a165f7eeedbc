// getClosestImage and getClosestImageDatesForSources.
import { REQUEST_LIMITS } from '../../config/limits/http.ts';
import { findSource, predecessorAt } from '../../domain/catalogue/sources.ts';
import { type ArchivedImage, imageTag } from '../../domain/image.ts';
import { formatDateTime, throughSecond } from '../../domain/time.ts';
import { RECENT } from '../../http/cache-policy.ts';
import { date, integerList } from '../../http/parameters.ts';
import { jsonReply } from '../../http/representation.ts';
import { nearestImage } from '../../services/images/find-image.ts';
import { SECOND_MS } from '../../util/durations.ts';
import { switchSources } from '../rendering/scene-parameters.ts';
import { operation, type Services, settledPolicy } from '../services.ts';
import { imageHeaders } from './image-headers.ts';
import { namedSource, resolveSource, sourceId } from './source-parameters.ts';

/** The image record of the interface, with its fields in the order of the original service. */
export function imageRecord({ id, sourceId, takenAtMs, geometry }: ArchivedImage) {
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

export const getClosestImage = operation({
  name: 'getClosestImage',
  summary: 'The image of a datasource that is nearest to a time.',
  tag: 'Images',
  responses: { 'application/json': 'The image record.', 'text/javascript': 'The same as JSONP.' },
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
    const policy = nearest.isSettled ? settledPolicy(services) : RECENT;
    return jsonReply(imageRecord(nearest.image), { policy, headers, tags: [imageTag(nearest.image.id)] });
  },
});

function dateOrNull(ms: number | null): string | null {
  return ms === null ? null : formatDateTime(ms);
}

/**
 * Dates of the images before and after a second. Images within that second are neither, because clients send the time of the image
 * that they show without its fraction, or with another one.
 */
async function adjacentDates({ index }: Pick<Services, 'index'>, id: number, secondMs: number) {
  const sourceId = findSource(id)?.id ?? id;
  const { beforeMs, afterMs } = await index.adjacentTimes(sourceId, secondMs);
  const endMs = throughSecond(secondMs);
  const isWithin = afterMs !== null && afterMs <= endMs;
  const next = isWithin ? (await index.adjacentTimes(sourceId, endMs)).afterMs : afterMs;
  return { prev_date: dateOrNull(beforeMs), next_date: dateOrNull(next) };
}

export const getClosestImageDatesForSources = operation({
  name: 'getClosestImageDatesForSources',
  summary: 'Times of the images before and after a time, for each of several datasources.',
  tag: 'Images',
  responses: { 'application/json': 'By sourceId: prev_date and next_date, null where there is no image.' },
  parameters: {
    date: date('Finds the images before and after the second of this time.'),
    sources: integerList('Datasources.', {
      min: 0,
      max: REQUEST_LIMITS.sourceId,
      maxItems: REQUEST_LIMITS.sourcesPerRequest,
    }),
  },
  jsonp: true,
  edge: 'shared',
  canonical: ({ date: atMs, sources }) => ({
    date: Math.floor(atMs / SECOND_MS) * SECOND_MS,
    sources: sources.toSorted((a, b) => a - b),
  }),
  key: (canonical) => canonical,
  handle: async ({ date: secondMs, sources }, { services, stopwatch }) => {
    const entries = await stopwatch.measure('index', () =>
      Promise.all(sources.map(async (id) => [id, await adjacentDates(services, id, secondMs)] as const)),
    );
    return jsonReply(Object.fromEntries(entries), { policy: RECENT });
  },
});
