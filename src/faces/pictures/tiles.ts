// getTile, getFrame, getFrameTables and downloadImage.

import { imageTags } from '../../archive/keys.ts';
import { LEVEL_0_SCALE, levelScale, TILE_SIZE } from '../../picture/grids/pixel-grid.ts';
import { RECIPE_LIMITS } from '../../picture/limits.ts';
import { FRAME_DESCRIPTION_VERSION } from '../../picture/moving-frame.ts';
import { isPlain, type Operations, operationsIn, referenceTime, tableOperations } from '../../picture/operations/operations.ts';
import { addressKey } from '../../picture/picture.ts';
import { boolean, decimal, integer, integerList } from '../../platform/http/parameters.ts';
import { bytesReply, DRAWN, MEDIA_TYPES, namedFile, RECENT } from '../../platform/http/response.ts';
import { REQUEST_LIMITS } from '../../platform/limits/http.ts';
import { SETTLED_AFTER_MS } from '../../platform/limits/images.ts';
import { MOVING_FRAME } from '../../platform/limits/rendering.ts';
import { badParameter } from '../../platform/util/errors.ts';
import type { ArchivedImage } from '../../sun/image.ts';
import { imageHeaders, nearestFacts } from '../images/image-headers.ts';
import { GONE, imageId, storedFile, UNKNOWN_IMAGE } from '../images/jp2.ts';
import { operation, type Services } from '../services.ts';
import { BUSY, FORMAT_NAMES, fileFormat, fileResponses, operations, plainOperations } from './scene-parameters.ts';

const tileNumber = (description: string) =>
  integer(description, { min: -REQUEST_LIMITS.tileNumber, max: REQUEST_LIMITS.tileNumber });

const position = {
  id: imageId(),
  x: tileNumber('Column of the tile; tile 0 starts at the centre of the image.'),
  y: tileNumber('Row of the tile, downward; tile 0 starts at the centre of the image.'),
  imageScale: decimal('Arcseconds per pixel of the tile.', RECIPE_LIMITS.imageScaleArcsecPerPixel),
};

/** The file name of an image without its extension. */
export const stemOf = ({ fileName }: Pick<ArchivedImage, 'fileName'>): string => fileName.replace(/\.jp2$/i, '');

const getTile = operation({
  name: 'getTile',
  summary: `A tile of an image in colour: ${TILE_SIZE}x${TILE_SIZE} pixels.`,
  description:
    'Tiles -1 and 0 of both axes meet at the centre of the image, and `imageScale` is in arcseconds as seen from 1 au, not by the ' +
    'observer; one within 5e-6 of a power of two of the scale of AIA counts as that. Tiles on the centre of the Sun, in arcseconds of ' +
    'the observer, are at `/tiles/`. ' +
    'A running difference subtracts an earlier image of the same datasource, a base difference the image of a fixed time, and a base ' +
    'ratio divides the level of each pixel by that of the fixed time; both images are aligned to one centre and scale before. A ' +
    'difference shows no change as 128 and 2 levels for each level of change, a ratio shows 0.5 as 0, 1 as 128 and 1.5 as 255. ' +
    'Tiles never change, except differences and ratios while newer images arrive. Without loss, all formats have the same pixels.',
  tag: 'Images',
  responses: fileResponses('The tile; transparent outside the image.'),
  headers: ['Content-Disposition', 'X-Image-Date', 'X-Image-Distance'],
  otherResponses: { 404: 'No image has this id, or none is early enough for the difference or ratio.', ...GONE, ...BUSY },
  parameters: {
    ...position,
    ...operations,
    ...fileFormat,
    north: boolean(
      'Whether north is up, as in screenshots; else the image lies as in its file, with `rotation` of its record.',
    ).default(false),
  },
  parametersInV1: position,
  edge: 'shared',
  canonical: ({ id, x, y, imageScale, type = 'png', quality, north, ...values }) => ({
    id,
    x,
    y,
    imageScale: levelScale(imageScale) ?? imageScale,
    ...operationsIn(values),
    type,
    quality,
    ...(north ? { north } : {}),
  }),
  key: ({ type, ...tile }) => addressKey({ ...tile, type: type === 'png' ? undefined : type }),
  handle: async (tile, context) => {
    const { services } = context;
    const { image, reference, bytes, isSketch } = await services.tiles.tile(tile, context);
    const { x, y, imageScale, difference, type } = tile;
    // The name of the original service, which has no ratios.
    const name = `${stemOf(image)}_${imageScale}_x${x}_y${y}${difference ? `_${difference.kind}` : ''}.${type}`;
    const headers = { ...imageHeaders(image), ...namedFile('inline', name) };
    const facts = isSketch ? { policy: RECENT, tags: imageTags(image) } : drawnFacts(image, reference, tile, services);
    return bytesReply(MEDIA_TYPES[type], bytes, { ...facts, headers });
  },
});

