// Measurements over a range of time: getLightCurve, getTimeDistance and getCutout.

import { z } from '@hono/zod-openapi';
import { type CutoutRequest, cutLayers } from '../../measure/cutouts.ts';
import { SERIES_REASONS } from '../../measure/image-series.ts';
import { type CurveRequest, GRID_CHOICES } from '../../measure/light-curves.ts';
import { arrayOfCutout, arrayOfMap, curveFits, fileOf, tableOfCurve, tableOfMap, textOf } from '../../measure/products.ts';
import { FRAMES, isInDegrees, isLatitude } from '../../measure/regions.ts';
import type { PathRequest } from '../../measure/time-distance.ts';
import { parseMovieRequest } from '../../movies/movie-recipe.ts';
import { pngNote, svgNote } from '../../picture/encode/notes.ts';
import { RECIPE_LIMITS } from '../../picture/limits.ts';
import { layerParameters } from '../../picture/operations/operations.ts';
import { parseProjection, printProjection } from '../../picture/projection.ts';
import { tableReply } from '../../platform/http/lists.ts';
import {
  choice,
  choiceList,
  decimal,
  decimalList,
  integerList,
  jsonBody,
  named,
  number,
  object,
  text,
  type Values,
  whole,
} from '../../platform/http/parameters.ts';
import { bytesReply, MEDIA_TYPES, NO_STORE, type Representation, redirectReply } from '../../platform/http/response.ts';
import { GRIDS } from '../../platform/limits/grids.ts';
import { REQUEST_LIMITS } from '../../platform/limits/http.ts';
import { MEASURING } from '../../platform/limits/rendering.ts';
import { badParameter, conflict, requires } from '../../platform/util/errors.ts';
import { pathLength, radialPath } from '../../sun/coordinates/path.ts';
import { FIGURES } from '../../sun/laws/value.ts';
import { moviesOf } from '../movies/movie-files.ts';
import { BUSY, layerOperations, projection } from '../pictures/scene-parameters.ts';
import { type Context, operation, serviceOrigin } from '../services.ts';
import type { NamedRegion } from './parameters.ts';
import * as measure from './parameters.ts';

const status = (description: string) => z.enum(['exact', 'approximate']).describe(description);

const figureMembers = () =>
  Object.fromEntries(
    FIGURES.flatMap((name) => [
      [name, number(`The figure \`${name}\`; null without a value.`).nullable().optional()],
      [`${name}Lower`, number('Lower end of its interval; null where it is open.').nullable().optional()],
      [`${name}Upper`, number('Upper end.').nullable().optional()],
    ]),
  );

const seriesFacts = () => ({
  sourceId: whole('Datasource.'),
  images: whole('Images of the range.'),
  unit: text('Of the values of the first image.'),
  law: text('Law of the first image; null with `raw`.').nullable(),
  status: status('How sure it is; null with `raw`.').nullable(),
  caveats: z.array(z.string()).readonly().describe('Sentences on what the values are not.'),
  rotation: text('The differential rotation of a tracked region; null for a fixed one.').nullable(),
});

const rowFacts = () => ({
  id: whole('Id of the image; null in a gap.').nullable(),
  date: text('Observation time, ISO 8601; in a gap the time at which it begins.'),
  reason: z.enum(SERIES_REASONS).nullable().describe('Why there are no values; null where there are.'),
});

const lightCurve = () =>
  named('LightCurve', 'Figures of a region in the images of a range of time.', {
    ...seriesFacts(),
    grid: object('The grids from which the curve was read; null for one of pixels.', {
      cells: whole('Cells along each side of an image.'),
      cellArcsec: number('Width of a cell in arcseconds.'),
      missingDays: z.array(z.string()).describe('Days with images that have no grids, such as 2024-05-10.'),
    }).nullable(),
    rows: whole('Rows of the curve, for the progress of reading it.'),
    areaUnit: text('Of the figure `area`.').nullable(),
    threshold: number('Value above which the area is counted.').nullable(),
    curve: z.array(
      object('A row.', {
        ...rowFacts(),
        count: whole('Pixels with data.').nullable(),
        censored: number('Share of them beyond the ends of the scale.').nullable(),
        unit: text('Of the values.').nullable(),
        status: status('How sure the law of the image is.').nullable(),
        ...figureMembers(),
      }),
    ),
  });

