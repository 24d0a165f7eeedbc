// Requests the files of the first view before the modules that draw them have run: their addresses follow from the data of the page and the
// size of the screen.
import { pathOf } from '../../../clients/typescript/core.ts';
import type { ImageRecord } from '../api/image-record.ts';
import { type FirstView, pageData } from '../page/page-data.ts';
import { fitted, imageBox, type Size, tilesSeen, wholeScale } from './geometry.ts';
import { loadProjection } from './projecting.ts';

/** Longest side of the frame that is read for its description alone. */
const DESCRIBED_SIDE = 64;

/** The frame that describes an image. */
export const descriptionPath = (image: ImageRecord): string =>
  pathOf('getFrame', { id: image.id, imageScale: wholeScale(image, 0, DESCRIBED_SIDE) });

/** The files by which a screen shows a whole image that has no operations: its description, and its tiles as `tilePath` names them. */
export const wholePaths = (image: ImageRecord, size: Size): readonly string[] => [
  descriptionPath(image),
  ...tilesSeen(image, { camera: fitted(imageBox(image), size), size }).map((tile) =>
    pathOf('getTile', { id: image.id, ...tile, colour: false, north: true }),
  ),
];

/** Paths of the first view; none without WebGL 2, or where the service has not put the picture of a whole image into the page. */
function firstPaths({ view, records = [] }: Partial<FirstView>): readonly string[] {
  const stage = document.getElementById('first')?.parentElement;
  const image = records.find((record) => record !== null);
  if (!stage || !image || view?.projection.kind !== 'plane' || !('WebGL2RenderingContext' in globalThis)) return [];
  return wholePaths(image, { width: stage.clientWidth, height: stage.clientHeight });
}

export function requestFirst(): void {
  const first = pageData<Partial<FirstView>>() ?? {};
  if (first.view) void loadProjection(first.view.projection).catch(() => undefined);
  const kind = { rel: 'preload', as: 'fetch', crossOrigin: 'anonymous' };
  document.head.append(...firstPaths(first).map((href) => Object.assign(document.createElement('link'), kind, { href })));
}