/** Facts of a picture of an image by its id; in a difference a late delivery may bring a nearer reference image. */
export function drawnFacts(image: ArchivedImage, reference: ArchivedImage | null, layer: Operations, services: Services) {
  const tags = imageTags(image);
  if (!reference) return { ...DRAWN, tags };
  const atMs = referenceTime(layer, image.takenAtMs)!;
  const isSettled = atMs < services.clock() - SETTLED_AFTER_MS;
  const compared = nearestFacts({ image: reference, isSettled }, atMs, services);
  return { policy: compared.policy, tags: [...tags, ...compared.tags] };
}

const first = (axis: string) =>
  tileNumber(`First ${axis} of tiles, numbered as in getTile. Unset: that of the image.`).optional();
const count = (axis: string) =>
  integer(`Number of ${axis} of tiles. Unset: up to the edge of the image.`, { min: 1, max: MOVING_FRAME.tiles }).optional();

const { sidePixels } = MOVING_FRAME;

const getFrame = operation({
  name: 'getFrame',
  summary: `An image in grey for moving pictures: at most ${sidePixels}x${sidePixels} pixels, JPEG.`,
  description:
    'The samples of an image, north up on the pixels of its tiles (`north` of getTile), without colours and mask, in one component of some tens of kilobytes: what a ' +
    'player of many images decodes and colours itself. The frame is cut to the image, at multiples of 8 pixels from its centre, and black ' +
    'outside of it. The comment segment of the file is JSON: `imageScale`; the centre of the Sun, `sun`, in pixels from the upper left ' +
    'corner; `edges`, where an image ends that has been turned to the north, in arcseconds from there: its centre, and vectors to its right and lower side; `observer`, from where it was taken: its `distance` from the Sun in solar radii, Stonyhurst `latitude` and `longitude`; `colours`, base64 of R, G and B of the 256 values, or null for grey; `ring`, the circles between which a coronagraph sees ' +
    'the corona, whose inner edge has a negative radius where it is the disc alone, or null; `isBlackTransparent`, whether black pixels have no data. The values differ from those of getTile by the loss ' +
    'of JPEG, so measure in tiles or with getValue.',
  tag: 'Images',
  responses: { [MEDIA_TYPES.jpg]: 'The frame.' },
  headers: ['X-Image-Date', 'X-Image-Distance'],
  otherResponses: { ...UNKNOWN_IMAGE, ...GONE, ...BUSY },
  parameters: {
    id: imageId(),
    imageScale: decimal(
      `Arcseconds per pixel: ${LEVEL_0_SCALE} times a power of two, such as 4.84088176.`,
      RECIPE_LIMITS.imageScaleArcsecPerPixel,
    ),
    x: first('column'),
    y: first('row'),
    columns: count('columns'),
    rows: count('rows'),
    ...operations,
  },
  parametersInV1: null,
  edge: 'shared',
  canonical: ({ id, imageScale, x, y, columns, rows, ...values }) => {
    const level = levelScale(imageScale);
    if (level === null) throw badParameter('imageScale', `${LEVEL_0_SCALE} times a power of two`, imageScale);
    return { id, x, y, columns, rows, imageScale: level, ...operationsIn(values) };
  },
  key: (frame) => addressKey({ ...frame, description: FRAME_DESCRIPTION_VERSION }),
  handle: async (request, context) => {
    const { services } = context;
    const { image, reference, jpeg } = await services.frames.frame(request, context);
    const facts = drawnFacts(image, reference, request, services);
    return bytesReply(MEDIA_TYPES.jpg, jpeg, { ...facts, headers: imageHeaders(image) });
  },
});

