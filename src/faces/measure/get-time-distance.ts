// getTimeDistance: values along a path in the images of a range of time.
import { arrayOfMap, fileOf, noted, tableOfMap } from '../../measure/products.ts';
import { FRAMES, isInDegrees, isLatitude } from '../../measure/regions.ts';
import type { PathRequest, TimeDistanceMap } from '../../measure/time-distance.ts';
import { tableReply } from '../../platform/http/lists.ts';
import { MEDIA_TYPES } from '../../platform/http/media-types.ts';
import { jsonBody } from '../../platform/http/openapi/json-bodies.ts';
import { choice, decimal, decimalList, type Values } from '../../platform/http/parameters.ts';
import { bytesReply, type Representation } from '../../platform/http/response.ts';
import { MEASURING } from '../../platform/limits/rendering.ts';
import { badParameter, conflict, requires } from '../../platform/util/errors.ts';
import { pathLength, radialPath } from '../../sun/coordinates/path.ts';
import { BUSY } from '../pictures/scene-parameters.ts';
import { type Context, operation } from '../services.ts';
import { timeDistance as timeDistanceSchema } from './measurement-schemas.ts';
import {
  coordinateRange,
  listOf,
  MEASURING_OPERATION,
  NO_VALUES,
  raw,
  seriesFacts,
  seriesKey,
  seriesOf,
  seriesParameters,
  trackingKey,
  trackingOf,
  trackingParameters,
  vertexList,
  verticesOf,
} from './parameters.ts';

const FORMATS = ['png', 'npy', 'fits', 'json'] as const;
type Format = (typeof FORMATS)[number];

const STEP = { min: 0.01, max: MEASURING.regionCoordinate };

const pathParameters = {
  path: vertexList(
    'Vertices of the path in arcseconds to the west and north, as the observer saw them, or by `frame`.',
    MEASURING.vertices.path,
    '[[100,100],[300,200]]',
  ),
  radial: decimalList(
    'A radial path instead: position angle in degrees from north to east, and the distances of its ends from the centre of the Sun in arcseconds.',
    {
      ...coordinateRange,
      what: 'position angle and two distances, such as [270,900,1200],',
      example: '[270,900,1200]',
      counts: (count) => count === 3,
    },
  ).optional(),
  frame: choice(
    'Coordinates of the vertices in the first image: arcseconds, degrees of longitude and latitude, or FITS pixels. Between them the ' +
      'path is straight as its observer saw it.',
    FRAMES,
  ).default('helioprojective'),
};

/** @throws Failure for no path or two, one of no length, or latitudes that the Sun does not have */
function pathOf({ path, radial, frame }: Values<typeof pathParameters>) {
  if (path && radial) throw conflict('radial', 'path');
  if (radial) {
    const [angle, from, to] = radial as [number, number, number];
    if (!(from >= 0 && to > from))
      throw badParameter('radial', 'distances of 0 or more, the second one greater,', `${from},${to}`);
    if (frame !== 'helioprojective') throw conflict(`frame=${frame}`, 'radial');
    return { parameter: 'radial', given: radial.join(','), frame, vertices: radialPath(angle, from, to) } as const;
  }
  if (!path) throw requires('getTimeDistance', 'path or radial');
  const vertices = verticesOf(path);
  if (pathLength(vertices) === 0) throw badParameter('path', 'vertices at different places', path.join(','));
  const wrong = isInDegrees(frame) ? vertices.find(({ y }) => !isLatitude(y)) : undefined;
  if (wrong) throw badParameter('path', 'latitudes from -90 to 90 degrees', wrong.y);
  return { parameter: 'path', given: path.join(','), frame, vertices } as const;
}

async function reply(
  map: TimeDistanceMap,
  request: PathRequest,
  format: Format,
  { services, stopwatch }: Context,
  address: () => string,
): Promise<Representation> {
  const rows = map.slots.length;
  const facts = seriesFacts(request, 'timedistance', format, rows);
  const origin = { address, items: map.slots };
  if (format === 'png') {
    const picture = await stopwatch.measure('encode', () => services.plots.mapPng(map, request));
    return bytesReply(facts.contentType, await noted('png', picture, origin), facts);
  }
  if (format !== 'json') return { ...facts, flow: () => fileOf(format, arrayOfMap(map, request), origin) };
  const values = rows * map.positions.length;
  if (values > MEASURING.jsonValues)
    throw badParameter('format', `fits or npy for more than ${MEASURING.jsonValues} values (this map has ${values})`, format);
  return tableReply(format, tableOfMap(map, request), facts);
}

export const getTimeDistance = operation({
  ...MEASURING_OPERATION,
  name: 'getTimeDistance',
  summary: 'Values along a path in the images of a range of time: a time-distance map.',
  description:
    'A row an image, a column a position along `path` or `radial`, `step` arcseconds apart: the mean over `width` arcseconds at right angles ' +
    'to the path of inverted values at full resolution, linear between pixels. A censored pixel counts as the edge beyond which its value ' +
    'lies; NaN (null in JSON) is where more than half is censored or one is without data, and in a whole row for the reasons of ' +
    'getLightCurve. All formats but PNG are sent image by image while they are measured, and measuring stops with the client. At most ' +
    `${MEASURING.seriesImages} images, ${MEASURING.pathPositions} positions, ${MEASURING.arrayBytes >> 20} MiB of values and ` +
    `${MEASURING.seriesPixels / 1e6} million pixels around the paths of all images. With \`raw\`, the map is of the levels of the images, as the ` +
    'height-time maps of coronagraphs are, and `law` and `status` are null.',
  responses: {
    [MEDIA_TYPES.png]: 'With format=png: a plot in the colours of the datasource, with axes and a bar of values.',
    [MEDIA_TYPES.npy]: 'With format=npy: an array of shape (images, positions) for `numpy.load`.',
    [MEDIA_TYPES.fits]: 'With format=fits: an image of float32 with the tables IMAGES and PATH.',
    'application/json': jsonBody('With format=json.', timeDistanceSchema),
  },
  headers: ['Content-Disposition', 'X-Series-Rows'],
  otherResponses: { 404: 'There are no images in the range, or no data along the path.', ...NO_VALUES, ...BUSY },
  parameters: {
    ...seriesParameters,
    ...pathParameters,
    width: decimal('Arcseconds at right angles to the path over which a value is a mean. 0: a pixel.', {
      min: 0,
      max: STEP.max,
    }).default(0),
    step: decimal('Arcseconds between positions. Unset: a pixel of the first image.', STEP).optional(),
    ...trackingParameters,
    raw: raw(),
    format: choice('Format.', FORMATS).default('png'),
  },
  canonical: (values) => {
    const { width, step = null, raw: isRaw, format } = values;
    const request: PathRequest = { ...seriesOf(values), ...pathOf(values), width, step, ...trackingOf(values), isRaw };
    return { request, format };
  },
  key: ({ request, format }) => {
    if (format !== 'png') return null;
    const { vertices, frame, parameter, width, step, isRaw } = request;
    const path = { parameter, frame, vertices: listOf(vertices), width, step: step ?? undefined };
    return { ...seriesKey(request), ...path, ...trackingKey(request), raw: isRaw, format };
  },
  handle: async ({ request, format }, context, address) => {
    return reply(await context.services.timeDistance.open(request, context), request, format, context, address);
  },
});
