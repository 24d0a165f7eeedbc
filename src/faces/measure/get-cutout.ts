// getCutout: a region of the images of a range of time on one grid, or as a movie.
import type { CutoutRequest } from '../../measure/cutouts.ts';
import { arrayOfCutout, fileOf } from '../../measure/products.ts';
import { parseMovieRequest } from '../../movies/movie-recipe.ts';
import { RECIPE_LIMITS } from '../../picture/limits.ts';
import { parseProjection, printProjection } from '../../picture/projection.ts';
import { NO_STORE } from '../../platform/http/cache-policy.ts';
import { MEDIA_TYPES } from '../../platform/http/media-types.ts';
import { choice, decimal, integerList } from '../../platform/http/parameters.ts';
import { type Representation, redirectReply } from '../../platform/http/response.ts';
import { REQUEST_LIMITS } from '../../platform/limits/http.ts';
import { MEASURING } from '../../platform/limits/rendering.ts';
import { badParameter, conflict, requires } from '../../platform/util/errors.ts';
import { moviesOf } from '../movies/movie-files.ts';
import { BUSY, projection } from '../pictures/scene-parameters.ts';
import { type Context, operation, serviceOrigin } from '../services.ts';
import {
  checkLatitudes,
  coordinateRange,
  eventId,
  type NamedRegion,
  NO_VALUES,
  raw,
  regionFound,
  regionOf,
  seriesFacts,
  seriesOf,
  seriesParameters,
  seriesSource,
  trackingOf,
  trackingParameters,
} from './parameters.ts';

const FORMATS = ['fits', 'npy', 'mp4'] as const;
const FRAMES = ['helioprojective', 'carrington'] as const;

const size = { min: 0.001, max: MEASURING.regionCoordinate };

/** @throws Failure `bad-parameter` for what no map of degrees has */
function checkDegrees(region: NamedRegion): void {
  if (region.kind === 'event') throw conflict('frame=carrington', 'eventId');
  const rectangle = region as Extract<NamedRegion, { kind: 'rectangle' }>;
  checkLatitudes({ ...rectangle, frame: 'carrington' });
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

/** A projection in its own notation; none for the plane. @throws Failure with what is possible */
function notationOf(text?: string): Pick<CutoutRequest, 'projection'> {
  return { projection: text ? printProjection(parseProjection(text, true)) : undefined };
}

/** Queues the movie of a cut-out, or joins the build of an equal one. */
async function movieReply(request: CutoutRequest, context: Context): Promise<Representation> {
  const requested = parseMovieRequest(await context.services.cutouts.movie(request, context));
  await context.services.projections.check(requested.scene, requested.startMs, requested.endMs);
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
    'and scale are those of its screen plane, in arcseconds as seen from 1 au, and track=rotation turns a sphere with the Sun.',
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
    ...NO_VALUES,
    ...BUSY,
  },
  parameters: {
    ...seriesParameters,
    sourceIds: integerList(
      'Further datasources on the same grid: the image nearest to each of the first, at most half the interval away.',
      {
        min: 0,
        max: REQUEST_LIMITS.sourceId,
        maxItems: MEASURING.cutoutSources,
      },
    ).optional(),
    eventId: eventId(),
    x: decimal(
      'Centre, arcseconds to the west as the observer of the first image saw it; Carrington longitude with `frame`.',
      coordinateRange,
    ).optional(),
    y: decimal('The same to the north; latitude.', coordinateRange).optional(),
    width: decimal('Width in arcseconds or degrees.', size).optional(),
    height: decimal('Height.', size).optional(),
    scale: decimal('Arcseconds or degrees of a cell. Unset: a pixel of the first image.', size).optional(),
    frame: choice('Coordinates of the grid.', FRAMES).default('helioprojective'),
    ...trackingParameters,
    raw: raw(' Without meaning for format=mp4.'),
    projection,
    format: choice('Format; mp4 in arcseconds only.', FORMATS).default('fits'),
  },
  parametersInV1: null,
  edge: 'none',
  canonical: (values) => {
    const { sourceIds = [], scale = null, frame, raw: isRaw, projection: view, format } = values;
    const named = regionOf({ ...values, frame: 'helioprojective' });
    if (named === null) throw requires('getCutout', 'x or eventId');
    if (frame === 'carrington') checkDegrees(named);
    const own = seriesOf(values);
    const others = sourceIds.map((id) => seriesSource(id, 'sourceIds')).filter((id) => id !== own.sourceId);
    const request = { ...own, others, frame, scale, ...trackingOf(values), isRaw, ...notationOf(view) };
    if (format === 'mp4') checkPictures(request, named);
    else if (request.projection) throw conflict('projection', `format=${format}`);
    return { request, named, format };
  },
  // After `canonical`, from which its type is inferred.
  hasSideEffects: ({ format }) => format === 'mp4',
  handle: async ({ request: range, named, format }, context, address) => {
    const region = (await regionFound(named, context)) as CutoutRequest['region'];
    const request = { ...range, region };
    if (format === 'mp4') return movieReply(request, context);
    const cutout = await context.services.cutouts.open(request, context);
    const facts = seriesFacts(request, 'cutout', format, cutout.slots.length);
    return { ...facts, flow: () => fileOf(format, arrayOfCutout(cutout, request), { address, items: cutout.slots }) };
  },
});
