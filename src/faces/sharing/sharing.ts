// checkVideoHostAuth, getVideoHostAuth, uploadMovieToVideoHost and getUserVideos, with original names, and getObservationDateVideos.

import { z } from '@hono/zod-openapi';
import { isFromOwnPage, sessionCookie, sessionToken } from '../../platform/http/credentials.ts';
import { acceptsPage, htmlReply, type SmallPage } from '../../platform/http/html.ts';
import type { OtherResponse } from '../../platform/http/operation.ts';
import {
  boolean,
  date,
  dateTimeText,
  integer,
  jsonBody,
  name,
  named,
  notation,
  number,
  object,
  text,
  whole,
} from '../../platform/http/parameters.ts';
import { jsonReply, NO_STORE, type Representation, redirectReply } from '../../platform/http/response.ts';
import { DETAIL_LIMITS, SHARING, USER_VIDEOS } from '../../platform/limits/sharing.ts';
import { badParameter, Failure } from '../../platform/util/errors.ts';
import { escapeHtml } from '../../platform/util/markup.ts';
import type { Share } from '../../sharing/videos/d1-video-shares.ts';
import { type VideoDetails, videoDetails } from '../../sharing/videos/share.ts';
import { watchAddress } from '../../sharing/videos/user-videos.ts';
import type { VideoSharingService } from '../../sharing/videos/video-sharing.ts';
import { previews } from '../movies/movie-status.ts';
import type { Context, ServiceOperation } from '../services.ts';
import { failurePage, namingHost, operation, paragraph, serviceOrigin } from '../services.ts';

/** checkVideoHostAuth. */
const isAuthorised = () => z.boolean().describe('Whether this browser session is authorised.');

/** uploadMovieToVideoHost. */
const shareStatus = () =>
  named('ShareStatus', null, {
    status: text("'upload in progress.', 'uploaded.', 'upload failed.' or 'removed from the video host.'"),
    progress: z.number().min(0).max(1).describe('Part of the bytes that are sent.'),
    url: text('Address of the published video.').optional(),
    error: text('The reason of a failure.').optional(),
  });

const videoFields = () => ({
  id: text('Id of the movie.'),
  url: text('Address of the video at the host.'),
  published: dateTimeText('Time of its publication.'),
  title: z.string(),
  description: z.string(),
  keywords: text('Separated by commas.'),
  dataSourceString: text('Its layers in their notation.'),
  eventSourceString: text('Its events in their notation.'),
  movieLength: text('Seconds.'),
  startDate: dateTimeText('Time of the first frame.'),
  endDate: dateTimeText('Time of the last frame.'),
});

const userVideos = () =>
  z.array(
    named('UserVideo', 'A shared movie. Numbers are texts, as in the original service.', {
      ...videoFields(),
      thumbnails: previews('Addresses of the previews.'),
      imageScale: text('Arcseconds per pixel.'),
      width: text('Pixels.'),
      height: text('Pixels.'),
    }),
  );

const region = () =>
  object('Field of view in pixels from disk centre, y down.', {
    top: z.number(),
    left: z.number(),
    bottom: z.number(),
    right: z.number(),
    width: z.number(),
    height: z.number(),
    imageScale: number('Arcseconds per pixel.'),
  });

const observationVideos = () =>
  z.array(
    named('ObservationVideo', 'A shared movie that covers the requested time.', {
      ...videoFields(),
      thumbnails: z.object({ small: z.string(), medium: z.string() }),
      imageScale: number('Arcseconds per pixel.'),
      width: whole('Pixels.'),
      height: whole('Pixels.'),
      roi: region(),
    }),
  );

const REFRESH_SECONDS = 5;

/** Status texts; clients compare the first one. */
const STATUSES: Readonly<Record<Share['status'], string>> = {
  pending: 'upload in progress.',
  uploading: 'upload in progress.',
  done: 'uploaded.',
  failed: 'upload failed.',
  gone: 'removed from the video host.',
};

