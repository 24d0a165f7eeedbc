// takeScreenshot, postScreenshot, downloadScreenshot, getEclipseImage.
import { z } from '@hono/zod-openapi';
import type { FileFormat } from '../../archive/drawing/formats/formats.ts';
import type { FramePlan } from '../../archive/drawing/frame-renderer.ts';
import { RECIPE_LIMITS } from '../../picture/limits.ts';
import { recipeFromScreenshotParameters, type ScreenshotParameters } from '../../picture/recipe.ts';
import { boolean, date, type HeaderName, integer, jsonBody, named } from '../../platform/http/parameters.ts';
import { bytesReply, DRAWN, jsonReply, MEDIA_TYPES, NO_STORE, namedFile, RECENT } from '../../platform/http/response.ts';
import { badParameter } from '../../platform/util/errors.ts';
import { sourcesHeader } from '../events/events.ts';
import { PICTURE_HEADERS, pictureHeaders, pictureTags } from '../images/image-headers.ts';
import { storedFile } from '../images/jp2.ts';
import { type Context, operation } from '../services.ts';
import * as scene from './scene-parameters.ts';
import { BUSY, fileFormat, fileResponses, layerOperations, operations } from './scene-parameters.ts';

const screenshotId = () =>
  named('ScreenshotId', 'A stored screenshot.', { id: z.int().min(1).describe('Id of the picture, for downloadScreenshot.') });

const parameters = {
  date: date('Each layer shows its image nearest to this time.'),
  imageScale: scene.imageScale,
  layers: scene.layers,
  ...scene.fieldOfView,
  ...scene.overlays,
  ...scene.eventLabels,
  switchSources: scene.switchSources,
  projection: scene.projection,
  ...scene.layerOperations,
  display: boolean('Returns the picture instead of its id.').default(false),
  ...fileFormat,
  type: fileFormat.type.describe('Format with `display`. Files of an id have theirs from downloadScreenshot.'),
};

function screenshotRequest({
  display,
  type,
  quality,
  ...values
}: ScreenshotParameters & FileFormat & { readonly display: boolean }) {
  return { ...recipeFromScreenshotParameters(values), display, format: { type, quality } };
}

async function take({ recipe, adjusted, remarks, display, format }: ReturnType<typeof screenshotRequest>, context: Context) {
  const { screenshots, projections } = context.services;
  await projections.check(recipe, recipe.atMs);
  const headersOf = (plan: FramePlan) => ({ ...pictureHeaders(plan), ...(adjusted ? { 'X-Image-Scale-Adjusted': 'true' } : {}) });
  if (display) {
    const { fileName, bytes, plan, sources } = await screenshots.show(recipe, format, context);
    return bytesReply(MEDIA_TYPES[format.type], bytes, {
      policy: NO_STORE,
      notices: remarks,
      headers: { ...headersOf(plan), ...sourcesHeader(sources), ...namedFile('inline', fileName) },
    });
  }
  const { id, plan } = await screenshots.take(recipe, context);
  return jsonReply<typeof screenshotId>({ id }, { policy: NO_STORE, notices: remarks, headers: headersOf(plan) });
}

const SCREENSHOT_HEADERS: readonly HeaderName[] = [...PICTURE_HEADERS, 'X-Events-Sources', 'X-Image-Scale-Adjusted'];

const common = {
  tag: 'Screenshots',
  responses: {
    'application/json': jsonBody('The id of the picture, for downloadScreenshot.', screenshotId),
    ...fileResponses('With `display`: the picture, which is not stored.'),
  },
  headers: SCREENSHOT_HEADERS,
  otherResponses: { 404: 'A datasource has no images.', ...BUSY },
  jsonp: true,
  // Scripts and pages put addresses of screenshots together by hand.
  absentWords: true,
  hasSideEffects: ({ display }: { readonly display: boolean }) => !display,
  edge: 'none',
} as const;