const { filter, steady } = operations;

const getFrameTables = operation({
  name: 'getFrameTables',
  summary: 'The levels by which a filter shows the frames of images, for players that filter many themselves.',
  description:
    'A file of zlib. For each of `ids`, in their order: the inner radius of 256 annuli about the centre of the Sun and their width, little-endian ' +
    'float32 in arcseconds as seen from 1 au; then for each annulus from the inner one the levels of the bytes from 0 to 255, each less ' +
    'that of the byte before, modulo 256; all levels are even. Between the centres of annuli, levels are linear. They belong to the bytes of getFrame without these ' +
    'parameters. A table that another one will replace, because not all pixels of its image have been counted, is kept for a minute; `exact` waits for the other.',
  tag: 'Images',
  responses: { [MEDIA_TYPES.npy]: 'The tables.' },
  otherResponses: { ...UNKNOWN_IMAGE, ...GONE, ...BUSY },
  parameters: {
    ids: integerList('Image ids, as in getClosestImage.', {
      min: 1,
      max: Number.MAX_SAFE_INTEGER,
      maxItems: MOVING_FRAME.tables,
    }),
    filter,
    steady,
    exact: boolean(
      `Whether to wait until all pixels of the images have been counted, which are then at most ${MOVING_FRAME.exactTables}.`,
    ).default(false),
  },
  parametersInV1: null,
  edge: 'shared',
  canonical: ({ ids, exact, ...values }) => {
    const most = MOVING_FRAME.exactTables;
    if (exact && ids.length > most) throw badParameter('ids', `at most ${most} ids with exact=true`, ids.length);
    const layer = operationsIn(values);
    if (isPlain(tableOperations(layer)))
      throw badParameter('filter', 'rhef or nrgf, or steady=true,', values.filter || undefined);
    return { ids, ...layer, ...(exact ? { exact } : {}) };
  },
  key: addressKey,
  handle: async (request, context) => {
    const { images, file, areSketches } = await context.services.frames.tables(request, context);
    return bytesReply(MEDIA_TYPES.npy, file, {
      ...(areSketches ? { policy: RECENT } : DRAWN),
      tags: images.flatMap(imageTags),
    });
  },
});

const downloadImage = operation({
  name: 'downloadImage',
  summary: `A whole image in colour, as ${FORMAT_NAMES}.`,
  description:
    'The whole picture at a size of your choice, never larger than the source. WebP has no loss unless `quality` is given.',
  tag: 'Images',
  responses: fileResponses('The image.'),
  headers: ['Content-Disposition', 'X-Image-Date', 'X-Image-Distance'],
  otherResponses: { ...UNKNOWN_IMAGE, ...GONE, ...BUSY },
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
    const name = `${stemOf(image)}_full_image_${Number(size.step.toFixed(4))}.${type}`;
    const facts = { ...DRAWN, headers: { ...imageHeaders(image), ...namedFile('inline', name) }, tags: imageTags(image) };
    const file = { contentType: MEDIA_TYPES[type], etag };
    if (bytes) return { ...facts, ...file, bytes };
    return storedFile({ ...file, key, length }, facts, context);
  },
});

export const drawnImages = [getTile, getFrame, getFrameTables, downloadImage];