/** Fraction of the bytes sent, 0 to 1. */
function progressOf({ status, sentBytes, fileSize }: Share): number {
  if (status === 'done') return 1;
  return fileSize === 0 ? 0 : Math.round((sentBytes / fileSize) * 1000) / 1000;
}

/** @param watchUrl Address of the published video, null before it is published */
function sharePage(share: Share, watchUrl: string | null): SmallPage {
  const { title } = share.details;
  if (watchUrl !== null) {
    const link = `<p><a href="${escapeHtml(watchUrl)}" rel="noreferrer">${escapeHtml(watchUrl)}</a></p>`;
    return { title, body: `${paragraph('The movie has been uploaded. The video host may need a minute to show it.')}\n${link}` };
  }
  if (share.status === 'failed') {
    const fields = `<input type="hidden" name="id" value="${escapeHtml(share.movieId)}"><input type="hidden" name="html" value="true">`;
    const form = `<form method="post" action="${UPLOAD_PATH}">${fields}<button>Try again</button></form>`;
    return { title, body: `${paragraph(`The upload failed. ${share.reason ?? ''}`)}\n${form}` };
  }
  const percent = Math.round(progressOf(share) * 100);
  const bar = `<progress max="100" value="${percent}">${percent} %</progress>`;
  const body = `${paragraph('The upload is in progress. This page may be closed: it goes on by itself.')}\n<p>${bar}</p>`;
  return { title, body, refreshSeconds: REFRESH_SECONDS };
}

const NOT_SHARED = 'The movie was not shared';
const TAG = 'Video host';
const COOKIE = 'helioedge-sharing';
const UPLOAD_PATH = '/v2/uploadMovieToVideoHost/';

/** Constant, because the redirect URI is registered at the host: the id of the movie is stored with the state instead. */
const returnAddress = (context: Context): string => `${serviceOrigin(context)}${UPLOAD_PATH}?html=true`;

const statusAddress = (context: Context, movieId: string): string =>
  `${serviceOrigin(context)}${UPLOAD_PATH}?${new URLSearchParams({ id: movieId, html: 'true' })}`;

const tokenOf = (context: Context): string | null => sessionToken(context.headers, COOKIE, serviceOrigin(context));

function sharingOf({ services }: Context): VideoSharingService {
  if (services.sharing.videoSharing) return services.sharing.videoSharing;
  throw new Failure('unsupported', 'Sharing is not enabled on this server.');
}

const movie = () => name('Id of the movie, from queueMovie.');
const { titleCharacters, descriptionBytes, tagCharacters, tagsCharacters } = DETAIL_LIMITS;
const title = () =>
  notation(`Title of the video: 1 to ${titleCharacters} characters.`, { what: 'the title of the video', example: 'The Sun' });
const entered = {
  description: notation(`Description of the video: at most ${descriptionBytes} bytes.`, {
    what: 'the description of the video',
    example: 'A day of the Sun.',
    mayBeEmpty: true,
  }),
  tags: notation(`Tags separated by commas: 1 to ${tagCharacters} characters each, ${tagsCharacters} together.`, {
    what: 'tags separated by commas',
    example: 'sun,corona',
    mayBeEmpty: true,
  }),
};
const share = () => boolean('Lists the video in getUserVideos.').default(false);

/** A failure, as a page with `html` and where a browser opens the address. */
const orPage = (description: string): OtherResponse => ({
  description,
  content: { 'text/html': 'With `html`, or for a browser: the reason.' },
});

const REFUSALS = {
  400: orPage('A parameter is missing or invalid, or no video host is configured.'),
  404: orPage('No movie has this id.'),
  409: orPage('The movie is not finished, or already shared.'),
  502: orPage('The video host refused.'),
} as const;