const takeScreenshot = operation({
  ...common,
  name: 'takeScreenshot',
  summary: 'Takes a picture of one or more layers, which downloadScreenshot renders.',
  description:
    `Up to ${RECIPE_LIMITS.layers} layers, from the bottom to the top, each with its image nearest to \`date\`. The field of view is given by its ` +
    'corners x1, y1, x2 and y2, or by its centre x0, y0 and its width and height in pixels; y is downward. The response is an id, or ' +
    `the picture with \`display=true\`. A picture has at most ${RECIPE_LIMITS.sidePixels}x${RECIPE_LIMITS.sidePixels} pixels; a finer ` +
    '`imageScale` is made coarser.',
  parameters: { ...parameters, events: scene.eventsNotation, event_selections: scene.eventSelections },
  canonical: screenshotRequest,
  handle: take,
});

const postScreenshot = operation({
  ...common,
  name: 'postScreenshot',
  summary: 'Takes a picture as takeScreenshot does, with the events as an object.',
  description:
    'The parameters of takeScreenshot as a JSON object. `event_selections` or `eventsState` select events by source, type, method and single event.',
  method: 'post',
  parameters: { ...parameters, ...scene.eventsObjects },
  canonical: screenshotRequest,
  handle: take,
});

const downloadScreenshot = operation({
  name: 'downloadScreenshot',
  summary: 'A screenshot as a file.',
  description:
    'The picture of an id of takeScreenshot. It is drawn again when its file has expired, and each time as another type than PNG.',
  tag: 'Screenshots',
  responses: fileResponses('The screenshot.'),
  headers: SCREENSHOT_HEADERS,
  otherResponses: {
    404: 'No screenshot has the id, or it has expired.',
    410: 'One of its images has been withdrawn or replaced.',
    ...BUSY,
  },
  parameters: { id: integer('Screenshot id, as in takeScreenshot.', { min: 1, max: Number.MAX_SAFE_INTEGER }), ...fileFormat },
  edge: 'given',
  canonical: ({ id, ...format }) => ({ id, format }),
  handle: async ({ id, format }, context) => {
    const { key, fileName, stored, plan, bytes, sources } = await context.services.screenshots.file(id, format, context);
    const headers = { ...pictureHeaders(plan), ...sourcesHeader(sources), ...namedFile('attachment', fileName) };
    if (!stored) return bytesReply(MEDIA_TYPES[format.type], bytes, { policy: NO_STORE, headers });
    const facts = { ...DRAWN, headers, tags: pictureTags(plan) };
    const file = { contentType: MEDIA_TYPES.png, etag: stored.etag };
    if (bytes) return { ...facts, ...file, bytes };
    return storedFile({ ...file, key, length: stored.size }, facts, context);
  },
});

const getEclipseImage = operation({
  name: 'getEclipseImage',
  summary: 'The current corona: the newest image of LASCO C2 in grey, 800x800 pixels of 15 arcseconds.',
  description: 'Shows the corona as at a total eclipse. The picture changes with the newest image.',
  tag: 'Screenshots',
  responses: { [MEDIA_TYPES.png]: 'The picture.' },
  headers: PICTURE_HEADERS,
  otherResponses: { 404: 'There is no image of LASCO C2.', ...BUSY },
  parameters: { moon: boolean('Draws a moon in front of the Sun.').default(true) },
  edge: 'shared',
  canonical: (values, raw) => {
    const name = Object.keys({ ...layerOperations, ...operations }).find((one) => raw.has(one));
    if (name !== undefined)
      throw badParameter(name, 'no value for the eclipse, which is always the same picture,', raw.get(name)!.at(-1));
    return values;
  },
  handle: async ({ moon }, context) => {
    const { plan, png } = await context.services.eclipses.now(moon, context);
    const headers = { ...pictureHeaders(plan), ...namedFile('inline', 'eclipse.png') };
    return bytesReply(MEDIA_TYPES.png, png, { policy: RECENT, headers, tags: pictureTags(plan) });
  },
});

export const screenshots = [takeScreenshot, postScreenshot, downloadScreenshot, getEclipseImage];
