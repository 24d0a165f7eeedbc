// Parameters that pictures share: of screenshots, movies and tiles, and of their files.

import { FORMATS, IMAGE_TYPES } from '../../archive/drawing/formats/formats.ts';
import { RECIPE_LIMITS } from '../../picture/limits.ts';
import { LAYER_PARAMETERS, OPERATIONS } from '../../picture/operations/operations.ts';
import { OVERLAYS } from '../../picture/overlays/overlays.ts';
import type { ParameterName, ParameterNamed, Parametrised, PictureParameter } from '../../picture/parameter.ts';
import { PROJECTIONS } from '../../picture/projections/projections.ts';
import {
  boolean,
  choice,
  date,
  decimal,
  integer,
  jsonObject,
  jsonObjectOrItsText,
  jsonObjectOrText,
  notation,
  textList,
} from '../../platform/http/parameters.ts';
import { MEDIA_TYPES } from '../../platform/http/response.ts';

const arcsec = (description: string) => {
  const most = RECIPE_LIMITS.coordinateArcsec;
  return decimal(`${description} Arcseconds from the Sun's centre.`, { min: -most, max: most }).optional();
};
const pixels = (description: string) => decimal(description, { min: 0, max: RECIPE_LIMITS.requestedSidePixels }).optional();

/** For operations that draw. */
export const BUSY = {
  503: { description: 'Too many pictures are drawn at once. Retry-After says when to try again.', headers: ['Retry-After'] },
} as const;

export const imageScale = decimal(
  `Arcseconds per pixel. Made coarser if a side would exceed ${RECIPE_LIMITS.sidePixels} pixels.`,
  RECIPE_LIMITS.imageScaleArcsecPerPixel,
);

export const layers = notation('Layers from the bottom to the top: groups of source, visible and opacity.', {
  what: 'layers like [13,1,100]',
  example: '[13,1,100],[4,1,100]',
});

/** y is downward in all of them. */
export const fieldOfView = {
  x1: arcsec('Left side of the field of view; x1, y1, x2 and y2 together override x0, y0, width and height.'),
  y1: arcsec('Upper side of the field of view, y downward.'),
  x2: arcsec('Right side of the field of view.'),
  y2: arcsec('Lower side of the field of view.'),
  x0: arcsec('Centre of the field of view.'),
  y0: arcsec('Centre of the field of view, y downward.'),
  width: pixels('Width in pixels of the field of view around x0, y0.'),
  height: pixels('Height in pixels of the field of view around x0, y0.'),
};

type Typed<T extends PictureParameter['type']> = Extract<PictureParameter, { readonly type: T }>;

const schemas = {
  flag: ({ description, byDefault }: Typed<'flag'>) => boolean(description).default(byDefault),
  choice: <W extends string>({ description, words, byDefault }: Typed<'choice'> & { readonly words: readonly W[] }) => {
    const schema = choice<W>(description, words);
    return byDefault === undefined ? schema.optional() : schema.default(byDefault as never);
  },
  arcsec: ({ description }: Typed<'arcsec'>) => arcsec(description),
  integer: ({ description, byDefault, ...range }: Typed<'integer'>) =>
    byDefault === undefined ? integer(description, range).optional() : integer(description, range).default(byDefault),
  date: ({ description }: Typed<'date'>) => date(description).optional(),
  text: ({ description, what, example }: Typed<'text'>) => notation(description, { what, example, mayBeEmpty: true }).optional(),
};

type SchemaOf<P> = P extends PictureParameter ? ReturnType<(typeof schemas)[P['type']]> : never;
type SchemasOf<R extends Parametrised> = { readonly [N in ParameterName<R>]: SchemaOf<ParameterNamed<R, N>> };

function schemasOf<R extends Parametrised>(records: readonly R[]): SchemasOf<R> {
  const parameters = records.flatMap((record) => Object.entries(record.parameters));
  return Object.fromEntries(
    parameters.map(([name, parameter]) => [name, schemas[parameter.type](parameter as never)]),
  ) as SchemasOf<R>;
}

export const overlays = schemasOf(OVERLAYS);
/** Those that movies of v1 have. */
export const overlaysInV1 = schemasOf(OVERLAYS.filter(({ isInV1 }) => isInV1));

/** Operations on a single image, those of them that need no other image, and operations on the layers of a picture. */
export const operations = schemasOf(OPERATIONS);
export const plainOperations = schemasOf(
  OPERATIONS.filter(
    (record): record is Exclude<(typeof OPERATIONS)[number], { readonly referenceMs: unknown }> => !('referenceMs' in record),
  ),
);
export const layerOperations = schemasOf(LAYER_PARAMETERS);

export const switchSources = boolean('Uses EIT for AIA and MDI for HMI at times before their first images.').default(false);

/** The plane of the picture, or another view of the Sun. */
export const projection = notation(
  `How the Sun is shown, which x1, y1, x2 and y2 are then a part of; the plane when absent. ${Object.values(PROJECTIONS)
    .map(({ description }) => description)
    .join(' ')} Movies turn between two spheres joined by a semicolon.`,
  { what: 'a projection like sphere,20,-5', example: 'sphere,20,-5' },
).optional();

const labels = () => boolean('Labels the events of the notation.').optional();

/** Clients use both spellings. */
export const eventLabels = { eventLabels: labels(), eventsLabels: labels() };

export const eventsNotation = notation('Events: groups of pin, recognition methods and visible; empty for none.', {
  what: 'events like [FL,all,1]',
  example: '[AR,all,1]',
  mayBeEmpty: true,
}).optional();

const SELECTIONS = `Events: at most ${RECIPE_LIMITS.selections} paths like HEK>>Flare>>SWPC, of types, methods, groups or single events.`;

/** Paths in queries, joined by semicolons. */
export const eventSelections = notation(`${SELECTIONS} Separated by ;. Overrides \`events\`.`, {
  what: 'paths like HEK>>Flare separated by ;',
  example: 'HEK>>Flare;WSA>>Coronal Hole>>AGONG',
  mayBeEmpty: true,
}).optional();

/** The events as objects: `event_selections` takes precedence, then `eventsState`. */
export const eventsObjects = {
  event_selections: textList(`${SELECTIONS} Overrides \`eventsState\`.`, ['HEK>>Flare', 'RHESSI']),
  event_visibility_selections: jsonObject(
    'By source: marker_visibility and label_visibility of the events of event_selections. What is missing is true.',
  ).optional(),
  eventsState: jsonObjectOrItsText('Events: layers and label visibility for each tree_<SOURCE>.').optional(),
  events: jsonObjectOrText('Alternative name of eventsState, or events in their notation.').optional(),
};

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
