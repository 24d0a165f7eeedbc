// getTile.
import { REQUEST_LIMITS } from '../../config/limits/http.ts';
import { badParameter } from '../../domain/errors.ts';
import { type Difference, NO_DIFFERENCE, TIME_UNITS } from '../../domain/recipe/difference.ts';
import { IMMUTABLE, SETTLED } from '../../http/cache-policy.ts';
import { date, decimal, integer } from '../../http/parameters.ts';
import { bytesReply } from '../../http/representation.ts';
import { imageHeaders } from '../images/image-headers.ts';
import { imageId } from '../images/jp2.ts';
import { operation } from '../services.ts';

const tileNumber = (description: string) =>
  integer(description, { min: -REQUEST_LIMITS.tileNumber, max: REQUEST_LIMITS.tileNumber });

const place = {
  id: imageId(),
  x: tileNumber('Column of the tile; tile 0 begins at the centre of the image.'),
  y: tileNumber('Row of the tile, downward; tile 0 begins at the centre of the image.'),
  imageScale: decimal('Arcseconds per pixel of the tile.', REQUEST_LIMITS.imageScaleArcsecPerPixel),
};

/** A count of time units: 64 bits in the original, of which no archive needs more. */
const MAX_DIFFERENCE_COUNT = 1_000_000_000;

/** Checked even where `difference` is 0, because the web client always sends all four. */
const comparison = {
  difference: integer('0 the image itself, 1 running difference, 2 base difference.', { min: 0, max: 2 }).default(0),
  diffCount: integer('Running difference: how many units of time back.', {
    min: -MAX_DIFFERENCE_COUNT,
    max: MAX_DIFFERENCE_COUNT,
  }).optional(),
  diffTime: integer('Running difference: 0 seconds, 1 minutes, 2 hours, 3 days, 4 weeks, 5 months, 6 years.', {
    min: 0,
    max: 6,
  }).optional(),
  baseDiffTime: date('Base difference: time of the image that is taken off.').optional(),
};

/** The parameters that say what the image is compared with; those that do not matter are absent. */
interface Comparison {
  readonly difference?: number | undefined;
  readonly diffCount?: number | undefined;
  readonly diffTime?: number | undefined;
  readonly baseDiffTime?: number | undefined;
}

export const getTile = operation({
  name: 'getTile',
  summary: 'A tile of an image in colour: 512x512 pixels, PNG.',
  tag: 'Images',
  responses: { 'image/png': 'The tile; transparent where there is no image.' },
  parameters: { ...place, ...comparison },
  parametersInV1: place,
  jsonp: false,
  edge: 'shared',
  canonical: ({ id, x, y, imageScale, difference = 0, diffCount = 0, diffTime = 0, baseDiffTime }) => {
    if (difference === 2 && baseDiffTime === undefined) {
      throw badParameter('baseDiffTime', 'a UTC date, which difference=2 needs,', undefined);
    }
    const running: Comparison = { difference, diffCount, diffTime };
    const base: Comparison = { difference, baseDiffTime };
    return { id, x, y, imageScale, ...(difference === 0 ? {} : difference === 1 ? running : base) };
  },
  key: (canonical) => canonical,
  handle: async (tile, { services, stopwatch, waitUntil }) => {
    const difference = differenceOf(tile);
    const { image, png } = await services.tiles.tile({ ...tile, difference }, { stopwatch, waitUntil });
    const headers = { ...imageHeaders(image), 'Content-Disposition': disposition(image.fileName, tile, difference) };
    // A late delivery may bring a nearer image to compare with.
    const policy = difference.kind === 'none' ? IMMUTABLE : SETTLED;
    // So no date of a difference may say that it has not changed.
    const dated = difference.kind === 'none' ? { lastModifiedMs: image.takenAtMs } : {};
    return bytesReply('image/png', png, { policy, headers, ...dated });
  },
});

function differenceOf({ difference = 0, diffCount = 0, diffTime = 0, baseDiffTime }: Comparison): Difference {
  if (difference === 1) return { kind: 'running', count: diffCount, unit: TIME_UNITS[diffTime] ?? 'minute' };
  return baseDiffTime === undefined ? NO_DIFFERENCE : { kind: 'base', atMs: baseDiffTime };
}

/** Added to the file name of a difference. */
const SUFFIXES: Readonly<Record<Difference['kind'], string>> = { none: '', running: '_running', base: '_base' };

/** The name that the original service gives a saved tile: `<image>_<scale>_x<x>_y<y>[_running|_base].png`. */
function disposition(
  fileName: string,
  { x, y, imageScale }: { x: number; y: number; imageScale: number },
  { kind }: Difference,
): string {
  const base = fileName.replace(/\.jp2$/i, '').replace(/[^\w.+-]/g, '_');
  return `inline; filename="${base}_${imageScale}_x${x}_y${y}${SUFFIXES[kind]}.png"`;
}