const timeDistance = () =>
  named('TimeDistanceMap', 'Values along a path in the images of a range of time.', {
    ...seriesFacts(),
    rows: whole('Rows of the map, for the progress of reading it.'),
    step: number('Arcseconds between positions.'),
    width: number('Arcseconds over which a value is a mean.'),
    path: z
      .array(z.array(z.number()).length(2).readonly().describe('Arcseconds to the west and north.'))
      .describe('The positions.'),
    map: z.array(
      object('A row.', {
        ...rowFacts(),
        values: z.array(z.number().nullable()).describe('A value for each position; null where there is none.'),
      }),
    ),
  });

const CURVE_FORMATS = ['json', 'csv', 'fits', 'svg', 'png'] as const;
type CurveFormat = (typeof CURVE_FORMATS)[number];

/** Formats that are sent row by row. */
const isStreamed = (format: CurveFormat): format is 'json' | 'csv' => format === 'json' || format === 'csv';

export const getLightCurve = operation({
  ...measure.MEASURING_OPERATION,
  name: 'getLightCurve',
  summary: 'Figures of a region in the images of a range of time, with their intervals.',
  description:
    'A row an image: its id and date, and each figure with the ends of its interval, as in getValue: of inverted values at full ' +
    'resolution, in which a censored pixel counts as the edge beyond which its value lies; `censored` is their share of `count`, the pixels ' +
    'with data. `sum` is the sum over these pixels, `p05` and `p95` are percentiles as numpy has them, `area` is that of the pixels above ' +
    '`threshold` in square arcseconds, as the observer saw it. A row without values has a `reason`: `gap` where there is no image, or the ' +
    'interval to the next is three times the median; `unconfirmed` where the law of a new image was not confirmed in this request (ask ' +
    'again in a minute); `no-law`, `no-data` (also behind the limb), `off-image`, `damaged`. JSON and CSV are sent row by row while they ' +
    `are measured, and measuring stops with the client. At most ${MEASURING.seriesImages} rows and ` +
    `${MEASURING.seriesPixels / 1e6} million pixels of all images: take a cadence, a shorter range or a smaller region. Of more images, \`mean\` ` +
    'and `sum` of a fixed region come from the grids of the images, 64 x 64 means of inverted values: one object is read for each day, at ' +
    `most ${GRIDS.days} of them, with at most ${GRIDS.imagesOfDay} images each. A cell at the edge of the region counts by its share, which the intervals ` +
    'have; `status` is approximate, and `grid` names the cells and the days with images that have no grids. With `raw`, figures are of the ' +
    'levels of the images, and `law` and `status` are null.',
  responses: {
    'application/json': jsonBody('With format=json.', lightCurve),
    'text/csv': 'With format=csv: a line with the names of the columns, and a row a line.',
    [MEDIA_TYPES.fits]: 'With format=fits: a binary table with the columns of CSV.',
    [MEDIA_TYPES.svg]: 'With format=svg: a plot with a panel for each figure and its interval as a band.',
    [MEDIA_TYPES.png]: 'With format=png: the same plot.',
  },
  headers: ['Content-Disposition', 'X-Series-Rows'],
  otherResponses: { 404: 'There are no images in the range, or no data in the region.', ...measure.NO_VALUES, ...BUSY },
  parameters: {
    ...measure.seriesParameters,
    ...measure.regionParameters,
    ...measure.trackingParameters,
    statistics: choiceList('Figures of the region.', FIGURES).default(['mean']),
    threshold: decimal('Value in the unit of the images above which the area is counted; with the figure `area` alone.', {
      min: -1e9,
      max: 1e9,
    }).optional(),
    grid: choice(
      '`true`: from the grids of the images, `false`: from their pixels. `auto`: from grids where there are more images than a request ' +
        'measures, and cells give the statistics.',
      GRID_CHOICES,
    ).default('auto'),
    raw: measure.raw(' Grids have the levels of datasources without values alone.'),
    format: choice('Format.', CURVE_FORMATS).default('json'),
  },
  canonical: (values) => {
    const { statistics, threshold, grid, raw: isRaw, format } = values;
    const isOfArea = statistics.includes('area');
    if (isOfArea && threshold === undefined) throw requires('statistics=area', 'threshold');
    const named = measure.regionOf(values);
    if (values.track === 'rotation' && named === null)
      throw requires('track=rotation', 'x, y, width and height, or another region');
    const request: Omit<CurveRequest, 'region'> = {
      ...measure.seriesOf(values),
      ...measure.trackingOf(values),
      isRaw,
      names: statistics,
      threshold: isOfArea ? threshold! : null,
      grid,
    };
    return { request, named, format };
  },
  key: ({ request, named, format }) => {
    if (isStreamed(format)) return null;
    const { isRaw: raw, names: statistics, threshold, grid } = request;
    const figures = { statistics, threshold: threshold ?? undefined, grid, raw, format };
    return { ...measure.seriesKey(request), ...measure.regionKey(named), ...measure.trackingKey(request), ...figures };
  },
  handle: async ({ request: range, named, format }, context, address) => {
    const { plots, lightCurves } = context.services;
    const request = { ...range, region: await measure.regionFound(named, context) };
    const curve = await lightCurves.open(request, context);
    const facts = measure.seriesFacts(request, 'lightcurve', format, curve.rows);
    if (isStreamed(format)) return tableReply(format, tableOfCurve(curve, request), facts);
    if (curve.rows > GRIDS.wholeRows)
      throw badParameter('format', `json or csv for ${curve.rows} rows, or a longer cadence,`, format);
    const items = await Array.fromAsync(curve.items());
    const { sourceId } = request;
    const note = await textOf({ address, items: items.map(({ image }) => ({ image: image && { sourceId, ...image } })) });
    const files = {
      fits: () => curveFits(curve, request, items, note),
      svg: () => new TextEncoder().encode(svgNote(plots.curveSvg(curve, request, items), note)),
      png: async () => pngNote(await plots.curvePng(curve, request, items), note),
    };
    const file = await context.stopwatch.measure('encode', () => files[format]());
    return bytesReply(facts.contentType, file, facts);
  },
});

