// All operations of the API, in the order of the documentation.
import { callback as callbackParameter } from '../platform/http/parameters.ts';
import { API_PATH, isActionForm } from '../platform/http/request.ts';
import { celestialBodies } from './bodies/bodies.ts';
import { eventLists, events, getXrayFlux } from './events/events.ts';
import { getDataSources, getStatus } from './images/catalogue.ts';
import { nearestImages } from './images/closest-image.ts';
import { getDataGaps, timelines } from './images/data-coverage.ts';
import { archivedFiles } from './images/jp2.ts';
import { getHoldings, listImages } from './images/lists.ts';
import { getSciDataScript } from './images/science-data.ts';
import { jpxOperations } from './jpx/jpx.ts';
import { getImageData, getSolarMap, getValue } from './measure/images.ts';
import { getCutout, getLightCurve, getTimeDistance } from './measure/series.ts';
import { movieOperations } from './movies/movie-operations.ts';
import { screenshots } from './pictures/screenshots.ts';
import { drawnImages } from './pictures/tiles.ts';
import type { ServiceOperation } from './services.ts';
import { clientStates } from './sharing/client-state.ts';
import { linksAndNews, notices } from './sharing/links-and-news.ts';
import { videoSharing } from './sharing/sharing.ts';

const ALL: readonly ServiceOperation[] = [
  getDataSources,
  ...nearestImages,
  ...archivedFiles,
  getValue,
  getImageData,
  getLightCurve,
  getTimeDistance,
  getCutout,
  getSolarMap,
  listImages,
  getHoldings,
  ...jpxOperations,
  ...drawnImages,
  ...screenshots,
  ...movieOperations,
  events,
  ...eventLists,
  getXrayFlux,
  ...celestialBodies,
  getStatus,
  getDataGaps,
  ...linksAndNews,
  ...clientStates,
  ...timelines,
  getSciDataScript,
  ...videoSharing,
  ...notices,
];

export const operations: ReadonlyMap<string, ServiceOperation> = new Map(ALL.map((operation) => [operation.name, operation]));

export const DOCS_PATH = '/docs/';
export const OPENAPI_PATH = '/v2/openapi.json';

export const docsOf = (name: string): string => `${DOCS_PATH}#${name}`;

/**
 * What the response to a failure says about a request: whether it has the form of an action, the documentation of the operation that it names, or
 * of all, and the function to which the failure is passed where its script would not run with another status.
 */
export function failureContext(url: URL, origin: string) {
  const { pathname, searchParams } = url;
  const operation = operations.get(API_PATH.exec(pathname)?.groups?.name ?? searchParams.get('action') ?? '');
  return {
    actionForm: isActionForm(url),
    docs: origin + (operation ? docsOf(operation.name) : DOCS_PATH),
    callback: operation?.reportsFailuresInScripts ? callbackParameter().safeParse(searchParams.get('callback')).data : undefined,
  };
}
