// takeScreenshot, postScreenshot, downloadScreenshot.
import { recipeFromScreenshotParameters, type ScreenshotParameters } from '../../domain/recipe/from-parameters.ts';
import { parseRecipeString, recipeString } from '../../domain/recipe/recipe-string.ts';
import { IMMUTABLE, NO_STORE } from '../../http/cache-policy.ts';
import { boolean, date, integer } from '../../http/parameters.ts';
import { bytesReply, jsonReply, type Representation } from '../../http/representation.ts';
import { sourcesHeader } from '../events/events-header.ts';
import { pictureHeaders } from '../images/image-headers.ts';
import { storedFile } from '../images/stored-file.ts';
import { type Context, operation } from '../services.ts';
import * as scene from './scene-parameters.ts';

const PNG_TYPE = 'image/png';

const parameters = {
  date: date('Each layer shows its image that is nearest to this time.'),
  imageScale: scene.imageScale,
  layers: scene.layers,
  ...scene.fieldOfView,
  ...scene.overlays,
  ...scene.eventLabels,
  switchSources: scene.switchSources,
  display: boolean('Answers with the picture instead of its id.').default(false),
};

type Wanted = {
  /** Canonical string. */
  readonly recipe: string;
  /** Whether the scale is coarser than the one asked for. */
  readonly adjusted: boolean;
  readonly display: boolean;
};

function wanted({ display, ...values }: ScreenshotParameters & { readonly display: boolean }): Wanted {
  const { recipe, adjusted } = recipeFromScreenshotParameters(values);
  return { recipe: recipeString(recipe), adjusted, display };
}

async function take({ recipe, adjusted, display }: Wanted, context: Context): Promise<Representation> {
  const { services } = context;
  const { id, fileName, png, stored, plan, sources } = await services.screenshots.take(parseRecipeString(recipe), context);
  const headers = {
    ...pictureHeaders(plan, services.settings.farImageSeconds),
    ...sourcesHeader(sources),
    ...(adjusted ? { 'X-Image-Scale-Adjusted': 'true' } : {}),
  };
  if (!display) return jsonReply({ id }, { policy: NO_STORE, headers });
  const disposition = { 'Content-Disposition': `inline; filename="${fileName}"` };
  return {
    contentType: PNG_TYPE,
    bytes: png,
    etag: stored.etag,
    policy: NO_STORE,
    headers: { ...headers, ...disposition },
    lastModifiedMs: undefined,
  };
}

const taking = {
  tag: 'Screenshots',
  responses: {
    'application/json': '{id}: a number, for downloadScreenshot.',
    'image/png': 'With display: the picture.',
    'text/javascript': 'The JSON as JSONP.',
  },
  jsonp: true,
  hasSideEffects: true,
  edge: 'own',
} as const;

export const takeScreenshot = operation({
  ...taking,
  name: 'takeScreenshot',
  summary: 'Draws a picture of one or more layers and keeps it.',
  parameters: { ...parameters, events: scene.eventsNotation },
  canonical: wanted,
  handle: take,
});

export const postScreenshot = operation({
  ...taking,
  name: 'postScreenshot',
  summary: 'Draws a picture as takeScreenshot does; the events come as an object.',
  method: 'post',
  parameters: { ...parameters, ...scene.eventsObjects },
  canonical: wanted,
  handle: take,
});

export const downloadScreenshot = operation({
  name: 'downloadScreenshot',
  summary: 'A screenshot as a file.',
  tag: 'Screenshots',
  responses: { 'image/png': 'The screenshot.' },
  parameters: { id: integer('Screenshot, as takeScreenshot names it.', { min: 1, max: Number.MAX_SAFE_INTEGER }) },
  jsonp: false,
  edge: 'own',
  canonical: (values) => values,
  handle: async ({ id }, context) => {
    const { key, fileName, stored, plan, png, sources } = await context.services.screenshots.file(id, context);
    const headers = {
      ...pictureHeaders(plan, context.services.settings.farImageSeconds),
      ...sourcesHeader(sources),
      'Content-Disposition': `attachment; filename="${fileName}"`,
    };
    if (!stored) return bytesReply(PNG_TYPE, png, { policy: NO_STORE, headers });
    const facts = {
      policy: IMMUTABLE,
      headers,
      // Not that of the row: a file that was drawn again may differ.
      lastModifiedMs: stored.uploadedAtMs,
    };
    const file = { contentType: PNG_TYPE, etag: stored.etag };
    if (png) return { ...facts, ...file, bytes: png };
    return storedFile(
      { ...file, key, edgeKey: `screenshot?id=${id}&etag=${encodeURIComponent(stored.etag)}`, length: stored.size },
      facts,
      context,
    );
  },
});
