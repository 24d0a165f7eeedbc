// checkVideoHostAuth, getVideoHostAuth, uploadMovieToVideoHost, getUserVideos, each also as the original clients name it.
import { SHARING, USER_VIDEOS } from '../../config/limits/sharing.ts';
import { badParameter, Failure } from '../../domain/errors.ts';
import type { Share } from '../../domain/sharing/share.ts';
import { type VideoDetails, videoDetails } from '../../domain/sharing/video-details.ts';
import { NO_STORE } from '../../http/cache-policy.ts';
import { isFromOwnPage, sessionCookie, sessionToken } from '../../http/credentials.ts';
import { cacheKey } from '../../http/edge-cache.ts';
import { boolean, date, integer, name, notation } from '../../http/parameters.ts';
import { fromStored, jsonReply, type Representation, redirectReply, toStored } from '../../http/representation.ts';
import { watchAddress } from '../../services/sharing/user-videos.ts';
import type { VideoSharingService } from '../../services/sharing/video-sharing.ts';
import { type Context, operation, type ServiceOperation, serviceOrigin } from '../services.ts';
import { failurePage, shareJson, sharePage } from './sharing-replies.ts';

const TAG = 'Video host';
const COOKIE = 'helioedge-sharing';
const UPLOAD_PATH = '/v2/uploadMovieToVideoHost/';

/** The host wants to know this address beforehand, letter by letter: the movie is part of the state, not of it. */
function returnAddress(context: Context): string {
  return `${serviceOrigin(context)}${UPLOAD_PATH}?html=true`;
}

function statusAddress(context: Context, movieId: string): string {
  return `${serviceOrigin(context)}${UPLOAD_PATH}?${new URLSearchParams({ id: movieId, html: 'true' })}`;
}

function tokenOf(context: Context): string | null {
  return sessionToken(context.headers, COOKIE, serviceOrigin(context));
}

function sharingOf({ services }: Context): VideoSharingService {
  if (services.sharing?.videoSharing) return services.sharing.videoSharing;
  const sentence = 'Expected a service that shares movies, got one without a video host: its operator has configured none.';
  throw new Failure('unsupported', sentence);
}

const movie = () => name('Movie, as queueMovie names it.');
const title = () => notation('Title of the video: 1 to 100 characters.', { what: 'the title of the video', example: 'The Sun' });
const entered = {
  description: notation('Description of the video: at most 5000 bytes.', {
    what: 'the description of the video',
    example: 'A day of the Sun.',
    mayBeEmpty: true,
  }),
  tags: notation('Tags separated by commas: 1 to 30 characters each, 500 together.', {
    what: 'tags separated by commas',
    example: 'sun,corona',
    mayBeEmpty: true,
  }),
};
const share = () => boolean('Lists the video in getUserVideos.').default(false);

export const checkVideoHostAuth = operation({
  name: 'checkVideoHostAuth',
  summary: 'Whether this browser session may share movies with the video host.',
  tag: TAG,
  responses: { 'application/json': 'true or false.', 'text/javascript': 'The JSON as JSONP.' },
  parameters: {},
  jsonp: true,
  edge: 'own',
  canonical: (values) => values,
  handle: async (_values, context) => {
    const isAuthorised = await context.services.sharing?.videoSharing?.isAuthorised(tokenOf(context));
    return jsonReply(isAuthorised ?? false, { policy: NO_STORE });
  },
});

/** As canonical values want them: text. */
const asText = (entered: VideoDetails): string => JSON.stringify(entered);
const fromText = (text: string) => JSON.parse(text) as VideoDetails;

export const getVideoHostAuth = operation({
  name: 'getVideoHostAuth',
  summary: 'Leads (302) to the page of the video host that asks for the permission to share a movie, and back to its upload.',
  tag: TAG,
  responses: { 'text/plain': 'Nothing: the address is in the header Location.' },
  otherResponses: { 302: 'The page of the video host is at Location.', 502: 'The video host refused.' },
  parameters: { id: movie(), title: title(), ...entered, share: share() },
  jsonp: false,
  hasSideEffects: true,
  edge: 'own',
  canonical: ({ id, ...given }) => ({ id, details: asText(videoDetails(given)) }),
  handle: async ({ id, details }, context) => {
    const request = { movieId: id, details: fromText(details), sessionToken: tokenOf(context) };
    const departure = await sharingOf(context).depart(request, returnAddress(context));
    const facts = { origin: serviceOrigin(context), lifeMs: SHARING.sessionMs };
    const headers = { 'Set-Cookie': sessionCookie(COOKIE, departure.sessionToken, facts) };
    return redirectReply(departure.location, { policy: NO_STORE, headers });
  },
});

/** The host sends users back with these; they are read here alone, so that no sentence about a parameter shows them. */
const isReturn = ({ searchParams }: URL) => ['code', 'state', 'error'].some((parameter) => searchParams.has(parameter));

