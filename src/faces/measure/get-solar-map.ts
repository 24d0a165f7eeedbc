// getSolarMap: the whole surface of the Sun at a time, from the images of a rotation.
import { timelineTagOf } from '../../archive/keys.ts';
import { MAP_FORMATS } from '../../measure/maps/map-files.ts';
import { ROTATION } from '../../measure/regions.ts';
import { layersFileName } from '../../picture/layers.ts';
import { RECENT } from '../../platform/http/cache-policy.ts';
import { MEDIA_TYPES } from '../../platform/http/media-types.ts';
import { choice, date, integer, integerList } from '../../platform/http/parameters.ts';
import { bytesReply, namedFile } from '../../platform/http/response.ts';
import { REQUEST_LIMITS } from '../../platform/limits/http.ts';
import { SETTLED_AFTER_MS } from '../../platform/limits/images.ts';
import { MAPS } from '../../platform/limits/maps.ts';
import { badParameter } from '../../platform/util/errors.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import { centreOf, MAP_FRAMES, MAP_METHODS, MAP_PROJECTIONS } from '../../sun/maps/map-grid.ts';
import { fileStamp } from '../../sun/time.ts';
import { storedFile } from '../images/stored-file.ts';
import { BUSY } from '../pictures/scene-parameters.ts';
import { operation, settledPolicy } from '../services.ts';
import { MEASURING_OPERATION, NO_VALUES, raw, seriesSource } from './parameters.ts';

/** Datasources that show the disc. @throws Failure for others */
export function mapSources(ids: readonly number[], parameter = 'sourceId'): readonly number[] {
  return ids.map((given) => {
    const id = seriesSource(given, parameter);
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

/** Height that gives cells as high as wide at the equator, about: half the width, or two fifths, as the synoptic maps of HMI have. */
const heightFor = (width: number, projection: 'car' | 'cea') =>
  Math.max(1, Math.round(width * (projection === 'car' ? 0.5 : 0.4)));

export const getSolarMap = operation({
  ...MEASURING_OPERATION,
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
  otherResponses: { 404: 'There are no images in the 27 days before the date; the nearest one is named.', ...NO_VALUES, ...BUSY },
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
    raw: raw(' Without meaning for pictures.'),
    format: choice('Format.', MAP_FORMATS).default('png'),
  },
  canonical: ({ sourceId, date: atMs, raw: isRaw, height, format, ...grid }) => ({
    request: {
      ...grid,
      height: height ?? heightFor(grid.width, grid.projection),
      centre: centreOf(grid.frame),
      sourceIds: mapSources(sourceId),
      atMs,
      isRaw: isRaw || format === 'png' || format === 'webp',
    },
    format,
  }),
  key: ({ request: { centre: _, ...request }, format }) =>
    format === 'fits' || format === 'npy' ? null : { ...request, format },
  handle: async ({ request, format }, context, address) => {
    const { services } = context;
    const file = await services.mapFiles.file(request, format, address(), context);
    const name = `${layersFileName(request.sourceIds.map((sourceId) => ({ sourceId })))}_map_${fileStamp(request.atMs)}.${format}`;
    const headers = namedFile(format === 'png' || format === 'webp' ? 'inline' : 'attachment', name);
    const isSettled = request.atMs < services.clock() - SETTLED_AFTER_MS;
    const policy = isSettled ? settledPolicy(services) : RECENT;
    const facts = { policy, headers, tags: [...new Set(file.images.map(({ image }) => timelineTagOf(image)))] };
    const contentType = MEDIA_TYPES[format];
    if ('bytes' in file) return bytesReply(contentType, file.bytes, facts);
    if ('flow' in file) return { contentType, ...facts, flow: file.flow };
    return storedFile({ contentType, key: file.key, etag: file.stored.etag, length: file.stored.size }, facts, context);
  },
});
