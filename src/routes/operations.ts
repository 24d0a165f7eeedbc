// Every operation of the API, in the order in which the documents list them.
import { getDataSources, getStatus } from './catalogue.ts';
import { getClosestImage, getClosestImageDatesForSources } from './closest-image.ts';
import { getEclipseImage } from './eclipse.ts';
import { events } from './events.ts';
import { downloadImage } from './image-download.ts';
import { getJP2Header, getJP2Image } from './jp2.ts';
import { getJPX, getJPXClosestToMidPoint } from './jpx.ts';
import { goto, shortenURL } from './links.ts';
import { downloadMovie, getMovieStatus, playMovie, postMovie, queueMovie, reQueueMovie } from './movies.ts';
import { getNewsFeed } from './news.ts';
import { downloadScreenshot, postScreenshot, takeScreenshot } from './screenshots.ts';
import type { ServiceOperation } from './services.ts';
import {
  checkVideoHostAuth,
  checkYouTubeAuth,
  getUserVideos,
  getVideoHostAuth,
  getYouTubeAuth,
  uploadMovieToVideoHost,
  uploadMovieToYouTube,
} from './sharing.ts';
import { getTile } from './tiles.ts';

const ALL: readonly ServiceOperation[] = [
  getDataSources,
  getClosestImage,
  getClosestImageDatesForSources,
  getJP2Image,
  getJP2Header,
  getJPX,
  getJPXClosestToMidPoint,
  getTile,
  downloadImage,
  takeScreenshot,
  postScreenshot,
  downloadScreenshot,
  getEclipseImage,
  queueMovie,
  postMovie,
  reQueueMovie,
  getMovieStatus,
  downloadMovie,
  playMovie,
  events,
  getStatus,
  shortenURL,
  goto,
  getNewsFeed,
  checkVideoHostAuth,
  getVideoHostAuth,
  uploadMovieToVideoHost,
  checkYouTubeAuth,
  getYouTubeAuth,
  uploadMovieToYouTube,
  getUserVideos,
];

export const operations: ReadonlyMap<string, ServiceOperation> = new Map(ALL.map((operation) => [operation.name, operation]));