const checkVideoHostAuth = operation({
  name: 'checkVideoHostAuth',
  summary: 'Whether this browser session is authorised at the video host.',
  tag: TAG,
  description: 'False also where no video host is configured.',
  responses: { 'application/json': jsonBody('Whether it is authorised.', isAuthorised) },
  jsonp: true,
  edge: 'none',
  handle: async (_values, context) => {
    const isKnown = await context.services.sharing.videoSharing?.isAuthorised(tokenOf(context));
    return jsonReply<typeof isAuthorised>(isKnown ?? false, { policy: NO_STORE });
  },
});

const getVideoHostAuth = operation({
  name: 'getVideoHostAuth',
  summary: 'Redirects to the video host for the permission to share a movie.',
  description: 'Opened in a browser. After the permission the host redirects to uploadMovieToVideoHost, and the upload begins.',
  tag: TAG,
  responses: {},
  otherResponses: {
    302: { description: 'The page of the video host is at Location.', headers: ['Set-Cookie'] },
    ...REFUSALS,
  },
  parameters: { id: movie(), title: title(), ...entered, share: share() },
  hasSideEffects: true,
  edge: 'none',
  canonical: ({ id, ...given }) => ({ id, details: videoDetails(given) }),
  handle: (values, context) => {
    const reply = authorisation(values, context);
    return acceptsPage(context.headers) ? reply.catch(failurePage(NOT_SHARED, context)) : reply;
  },
});

/** Redirects to the video host, with a cookie of the session. */
async function authorisation({ id, details }: { id: string; details: VideoDetails }, context: Context): Promise<Representation> {
  const request = { movieId: id, details, sessionToken: tokenOf(context), admission: context.admission };
  const begun = await sharingOf(context).beginAuthorisation(request, returnAddress(context));
  const facts = { origin: serviceOrigin(context), lifeMs: SHARING.sessionMs };
  const headers = { 'Set-Cookie': sessionCookie(COOKIE, begun.sessionToken, facts) };
  return redirectReply(begun.location, { policy: NO_STORE, headers });
}

/** Whether the host redirected the user here. Its parameters are read from the URL, so that no parameter error can show them. */
const isReturn = ({ searchParams }: URL) => ['code', 'state', 'error'].some((parameter) => searchParams.has(parameter));

function shareReply(shared: Share, isPage: boolean, context: Context): Promise<Representation> {
  const { status, reason } = shared;
  const watchUrl = watchAddress(context.services.sharing.settings.watchUrl, shared);
  if (isPage) return htmlReply(sharePage(shared, watchUrl), { policy: NO_STORE });
  const extra = { ...(watchUrl === null ? {} : { url: watchUrl }), ...(status === 'failed' && reason ? { error: reason } : {}) };
  const body = { status: STATUSES[status], progress: progressOf(shared), ...extra };
  return jsonReply<typeof shareStatus>(body, { policy: NO_STORE });
}

/** Completes an authorisation and redirects to the status page, which may be reloaded. */
async function completed(context: Context): Promise<Representation> {
  const { searchParams } = context.url;
  const movieId = await sharingOf(context).completeAuthorisation(searchParams, tokenOf(context), returnAddress(context));
  return redirectReply(statusAddress(context, movieId), { policy: NO_STORE }, 303);
}

async function shared(id: string | undefined, details: VideoDetails | null, isPage: boolean, context: Context) {
  if (isReturn(context.url)) return completed(context);
  if (id === undefined) throw badParameter('id', 'the id of a movie', undefined);
  const isOwnPage = isFromOwnPage(context.headers, serviceOrigin(context));
  const share = await sharingOf(context).share({ movieId: id, details, sessionToken: tokenOf(context), isOwnPage });
  // The page refreshes itself, so its address must request the status only.
  const isStatusOnly = details === null && context.url.searchParams.has('id');
  if (isPage && !isStatusOnly) return redirectReply(statusAddress(context, id), { policy: NO_STORE }, 303);
  return shareReply(share, isPage, context);
}

