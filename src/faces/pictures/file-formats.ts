// Parameters and responses of pictures as files.
import { FORMATS, IMAGE_TYPES } from '../../archive/drawing/formats/formats.ts';
import { MEDIA_TYPES } from '../../platform/http/media-types.ts';
import { choice, integer } from '../../platform/http/parameters.ts';

const RECORDS = Object.values(FORMATS);
const listOf = (words: readonly string[]): string => words.join(', ').replace(/, (?=[^,]*$)/, ' or ');

/** `PNG, JPEG or WebP` */
export const FORMAT_NAMES = listOf(RECORDS.map(({ name }) => name));
/** `png, jpg or webp` */
export const TYPE_NAMES = listOf(IMAGE_TYPES);

const LOSSY = RECORDS.flatMap((format) => ('lossy' in format ? [format] : []));
const limits = LOSSY.flatMap(({ name, lossy }) =>
  'mostPixels' in lossy ? [`${name} of at most ${lossy.mostPixels.width}x${lossy.mostPixels.height} pixels`] : [],
);

export const quality = integer(`Of ${listOf(LOSSY.map(({ name }) => name))}: from small to fine. Limit: ${limits.join(', ')}.`, {
  min: 1,
  max: 100,
}).optional();

export const fileFormat = { type: choice('Format.', IMAGE_TYPES).default('png'), quality };

export const fileResponses = (what: string): Readonly<Record<string, string>> =>
  Object.fromEntries(IMAGE_TYPES.map((type, i) => [MEDIA_TYPES[type], i === 0 ? what : `With type=${type}.`]));
