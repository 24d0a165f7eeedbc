// Documents about the service itself: the root, its health, the OpenAPI document, and the page for people where nothing is.

import { isLateOrFailing, isoOrNull, statusJson } from '../operator/index.ts';
import { CLIENT_HEADER } from '../platform/admission/rate-limit.ts';
import { isOurFault } from '../platform/http/errors.ts';
import { htmlReply, wantsPage } from '../platform/http/html.ts';
import { openApiDocument, type Tag } from '../platform/http/openapi/document.ts';
import { CATALOGUE, EDGE_CACHE_CONTROL, jsonReply, NO_STORE, type Representation } from '../platform/http/response.ts';
import { type Failure, shown } from '../platform/util/errors.ts';
import { SERVICE_NAME, SERVICE_VERSION } from '../platform/util/identity.ts';
import { escapeHtml } from '../platform/util/markup.ts';
import { DOCS_PATH, docsOf, OPENAPI_PATH, operations } from './operations.ts';
import { LINKS } from './page/descriptions.ts';
import { EXPLORER_PATHS, explorerWithoutView } from './page/page.ts';
import { type Context, isDeployed, namingHost, type Services, serviceOrigin } from './services.ts';

export const TAGS: readonly Tag[] = [
  { name: 'Catalogue', description: 'The datasources, the times for which they have images, and how far they are behind.' },
  {
    name: 'Images',
    description:
      'Images of one datasource: their records, files, headers, tiles and pictures. An image has an id, which getClosestImage gives.',
  },
  { name: 'Measurements', description: 'Physical values of images, with their intervals, or the reason why there are none.' },
  { name: 'JPX', description: 'Movies of unchanged JPEG 2000 frames in one file, also over JPIP.' },
  { name: 'Screenshots', description: 'Pictures of several layers with events, scale and watermark.' },
  {
    name: 'Movies',
    description: 'Movies of several layers. A movie is queued, its status polled, and then downloaded or played.',
  },
  { name: 'Events', description: 'Features and events of the Sun from HEK, CCMC, RHESSI and WSA.' },
  { name: 'Celestial bodies', description: 'Planets and probes near the Sun, as an observer sees them.' },
  { name: 'Links and news', description: 'Short links to pages of this service, and its news.' },
  { name: 'Web client', description: 'Operations that the web client of helioviewer.org needs besides the others.' },
  { name: 'Video host', description: 'Sharing of finished movies with a video host, and the list of shared ones.' },
];

/** The list for people: every operation by its group, with a link to its documentation. */
function listPage(): Promise<Representation> {
  const groups = TAGS.map(({ name: group, description }) => {
    const items = [...operations.values()]
      .filter(({ tag }) => tag === group)
      .map(({ name, summary }) => `<dt><a href="${docsOf(name)}">${name}</a></dt><dd>${escapeHtml(summary)}</dd>`);
    return `<h2>${escapeHtml(group)}</h2>\n<p>${escapeHtml(description)}</p>\n<dl>${items.join('\n')}</dl>`;
  });
  const body = `<p>The <a href="${DOCS_PATH}">documentation</a> has guides and a form for every operation; the
<a href="${OPENAPI_PATH}">OpenAPI document</a> describes them for programs. <a href="/">See the Sun</a>.</p>\n${groups.join('\n')}`;
  return htmlReply({ title: `${SERVICE_NAME}: operations`, body }, { policy: CATALOGUE, headers: HOME_HEADERS });
}

/** The edge cache has no Accept in its key. */
const HOME_HEADERS = { Vary: 'Accept', [EDGE_CACHE_CONTROL]: NO_STORE, ...LINKS } as const;

/** The operations: a page for a browser, JSON for a program. */
export function homePage(request: Request): Promise<Representation> {
  if (wantsPage(request)) return listPage();
  const page = {
    service: SERVICE_NAME,
    version: SERVICE_VERSION,
    openapi: OPENAPI_PATH,
    docs: DOCS_PATH,
    operations: [...operations.values()].map(({ name, method, tag, summary, shapes }) => ({
      name,
      path: `/v2/${name}/`,
      method: method.toUpperCase(),
      tag,
      summary,
      versions: Object.keys(shapes),
      docs: docsOf(name),
    })),
  };
  return jsonReply(page, { policy: CATALOGUE, headers: HOME_HEADERS });
}

/** The document of the last request, because an isolate is asked under one name. */
let known: { readonly origin: string; readonly policy: string; readonly page: Promise<Representation> } | undefined;

export function openApiPage(context: Context): Promise<Representation> {
  const [origin, policy] = [serviceOrigin(context), namingHost(CATALOGUE, context)];
  if (known?.origin !== origin || known.policy !== policy) {
    known = { origin, policy, page: jsonReply(openApiDocument(operations.values(), { origin, tags: TAGS }), { policy }) };
  }
  return known.page;
}

/**
 * The version; whether the stores respond, and whether clients can be told apart behind the edge cache, without which a deployment has one
 * rate limit for all; the last success of each job; `sample` while a sample archive is being added; what is late or failing. The status is
 * 200 in every case; with `?strict`, 503 when the service is degraded or a job is late.
 */
export async function healthPage({ services, headers, url }: Context): Promise<Representation> {
  const { isOk, responding, sample, jobs } = await services.health();
  const client = headers.has(CLIENT_HEADER);
  const status = isOk && (client || !isDeployed(services)) ? 'ok' : 'degraded';
  const page = {
    status,
    version: SERVICE_VERSION,
    ...responding,
    client,
    jobs: jobs.map(({ name, okAtMs, isLate }) => ({ name, time: isoOrNull(okAtMs), isLate })),
    ...(sample ? { sample } : {}),
    ...(await statusOf(services.status)),
  };
  const isBad = url.searchParams.has('strict') && (status === 'degraded' || jobs.some(({ isLate }) => isLate));
  return jsonReply(page, { policy: NO_STORE, ...(isBad ? { status: 503 } : {}) });
}

/** The subjects that are late or failing, upstreams and movies; nothing when the databases do not respond. */
async function statusOf(service: Services['status']) {
  const status = await service.read().catch(() => null);
  if (!status) return {};
  const { states, upstreams, movies } = statusJson(status);
  return { late: states.filter(isLateOrFailing), upstreams, movies };
}

/** The page of a failure that has one: of a path at which nothing is, and of the explorer, whose view cannot be looked up at the moment. */
export async function failureForPeople(failure: Failure, path: string, context: Context): Promise<Representation | null> {
  const { pathname, searchParams } = context.url;
  if (failure.kind !== 'unknown-path') {
    const explorer = EXPLORER_PATHS.find((known) => known === path);
    const isAway = explorer && isOurFault(failure) && !searchParams.has('action');
    return isAway ? explorerWithoutView(explorer, context) : null;
  }
  const body = `<p>Nothing is served at ${escapeHtml(shown(pathname))}.</p>
<p><a href="/">See the Sun</a>, or read the <a href="/docs/">description of the API</a>.</p>`;
  return htmlReply({ title: 'There is nothing here', body }, { policy: NO_STORE, status: 404 });
}