const uploadMovieToVideoHost = operation({
  name: 'uploadMovieToVideoHost',
  summary: 'Shares a movie with the video host, and reports the progress.',
  description:
    'Without a title it starts no new upload. Also the address to which the video host redirects after the permission.',
  tag: TAG,
  responses: {
    'application/json': jsonBody('The upload.', shareStatus),
    'text/html': 'With html: a page with the same content.',
  },
  otherResponses: {
    303: 'The status page is at Location.',
    401: orPage('The browser session is not authorised.'),
    403: orPage('The request came from another site.'),
    ...REFUSALS,
  },
  parameters: {
    id: movie().optional(),
    title: title().optional(),
    description: entered.description.default(''),
    tags: entered.tags.default(''),
    share: share(),
    html: boolean('Responds with a page instead of JSON.').default(false),
  },
  hasSideEffects: true,
  edge: 'none',
  canonical: ({ id, html, title, ...rest }) => ({
    id,
    html,
    details: title === undefined ? null : videoDetails({ title, ...rest }),
  }),
  handle: async ({ id, html, details }, context) => {
    const reply = shared(id, details, html, context);
    return html || acceptsPage(context.headers) ? reply.catch(failurePage(NOT_SHARED, context)) : reply;
  },
});

const LIST_POLICY = `public, max-age=${USER_VIDEOS.lifetimeSeconds}`;

const getUserVideos = operation({
  name: 'getUserVideos',
  summary: 'Movies that users have shared, newest first.',
  tag: TAG,
  responses: { 'application/json': jsonBody('The videos, newest first.', userVideos) },
  description: 'Movies whose users agreed to the list. It is empty where no video host is configured.',
  parameters: {
    num: integer('Largest number of videos.', { min: 1, max: USER_VIDEOS.maxCount }).default(USER_VIDEOS.defaultCount),
    since: date('Only videos published after this time.').optional(),
    skip: integer('Number of videos to skip.', { min: 0, max: USER_VIDEOS.maxSkip }).default(0),
    force: boolean('Bypasses the cache.').default(false),
  },
  jsonp: true,
  edge: 'given',
  handle: async ({ num, since = 0, skip, force }, context) => {
    const videos = context.services.sharing.userVideos;
    const list = await videos.list({ count: num, skip, sinceMs: since }, serviceOrigin(context));
    const policy = force ? NO_STORE : namingHost(LIST_POLICY, context);
    return jsonReply<typeof userVideos>(list, { policy });
  },
});

/** An operation under its name in the original service. */
function alias(target: ServiceOperation, name: string): ServiceOperation {
  return { ...target, name, summary: `As ${target.name}.`, description: 'The name in the original service.' };
}

const getObservationDateVideos = operation({
  name: 'getObservationDateVideos',
  summary: 'Movies that users have shared whose frames span a time, latest start first.',
  tag: TAG,
  responses: { 'application/json': jsonBody('The videos, latest start first.', observationVideos) },
  description: 'For markers on a picture: each video has its field of view. The list is empty where no video host is configured.',
  parameters: {
    date: date('The time that the movies cover.'),
    num: integer('Largest number of videos.', { min: 1, max: USER_VIDEOS.maxCount }).default(USER_VIDEOS.maxCount),
    skip: integer('Number of videos to skip.', { min: 0, max: USER_VIDEOS.maxSkip }).default(0),
  },
  jsonp: true,
  edge: 'given',
  handle: async ({ date: atMs, num, skip }, context) => {
    const videos = context.services.sharing.userVideos;
    const list = await videos.covering({ atMs, count: num, skip }, serviceOrigin(context));
    return jsonReply<typeof observationVideos>(list, { policy: namingHost(LIST_POLICY, context) });
  },
});

export const videoSharing = [
  checkVideoHostAuth,
  getVideoHostAuth,
  uploadMovieToVideoHost,
  alias(checkVideoHostAuth, 'checkYouTubeAuth'),
  alias(getVideoHostAuth, 'getYouTubeAuth'),
  alias(uploadMovieToVideoHost, 'uploadMovieToYouTube'),
  getUserVideos,
  getObservationDateVideos,
];
