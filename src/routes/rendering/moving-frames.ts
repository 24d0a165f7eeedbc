// getFrame and getFrameTables.

import { REQUEST_LIMITS } from '../../config/limits/http.ts';
import { MOVING_FRAME } from '../../config/limits/rendering.ts';
import { imageTags } from '../../domain/archive/keys.ts';
import { badParameter } from '../../domain/errors.ts';
import { MEDIA_TYPES } from '../../domain/media-types.ts';
import { LEVEL_0_SCALE, levelScale } from '../../domain/pixel-grid.ts';
import { DRAWN, RECENT } from '../../http/cache-policy.ts';
import { decimal, integer, integerList } from '../../http/parameters.ts';
import { bytesReply } from '../../http/response.ts';
import { addressKey } from '../../picture/key.ts';
import { RECIPE_LIMITS } from '../../picture/limits.ts';
import { FRAME_DESCRIPTION_VERSION } from '../../picture/moving-frame.ts';
import { isPlain, operationsIn, tableOperations } from '../../picture/operations/operations.ts';
import { EXAMPLE_IMAGE } from '../examples.ts';
import { imageHeaders } from '../images/image-headers.ts';
import { GONE, imageId, UNKNOWN_IMAGE } from '../images/jp2.ts';
import { operation } from '../services.ts';
import { BUSY, operations } from './scene-parameters.ts';
import { referenceFacts } from './tiles.ts';

const first = (axis: string) =>
  integer(`First ${axis} of tiles, numbered as in getTile. Unset: that of the image.`, {
    min: -REQUEST_LIMITS.tileNumber,
    max: REQUEST_LIMITS.tileNumber,
  }).optional();
const count = (axis: string) =>
  integer(`Number of ${axis} of tiles. Unset: up to the edge of the image.`, { min: 1, max: MOVING_FRAME.tiles }).optional();

const { sidePixels } = MOVING_FRAME;

export const getFrame = operation({
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
  example: { id: EXAMPLE_IMAGE, imageScale: 4.84088176, x: -1, y: -1, columns: 2, rows: 2 },
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
    const { tags, ...facts } = reference ? referenceFacts(reference, request, image, services) : { ...DRAWN, tags: [] };
    return bytesReply(MEDIA_TYPES.jpg, jpeg, { ...facts, headers: imageHeaders(image), tags: [...imageTags(image), ...tags] });
  },
});

const { filter, steady } = operations;

export const getFrameTables = operation({
  name: 'getFrameTables',
  summary: 'The levels by which a filter shows the frames of images, for players that filter many themselves.',
  description:
    'A file of zlib. For each of `ids`, in their order: the inner radius of 256 annuli about the centre of the Sun and their width, little-endian ' +
    'float32 in arcseconds as seen from 1 au; then for each byte from 0 to 255 the levels that show it in the annuli from the inner one, each less ' +
    'that of the byte before, modulo 256. Between the centres of annuli, levels are linear. They belong to the bytes of getFrame without these ' +
    'parameters. A table that another one will replace, because not all pixels of its image have been counted, is kept for a minute.',
  tag: 'Images',
  responses: { [MEDIA_TYPES.npy]: 'The tables.' },
  otherResponses: { ...UNKNOWN_IMAGE, ...GONE, ...BUSY },
  example: { ids: String(EXAMPLE_IMAGE), filter: 'rhef' },
  parameters: {
    ids: integerList('Image ids, as in getClosestImage.', {
      min: 1,
      max: Number.MAX_SAFE_INTEGER,
      maxItems: MOVING_FRAME.tables,
    }),
    filter,
    steady,
  },
  parametersInV1: null,
  edge: 'shared',
  canonical: ({ ids, ...values }) => {
    const layer = operationsIn(values);
    if (isPlain(tableOperations(layer)))
      throw badParameter('filter', 'rhef or nrgf, or steady=true,', values.filter || undefined);
    return { ids, ...layer };
  },
  key: addressKey,
  handle: async (request, context) => {
    const { images, file, areSketches } = await context.services.frames.tables(request, context);
    return bytesReply(MEDIA_TYPES.npy, file, {
      ...(areSketches ? { policy: RECENT } : DRAWN),
      tags: [...new Set(images.flatMap(imageTags))],
    });
  },
});