const PATH_FORMATS = ['png', 'npy', 'fits', 'json'] as const;

const STEP = { min: 0.01, max: MEASURING.regionCoordinate };

const pathParameters = {
  path: measure.vertexList(
    'Vertices of the path in arcseconds to the west and north, as the observer saw them, or by `frame`.',
    MEASURING.vertices.path,
    '[[100,100],[300,200]]',
  ),
  radial: decimalList(
    'A radial path instead: position angle in degrees from north to east, and the distances of its ends from the centre of the Sun in arcseconds.',
    {
      ...measure.coordinateRange,
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
  const vertices = measure.verticesOf(path);
  if (pathLength(vertices) === 0) throw badParameter('path', 'vertices at different places', path.join(','));
  const wrong = isInDegrees(frame) ? vertices.find(({ y }) => !isLatitude(y)) : undefined;
  if (wrong) throw badParameter('path', 'latitudes from -90 to 90 degrees', wrong.y);
  return { parameter: 'path', given: path.join(','), frame, vertices } as const;
}

export const getTimeDistance = operation({
  ...measure.MEASURING_OPERATION,
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
    'application/json': jsonBody('With format=json.', timeDistance),
  },
  headers: ['Content-Disposition', 'X-Series-Rows'],
  otherResponses: { 404: 'There are no images in the range, or no data along the path.', ...measure.NO_VALUES, ...BUSY },
  parameters: {
    ...measure.seriesParameters,
    ...pathParameters,
    width: decimal('Arcseconds at right angles to the path over which a value is a mean. 0: a pixel.', {
      min: 0,
      max: STEP.max,
    }).default(0),
    step: decimal('Arcseconds between positions. Unset: a pixel of the first image.', STEP).optional(),
    ...measure.trackingParameters,
    raw: measure.raw(),
    format: choice('Format.', PATH_FORMATS).default('png'),
  },
  canonical: (values) => {
    const { width, step = null, raw: isRaw, format } = values;
    const request: PathRequest = {
      ...measure.seriesOf(values),
      ...pathOf(values),
      width,
      step,
      ...measure.trackingOf(values),
      isRaw,
    };
    return { request, format };
  },
  key: ({ request, format }) => {
    if (format !== 'png') return null;
    const { vertices, frame, parameter, width, step, isRaw } = request;
    const path = { parameter, frame, vertices: measure.listOf(vertices), width, step: step ?? undefined };
    return { ...measure.seriesKey(request), ...path, ...measure.trackingKey(request), raw: isRaw, format };
  },
  handle: async ({ request, format }, context, address) => {
    const { plots, timeDistance } = context.services;
    const map = await timeDistance.open(request, context);
    const rows = map.slots.length;
    const facts = measure.seriesFacts(request, 'timedistance', format, rows);
    const origin = { address, items: map.slots };
    if (format === 'png') {
      const picture = await context.stopwatch.measure('encode', () => plots.mapPng(map, request));
      return bytesReply(facts.contentType, pngNote(picture, await textOf(origin)), facts);
    }
    if (format !== 'json') return { ...facts, flow: () => fileOf(format, arrayOfMap(map, request), origin) };
    const values = rows * map.positions.length;
    if (values > MEASURING.jsonValues)
      throw badParameter('format', `fits or npy for more than ${MEASURING.jsonValues} values (this map has ${values})`, format);
    return tableReply(format, tableOfMap(map, request), facts);
  },
});

const CUTOUT_FORMATS = ['fits', 'npy', 'mp4'] as const;
const CUTOUT_FRAMES = ['helioprojective', 'carrington'] as const;

const size = { min: 0.001, max: MEASURING.regionCoordinate };

/** @throws Failure `bad-parameter` for what no map of degrees has */
function checkDegrees(region: NamedRegion): void {
  if (region.kind === 'event') throw conflict('frame=carrington', 'eventId');
  const rectangle = region as Extract<NamedRegion, { kind: 'rectangle' }>;
  measure.checkLatitudes({ ...rectangle, frame: 'carrington' });
  if (rectangle.width > 360) throw badParameter('width', 'at most 360 degrees', rectangle.width);
}

/** @throws Failure `bad-parameter` for what no movie shows */
function checkPictures({ frame, others, projection, isTracked }: Omit<CutoutRequest, 'region'>, { kind }: NamedRegion): void {
  if (projection && kind === 'event') throw conflict('projection', 'eventId');
  if (isTracked && projection && !projection.startsWith('sphere'))
    throw badParameter('projection', 'a sphere beside track=rotation', projection);
  if (frame !== 'helioprojective') throw conflict(`frame=${frame}`, 'format=mp4');
  const most = RECIPE_LIMITS.layers - 1;
  if (others.length > most) throw badParameter('sourceIds', `at most ${most} further datasources in a movie`, others.join(','));
}

/** Queues the movie of a cut-out, or joins the build of an equal one. */
async function movieReply(request: CutoutRequest, context: Context): Promise<Representation> {
  const requested = parseMovieRequest(await context.services.cutouts.movie(request, context));
  const { movie } = await moviesOf(context).queue(requested, context);
  return redirectReply(`${serviceOrigin(context)}/v2/downloadMovie/?id=${movie.id}&format=mp4`, { policy: NO_STORE }, 303);
}

export const getCutout = operation({
  name: 'getCutout',
  summary: 'A region of the images of a range of time on one grid: a cube of values.',
  description:
    'Each image, and with `sourceIds` the nearest ones of other datasources, is brought to one grid of `scale` arcseconds as the observer of ' +
    'the first image saw them, or of degrees of Carrington longitude and latitude with `frame=carrington`. Values are inverted at full ' +
    'resolution, then linear between pixels, and means over cells that are larger than a pixel; NaN where more than half of a cell is ' +
    'beyond the scale, off the image, without data or, where places rotate or have degrees, off the disc or behind the limb. An image ' +
    'without values is all NaN; the table IMAGES of FITS has its reason, as getLightCurve. A cube is sent image by image while it is ' +
    `measured, and measuring stops with the client. At most ${MEASURING.seriesImages} images, ${MEASURING.cubeValues >> 20} million values ` +
    `and ${MEASURING.seriesPixels / 1e6} million pixels. With format=mp4 it queues a movie of the ` +
    'region, as queueMovie does, and redirects to it: pictures instead of values, drawn from all images of the range or one each ' +
    '`cadence` seconds, in which the centre of the region rotates with the Sun with `track=rotation`. With `projection`, x, y, width, height ' +
    'and scale are those of its screen plane, in arcseconds as seen from 1 au, and track=rotation turns a sphere with the Sun. Filters and other operations ' +
    'are those of queueMovie, a group for `sourceId` and one for each of `sourceIds`.',
  tag: 'Measurements',
  responses: {
    [MEDIA_TYPES.fits]:
      'With format=fits: a cube of float32 with axes x, y and image; with several datasources x, y, datasource and time; and the table IMAGES.',
    [MEDIA_TYPES.npy]: 'With format=npy: an array of shape (times, height, width) or (times, datasources, height, width).',
  },
  headers: ['Content-Disposition', 'X-Series-Rows'],
  otherResponses: {
    303: 'With format=mp4: downloadMovie, which answers with the progress until the movie is finished, is at Location.',
    404: 'There are no images in the range, too few for a movie, or no data in the region.',
    ...measure.NO_VALUES,
    ...BUSY,
  },
  parameters: {
    ...measure.seriesParameters,
    sourceIds: integerList(
      'Further datasources on the same grid: the image nearest to each of the first, at most half the interval away.',
      {
        min: 0,
        max: REQUEST_LIMITS.sourceId,
        maxItems: MEASURING.cutoutSources,
      },
    ).optional(),
    eventId: measure.eventId(),
    x: decimal(
      'Centre, arcseconds to the west as the observer of the first image saw it; Carrington longitude with `frame`.',
      measure.coordinateRange,
    ).optional(),
    y: decimal('The same to the north; latitude.', measure.coordinateRange).optional(),
    width: decimal('Width in arcseconds or degrees.', size).optional(),
    height: decimal('Height.', size).optional(),
    scale: decimal('Arcseconds or degrees of a cell. Unset: a pixel of the first image.', size).optional(),
    frame: choice('Coordinates of the grid.', CUTOUT_FRAMES).default('helioprojective'),
    ...measure.trackingParameters,
    raw: measure.raw(' Without meaning for format=mp4.'),
    projection,
    ...layerOperations,
    format: choice('Format; mp4 in arcseconds only.', CUTOUT_FORMATS).default('fits'),
  },
  parametersInV1: null,
  edge: 'none',
  canonical: (values) => {
    const { sourceIds = [], scale = null, frame, raw: isRaw, projection: view, format } = values;
    const named = measure.regionOf({ ...values, frame: 'helioprojective' });
    if (named === null) throw requires('getCutout', 'x or eventId');
    if (frame === 'carrington') checkDegrees(named);
    const own = measure.seriesOf(values);
    const others = sourceIds.map((id) => measure.seriesSource(id, 'sourceIds')).filter((id) => id !== own.sourceId);
    const layers = cutLayers([own.sourceId, ...others], values);
    const shown = view && printProjection(parseProjection(view, true));
    const request = { ...own, others, layers, frame, scale, ...measure.trackingOf(values), isRaw, projection: shown };
    const [ofPictures] = [...(request.projection ? ['projection'] : []), ...Object.keys(layerParameters(layers))];
    if (format === 'mp4') checkPictures(request, named);
    else if (ofPictures) throw conflict(ofPictures, `format=${format}`);
    return { request, named, format };
  },
  // After `canonical`, from which its type is inferred.
  hasSideEffects: ({ format }) => format === 'mp4',
  handle: async ({ request: range, named, format }, context, address) => {
    const region = (await measure.regionFound(named, context)) as CutoutRequest['region'];
    const request = { ...range, region };
    if (format === 'mp4') return movieReply(request, context);
    const cutout = await context.services.cutouts.open(request, context);
    const facts = measure.seriesFacts(request, 'cutout', format, cutout.slots.length);
    return { ...facts, flow: () => fileOf(format, arrayOfCutout(cutout, request), { address, items: cutout.slots }) };
  },
});
