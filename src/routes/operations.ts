// All operations of the API, in the order of the documentation.
import { callback as callbackParameter } from '../http/parameters.ts';
import { apiPath } from '../http/request.ts';
import { getSolarBodies, getSolarBodiesGlossary, getTrajectoryTime } from './bodies/bodies.ts';
import {
  getDefaultEventTypes,
  getEvent,
  getEventFRMs,
  getEvents,
  getEventsByEventLayers,
  getFRMs,
} from './events/event-lists.ts';
import { events } from './events/events.ts';
import { getXrayFlux } from './events/x-ray-flux.ts';
import { getDataSources, getStatus } from './images/catalogue.ts';
import { getClosestImage, getClosestImageDatesForSources, getImagesAtTimes } from './images/closest-image.ts';
import { eventsDataCoverage, getDataCoverage } from './images/data-coverage.ts';
import { getDataGaps } from './images/data-gaps.ts';
import { getHoldings } from './images/holdings.ts';
import { getImageHeader } from './images/image-header.ts';
import { getJP2Header, getJP2Image } from './images/jp2.ts';
import { listImages } from './images/list-images.ts';
import { getSciDataScript } from './images/science-script.ts';
import { getJPX, getJPXClosestToMidPoint } from './jpx/jpx.ts';
import { getCutout } from './measurement/get-cutout.ts';
import { getImageData } from './measurement/get-image-data.ts';
import { getLightCurve } from './measurement/get-light-curve.ts';
import { getSolarMap } from './measurement/get-solar-map.ts';
import { getTimeDistance } from './measurement/get-time-distance.ts';
import { getValue } from './measurement/get-value.ts';
import {
  downloadMovie,
  estimateMovie,
  getMovieStatus,
  playMovie,
  postMovie,
  queueMovie,
  reQueueMovie,
} from './movies/movie-operations.ts';
import { getEclipseImage } from './rendering/eclipse.ts';
import { downloadImage } from './rendering/image-download.ts';
import { getFrame, getFrameTables } from './rendering/moving-frames.ts';
import { downloadScreenshot, postScreenshot, takeScreenshot } from './rendering/screenshots.ts';
import { getTile } from './rendering/tiles.ts';
import type { ServiceOperation } from './services.ts';
import { getWebClientState, saveWebClientState } from './sharing/client-state.ts';
import { getNewsFeed, goto, shortenURL } from './sharing/links-and-news.ts';
import { enable3D, getRandomSeed, getUsageStatistics, logNotificationStatistics } from './sharing/notices.ts';
import {
  checkVideoHostAuth,
  checkYouTubeAuth,
  getObservationDateVideos,
  getUserVideos,
  getVideoHostAuth,
  getYouTubeAuth,
  uploadMovieToVideoHost,
  uploadMovieToYouTube,
} from './sharing/sharing.ts';

const ALL: readonly ServiceOperation[] = [
  getDataSources,
  getClosestImage,
  getImagesAtTimes,
  getClosestImageDatesForSources,
  getJP2Image,
  getJP2Header,
  getImageHeader,
  getValue,
  getImageData,
  getLightCurve,
  getTimeDistance,
  getCutout,
  getSolarMap,
  listImages,
  getHoldings,
  getJPX,
  getJPXClosestToMidPoint,
  getTile,
  getFrame,
  getFrameTables,
  downloadImage,
  takeScreenshot,
  postScreenshot,
  downloadScreenshot,
  getEclipseImage,
  queueMovie,
  estimateMovie,
  postMovie,
  reQueueMovie,
  getMovieStatus,
  downloadMovie,
  playMovie,
  events,
  getEvents,
  getEventsByEventLayers,
  getEvent,
  getDefaultEventTypes,
  getEventFRMs,
  getFRMs,
  getXrayFlux,
  getSolarBodiesGlossary,
  getSolarBodies,
  getTrajectoryTime,
  getStatus,
  getDataGaps,
  shortenURL,
  goto,
  getNewsFeed,
  saveWebClientState,
  getWebClientState,
  getDataCoverage,
  eventsDataCoverage,
  getSciDataScript,
  checkVideoHostAuth,
  getVideoHostAuth,
  uploadMovieToVideoHost,
  checkYouTubeAuth,
  getYouTubeAuth,
  uploadMovieToYouTube,
  getUserVideos,
  getObservationDateVideos,
  enable3D,
  logNotificationStatistics,
  getRandomSeed,
  getUsageStatistics,
];

export const operations: ReadonlyMap<string, ServiceOperation> = new Map(ALL.map((operation) => [operation.name, operation]));

/** The operation that a URL names, in the path or as `action`. */
function operationAt({ pathname, searchParams }: URL): ServiceOperation | undefined {
  return operations.get(apiPath(pathname)?.operationName ?? searchParams.get('action') ?? '');
}

/** The function to which a failure of this request is passed; undefined for requests whose failures have a status. */
export function failureCallback(url: URL): string | undefined {
  if (!operationAt(url)?.reportsFailuresInScripts) return undefined;
  return callbackParameter().safeParse(url.searchParams.get('callback')).data;
}

export const DOCS_PATH = '/docs/';
export const OPENAPI_PATH = '/v2/openapi.json';

/** Path of the documentation of an operation. */
export const docsOf = (name: string): string => `${DOCS_PATH}#${name}`;

/** Path of the documentation of the operation that a URL names, or of all of them. */
export function docsAt(url: URL): string {
  const operation = operationAt(url);
  return operation ? docsOf(operation.name) : DOCS_PATH;
}
