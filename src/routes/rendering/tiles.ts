// getTile.
import { REQUEST_LIMITS } from '../../config/limits/http.ts';
import { SETTLED_AFTER_MS } from '../../config/limits/images.ts';
import { imageTags } from '../../domain/archive/keys.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import { MEDIA_TYPES } from '../../domain/media-types.ts';
import { levelScale, TILE_SIZE, type TileAddress } from '../../domain/pixel-grid.ts';
import { DRAWN, RECENT } from '../../http/cache-policy.ts';
import { boolean, decimal, integer } from '../../http/parameters.ts';
import { bytesReply, namedFile } from '../../http/response.ts';
import { addressKey } from '../../picture/key.ts';
import { RECIPE_LIMITS } from '../../picture/limits.ts';
import { type Operations, operationsIn, referenceTime } from '../../picture/operations/operations.ts';
import type { FileFormat } from '../../services/rendering/formats/formats.ts';
import { EXAMPLE_IMAGE } from '../examples.ts';
import { imageHeaders, nearestFacts } from '../images/image-headers.ts';
import { GONE, imageId } from '../images/jp2.ts';
import { operation, type Services } from '../services.ts';
import { fileFormat, fileResponses } from './file-formats.ts';
import { BUSY, operations } from './scene-parameters.ts';

const tileNumber = (description: string) =>
  integer(description, { min: -REQUEST_LIMITS.tileNumber, max: REQUEST_LIMITS.tileNumber });

const position = {
  id: imageId(),
  x: tileNumber('Column of the tile; tile 0 starts at the centre of the image.'),
  y: tileNumber('Row of the tile, downward; tile 0 starts at the centre of the image.'),
  imageScale: decimal('Arcseconds per pixel of the tile.', RECIPE_LIMITS.imageScaleArcsecPerPixel),
};

export const getTile = operation({
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
  example: { id: EXAMPLE_IMAGE, x: -1, y: -1, imageScale: 2.42044088 },
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
    const headers = { ...imageHeaders(image), ...disposition(image.fileName, tile) };
    const drawn = isSketch ? { policy: RECENT } : DRAWN;
    const isCompared = reference && !isSketch;
    const { tags, ...facts } = isCompared ? referenceFacts(reference, tile, image, services) : { ...drawn, tags: [] };
    return bytesReply(MEDIA_TYPES[tile.type], bytes, { ...facts, headers, tags: [...imageTags(image), ...tags] });
  },
});

/** Policy and tags of a difference, for which a late delivery may bring a nearer reference image. */
export function referenceFacts(reference: ArchivedImage, layer: Operations, { takenAtMs }: ArchivedImage, services: Services) {
  const atMs = referenceTime(layer, takenAtMs)!;
  return nearestFacts({ image: reference, isSettled: atMs < services.clock() - SETTLED_AFTER_MS }, atMs, services);
}

/** File name of the original service, which has no ratios: `<image>_<scale>_x<x>_y<y>[_running|_base|_ratio].<ext>`. */
function disposition(fileName: string, { x, y, imageScale, difference, type }: TileAddress & Operations & FileFormat) {
  const base = fileName.replace(/\.jp2$/i, '');
  return namedFile('inline', `${base}_${imageScale}_x${x}_y${y}${difference ? `_${difference.kind}` : ''}.${type}`);
}
