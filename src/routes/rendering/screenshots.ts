// takeScreenshot, postScreenshot, downloadScreenshot.
import { imageTag } from '../../domain/image.ts';
import { recipeFromScreenshotParameters, type ScreenshotParameters } from '../../domain/recipe/from-parameters.ts';
import { IMMUTABLE, NO_STORE } from '../../http/cache-policy.ts';
import { boolean, date, integer } from '../../http/parameters.ts';
import { bytesReply, jsonReply, type Representation } from '../../http/representation.ts';
import { noticeHeader } from '../../http/response-headers.ts';
import type { FramePlan } from '../../services/rendering/frame-plan.ts';
import { sourcesHeader } from '../events/events.ts';
import { pictureHeaders } from '../images/image-headers.ts';
import { storedFile } from '../images/stored-file.ts';
import { type Context, operation } from '../services.ts';
import * as scene from './scene-parameters.ts';

const PNG_TYPE = 'image/png';

const parameters = {
  date: date('Each layer shows its image nearest to this time.'),
  imageScale: scene.imageScale,
  layers: scene.layers,
  ...scene.fieldOfView,
  ...scene.overlays,
  ...scene.eventLabels,
  switchSources: scene.switchSources,
  display: boolean('Returns the picture instead of its id.').default(false),
};

type ScreenshotRequest = ReturnType<typeof screenshotRequest>;

function screenshotRequest({ display, ...values }: ScreenshotParameters & { readonly display: boolean }) {
  return { ...recipeFromScreenshotParameters(values), display };
}

async function take({ recipe, adjusted, remarks, display }: ScreenshotRequest, context: Context): Promise<Representation> {
  const { screenshots, settings } = context.services;
  const headersOf = (plan: FramePlan) => ({
    ...pictureHeaders(plan, settings.farImageSeconds),
    ...(adjusted ? { 'X-Image-Scale-Adjusted': 'true' } : {}),
    ...noticeHeader(remarks),
  });
  if (display) {
    const { fileName, png, plan, sources } = await screenshots.show(recipe, context);
    const disposition = { 'Content-Disposition': `inline; filename="${fileName}"` };
    return bytesReply(PNG_TYPE, png, {
      policy: NO_STORE,
      headers: { ...headersOf(plan), ...sourcesHeader(sources), ...disposition },
    });
  }
  const { id, plan } = await screenshots.take(recipe, context);
  return jsonReply({ id }, { policy: NO_STORE, headers: headersOf(plan) });
}

const common = {
  tag: 'Screenshots',
  responses: {
    'application/json': '{id}: a number for downloadScreenshot.',
    'image/png': 'With display: the picture, which is not stored.',
    'text/javascript': 'The JSON as JSONP.',
  },
  jsonp: true,
  // Scripts and pages put addresses of screenshots together by hand.
  absentWords: true,
  hasSideEffects: true,
  edge: 'none',
} as const;

export const takeScreenshot = operation({
  ...common,
  name: 'takeScreenshot',
  summary: 'Takes a picture of one or more layers, which downloadScreenshot renders.',
  parameters: { ...parameters, events: scene.eventsNotation },
  canonical: screenshotRequest,
  handle: take,
});

export const postScreenshot = operation({
  ...common,
  name: 'postScreenshot',
  summary: 'Takes a picture as takeScreenshot does, with the events as an object.',
  method: 'post',
  parameters: { ...parameters, ...scene.eventsObjects },
  canonical: screenshotRequest,
  handle: take,
});

export const downloadScreenshot = operation({
  name: 'downloadScreenshot',
  summary: 'A screenshot as a file.',
  tag: 'Screenshots',
  responses: { 'image/png': 'The screenshot.' },
  otherResponses: {
    404: 'No screenshot has the id, or it has expired.',
    410: 'One of its images has been withdrawn or replaced.',
  },
  parameters: { id: integer('Screenshot id, as in takeScreenshot.', { min: 1, max: Number.MAX_SAFE_INTEGER }) },
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
      // Not the creation time of the row, because a file that was rendered again may differ.
      lastModifiedMs: stored.uploadedAtMs,
      tags: plan.layers.flatMap(({ image, reference }) =>
        [image, ...(reference ? [reference] : [])].map(({ id }) => imageTag(id)),
      ),
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
