// A valid request of every operation, over an archive with images and a finished movie.
import type { AppDependencies } from '../../src/app.ts';
import { MOVIE, movieArchive } from './movies/movie-archive.ts';
import { WEB_CLIENT_REQUESTS, WEB_CLIENT_STATUSES } from './web-client-requests.ts';

const SCREENSHOT = {
  date: '2024-01-01T00:00:00Z',
  imageScale: '9.6',
  layers: '[10,1,100]',
  x0: '0',
  y0: '0',
  width: '9',
  height: '9',
};

/** The archive, a finished movie and a screenshot in it, and the requests. */
export async function requestableArchive(overrides: Partial<AppDependencies> = {}) {
  const archive = movieArchive({}, overrides);
  const finished = { id: await archive.queue(), format: 'mp4' };
  await archive.build();
  await archive.get(`/v2/takeScreenshot/?${new URLSearchParams(SCREENSHOT)}`);
  return { ...archive, good: goodRequests(finished) };
}

/** Operations that are disabled here, because no video host is configured. */
export const WITHOUT_HOST = ['getVideoHostAuth', 'getYouTubeAuth', 'uploadMovieToVideoHost', 'uploadMovieToYouTube'];

const VIDEO = { id: 'bcdfghjk', title: 'A day of the Sun', description: '', tags: '' };

/** Statuses of valid requests other than 200. */
export const STATUSES: Readonly<Record<string, number>> = {
  ...Object.fromEntries(WITHOUT_HOST.map((name) => [name, 400])),
  // The link does not exist.
  goto: 404,
  // The movie exists already.
  reQueueMovie: 409,
  ...WEB_CLIENT_STATUSES,
};

/** A valid request of every operation. */
type Requests = Readonly<Record<string, Readonly<Record<string, string>>>>;

const goodRequests = (finished: Readonly<Record<string, string>>): Requests => ({
  getClosestImage: { date: '2024-01-01T00:00:00Z', sourceId: '10' },
  getClosestImageDatesForSources: { date: '2024-01-01T00:00:00Z', sources: '10,4' },
  getDataSources: {},
  getJP2Header: { id: '26' },
  getJP2Image: { date: '2024-01-01T00:00:00Z', sourceId: '10' },
  getJPX: { startTime: '2024-01-01T00:00:00Z', endTime: '2024-01-01T00:05:00Z', sourceId: '10' },
  getJPXClosestToMidPoint: { startTimes: '1704067190', endTimes: '1704067210', sourceId: '10' },
  getStatus: {},
  getTile: { id: '26', x: '0', y: '0', imageScale: '2.5' },
  downloadImage: { id: '26' },
  getEclipseImage: {},
  events: { startTime: '2024-01-01T00:00:00Z' },
  takeScreenshot: SCREENSHOT,
  postScreenshot: SCREENSHOT,
  downloadScreenshot: { id: '1' },
  queueMovie: MOVIE,
  postMovie: MOVIE,
  reQueueMovie: { id: finished.id! },
  getMovieStatus: finished,
  downloadMovie: finished,
  playMovie: finished,
  shortenURL: { queryString: '?date=2024-01-01T00:00:00Z' },
  goto: { id: '0123456789abcdef' },
  getNewsFeed: {},
  checkVideoHostAuth: {},
  checkYouTubeAuth: {},
  getVideoHostAuth: VIDEO,
  getYouTubeAuth: VIDEO,
  uploadMovieToVideoHost: VIDEO,
  uploadMovieToYouTube: VIDEO,
  getUserVideos: {},
  ...WEB_CLIENT_REQUESTS,
});
