// Parameters that screenshots and movies share.
import type { OverlayParameter, OverlayRecord } from '../../domain/overlays/overlay.ts';
import { OVERLAYS, type ParameterName, type ParameterNamed } from '../../domain/overlays/overlays.ts';
import { boolean, choice, decimal, jsonObject, jsonObjectOrText, notation, textList } from '../../http/parameters.ts';
import { RECIPE_LIMITS } from '../../picture/limits.ts';

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

const overlaySchemas = {
  flag: ({ description, byDefault }: OverlayParameter & { type: 'flag' }) => boolean(description).default(byDefault),
  choice: ({ description, words }: OverlayParameter & { type: 'choice' }) => choice(description, words).optional(),
  arcsec: ({ description }: OverlayParameter) => arcsec(description),
  text: ({ description, what, example }: OverlayParameter & { type: 'text' }) =>
    notation(description, { what, example, mayBeEmpty: true }).optional(),
};

type OverlaySchema<P> = P extends OverlayParameter ? ReturnType<(typeof overlaySchemas)[P['type']]> : never;
type OverlaySchemas<R extends OverlayRecord> = { readonly [N in ParameterName<R>]: OverlaySchema<ParameterNamed<R, N>> };

function schemasOf<R extends OverlayRecord>(records: readonly R[]): OverlaySchemas<R> {
  const parameters = records.flatMap((record) => Object.entries(record.parameters));
  const schemas = parameters.map(([name, parameter]) => [name, overlaySchemas[parameter.type](parameter as never)]);
  return Object.fromEntries(schemas) as OverlaySchemas<R>;
}

type Known = (typeof OVERLAYS)[number];
type InV1 = Extract<Known, { isInV1: true }>;

const isInV1 = (record: Known): record is InV1 => record.isInV1;

export const overlays = schemasOf(OVERLAYS);
/** Those that movies of v1 have, and the others. */
export const overlaysInV1 = schemasOf(OVERLAYS.filter(isInV1));
export const laterOverlays = schemasOf(OVERLAYS.filter((record): record is Exclude<Known, InV1> => !isInV1(record)));

export const switchSources = boolean('Uses EIT for AIA and MDI for HMI at times before their first images.').default(false);

const labels = () => boolean('Labels the events of the notation.').optional();

/** Clients use both spellings. */
export const eventLabels = { eventLabels: labels(), eventsLabels: labels() };

export const eventsNotation = notation('Events: groups of pin, recognition methods and visible; empty for none.', {
  what: 'events like [FL,all,1]',
  example: '[AR,all,1]',
  mayBeEmpty: true,
}).optional();

const SELECTIONS = `Events: at most ${RECIPE_LIMITS.selections} paths like HEK>>Flare>>SWPC, of types, methods, groups or single events.`;

/** Of queries, which join the paths. */
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
  eventsState: jsonObject('Events: layers and label visibility for each tree_<SOURCE>.').optional(),
  events: jsonObjectOrText('Alternative name of eventsState, or events in their notation.').optional(),
};
