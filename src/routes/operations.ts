// Every operation of the API, in the order in which the documents list them.
import { getDataSources, getStatus } from './catalogue.ts';
import { getClosestImage, getClosestImageDatesForSources } from './closest-image.ts';
import { getEclipseImage } from './eclipse.ts';
import { events } from './events.ts';
import { downloadImage } from './image-download.ts';
import { getJP2Header, getJP2Image } from './jp2.ts';
import { getJPX, getJPXClosestToMidPoint } from './jpx.ts';
import { downloadScreenshot, postScreenshot, takeScreenshot } from './screenshots.ts';
import type { ServiceOperation } from './services.ts';
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
  events,
  getStatus,
];

export const operations: ReadonlyMap<string, ServiceOperation> = new Map(ALL.map((operation) => [operation.name, operation]));