function shareReply(shared: Share, isPage: boolean, context: Context): Promise<Representation> {
  const watchUrl = watchAddress(context.services.sharing!.settings.watchUrl, shared);
  return isPage ? sharePage(shared, { watchUrl, action: UPLOAD_PATH }) : shareJson(shared, watchUrl);
}

/** The user is back: what the address holds is used up, and the page that follows may be loaded again. */
async function arrived(context: Context): Promise<Representation> {
  const { searchParams } = context.url;
  const movieId = await sharingOf(context).arrive(searchParams, tokenOf(context), returnAddress(context));
  return redirectReply(statusAddress(context, movieId), { policy: NO_STORE }, 303);
}

async function shared(id: string | undefined, details: string | undefined, isPage: boolean, context: Context) {
  if (isReturn(context.url)) return arrived(context);
  if (id === undefined) throw badParameter('id', 'the id of a movie', undefined);
  const asked = { movieId: id, details: details === undefined ? null : fromText(details), sessionToken: tokenOf(context) };
  const isOwnPage = isFromOwnPage(context.headers, serviceOrigin(context));
  const share = await sharingOf(context).share({ ...asked, isOwnPage });
  // The page is loaded again and again: what it names must ask for nothing but the status.
  const asksOnly = details === undefined && context.url.searchParams.has('id');
  if (isPage && !asksOnly) return redirectReply(statusAddress(context, id), { policy: NO_STORE }, 303);
  return shareReply(share, isPage, context);
}

export const uploadMovieToVideoHost = operation({
  name: 'uploadMovieToVideoHost',
  summary: 'Shares a movie with the video host, and says how far that is. Without a title it begins nothing new.',
  tag: TAG,
  responses: {
    'application/json': '{status, progress, url?, error?}: how far, from 0 to 1; where the video is; why it failed.',
    'text/html': 'With html: the same as a page.',
  },
  otherResponses: {
    303: 'The page that says how far it is is at Location.',
    401: 'The browser session may not share movies.',
    403: 'A page of others asked for it.',
    409: 'The movie is not finished, or is shared already.',
    502: 'The video host refused.',
  },
  parameters: {
    id: movie().optional(),
    title: title().optional(),
    description: entered.description.default(''),
    tags: entered.tags.default(''),
    share: share(),
    html: boolean('Answers with a page instead of JSON.').default(false),
  },
  jsonp: false,
  hasSideEffects: true,
  edge: 'own',
  canonical: ({ id, html, title, ...rest }) => ({
    id,
    html,
    details: title === undefined ? undefined : asText(videoDetails({ title, ...rest })),
  }),
  handle: async ({ id, html, details }, context) => {
    const reply = shared(id, details, html, context);
    return html ? reply.catch(failurePage) : reply;
  },
});

const LIST_LIFE = `public, max-age=${USER_VIDEOS.lifetimeSeconds}`;

export const getUserVideos = operation({
  name: 'getUserVideos',
  summary: 'Movies that users shared, newest first.',
  tag: TAG,
  responses: {
    'application/json': '[{id, url, thumbnails, published, title, ...}]; numbers are text.',
    'text/javascript': 'The JSON as JSONP.',
  },
  parameters: {
    num: integer('Videos at most.', { min: 1, max: USER_VIDEOS.maxCount }).default(USER_VIDEOS.defaultCount),
    since: date('Only videos that were published after it.').optional(),
    skip: integer('Videos that are passed over.', { min: 0, max: USER_VIDEOS.maxSkip }).default(0),
    force: boolean('Makes the list anew.').default(false),
  },
  jsonp: true,
  edge: 'own',
  canonical: (values) => values,
  handle: async ({ num, since = 0, skip, force }, context) => {
    const { edgeCache, clock, sharing } = context.services;
    const origin = serviceOrigin(context);
    const key = cacheKey('getUserVideos', { num, since, skip, origin });
    const kept = force ? null : await context.stopwatch.measure('cache', () => edgeCache.match(key));
    if (kept) return fromStored(kept, clock());
    const list = (await sharing?.userVideos.list({ count: num, skip, sinceMs: since }, origin)) ?? [];
    const reply = await jsonReply(list, { policy: LIST_LIFE });
    context.waitUntil(edgeCache.put(key, toStored(reply, reply.bytes, clock())));
    return force ? { ...reply, policy: NO_STORE } : reply;
  },
});

/** The names of the original service. */
function renamed(original: ServiceOperation, name: string): ServiceOperation {
  return { ...original, name, summary: `As ${original.name}.` };
}

export const checkYouTubeAuth = renamed(checkVideoHostAuth, 'checkYouTubeAuth');
export const getYouTubeAuth = renamed(getVideoHostAuth, 'getYouTubeAuth');
export const uploadMovieToYouTube = renamed(uploadMovieToVideoHost, 'uploadMovieToYouTube');
