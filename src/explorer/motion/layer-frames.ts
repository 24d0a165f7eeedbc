// The frames of the layers of a picture and the tables by which they are filtered: their paths, and what is drawn once they have loaded.
import { pathOf } from '../../../clients/typescript/core.ts';
import { type FrameTable, frameGrid, TABLE_HEAD, TABLE_SIDE, type Tiles } from '../../picture/moving-frame.ts';
import type { Operations } from '../../picture/operations/operations.ts';
import { colourOperations, isPlain, operationQuery, operationsOf, tableOperations } from '../../picture/operations/operations.ts';
import { MOVING_FRAME } from '../../platform/limits/rendering.ts';
import { MINUTE_MS } from '../../platform/util/durations.ts';
import { loadFrame, patiently } from '../api/frames.ts';
import type { ImageRecord } from '../api/images.ts';
import { received, requestResponse } from '../api/request.ts';
import { framesOf, imagesOfLayer, type LayerFrame, lacksReference, type ShownLayer } from '../picture/frame-layer.ts';
import type { Box, Camera, Size, Viewport } from '../picture/geometry.ts';
import { boxAround, imageCentre, levelFor, levelScale, seenBox, tileRect, wholeScale } from '../picture/geometry.ts';
import type { Frame } from '../picture/picture.ts';
import { projection } from '../store/state.ts';
import type { CanvasLayer, MotionCanvas, Texture } from './canvas.ts';

/** `layer`: the operations of the frame, in place of which the page has no arithmetic. */
const framePath = (id: number, { imageScale, x, y, columns, rows }: Tiles, layer: Operations = {}): string =>
  pathOf('getFrame', { id, imageScale, x, y, columns, rows, ...operationQuery(layer) });

/** A table in a file without its compression. */
function tableIn(file: ArrayBuffer, index: number): FrameTable {
  const at = index * (TABLE_HEAD + TABLE_SIDE ** 2);
  const [from = 0, width = 1] = new Float32Array(file, at, 2);
  const levels = new Uint8Array(file, at + TABLE_HEAD, TABLE_SIDE ** 2);
  for (let i = 1; i < levels.length; i += 1) if (i % TABLE_SIDE > 0) levels[i]! += levels[i - 1]!;
  return { annuli: [1 / (TABLE_SIDE * width), -from / (TABLE_SIDE * width)], levels };
}

/** Images whose tables are kept, of 64 KiB each: those of two filters of four layers. */
const MOST_TABLES = 800;

/** `endMs`: when a sketch is asked for again, which is shown until then. */
const tables = new Map<string, FrameTable & { readonly endMs: number }>();

/** The end of a response that is kept for a minute; others stay. */
function endOf({ headers }: Response): number {
  const lifeMs = 1000 * Number(/max-age=(\d+)/.exec(headers.get('Cache-Control') ?? '')?.[1]);
  return lifeMs <= MINUTE_MS ? Date.now() + lifeMs : Number.POSITIVE_INFINITY;
}

const tablesPath = (layer: Operations) => pathOf('getFrameTables', operationQuery(tableOperations(layer)));

/** The table of an image in a layer, if it has been loaded. */
const frameTable = ({ id }: ImageRecord, layer: Operations) => tables.get(tablesPath(layer) + id);

/**
 * Loads the tables that the images of layers lack, those of one filter by one request.
 * @param isExact Waits until all pixels of the images have been counted
 * @throws as `loadFrame`
 */
export async function loadTables(layers: readonly ShownLayer[], signal: AbortSignal, isExact = false): Promise<void> {
  const most = isExact ? MOVING_FRAME.exactTables : MOVING_FRAME.tables;
  const sinceMs = isExact ? Number.POSITIVE_INFINITY : Date.now();
  const lacking = new Map<string, Set<number>>();
  for (const layer of layers.filter((one) => !isPlain(tableOperations(one))))
    for (const image of imagesOfLayer(layer)) {
      const path = tablesPath(layer);
      if ((frameTable(image, layer)?.endMs ?? 0) < sinceMs) lacking.set(path, (lacking.get(path) ?? new Set()).add(image.id));
    }
  const load = async (path: string, ids: readonly number[]): Promise<void> => {
    const asked = ids.slice(0, most);
    const loadFile = async () => {
      const response = await requestResponse(`${path}&ids=${asked}${isExact ? '&exact=true' : ''}`, { signal });
      const levels = new Response(response.body!.pipeThrough(new DecompressionStream('deflate')));
      return { file: await received(levels.arrayBuffer(), { signal }), endMs: endOf(response) };
    };
    const { file, endMs } = await patiently(loadFile, signal);
    for (const [i, id] of asked.entries()) tables.set(path + id, { ...tableIn(file, i), endMs });
    if (ids.length > asked.length) await load(path, ids.slice(asked.length));
  };
  await Promise.all([...lacking].map(([path, ids]) => load(path, [...ids])));
  for (const key of [...tables.keys()].slice(0, -MOST_TABLES)) tables.delete(key);
}

const sidesOf = ({ width, height, scale }: ImageRecord, address: Tiles): Size =>
  frameGrid({ width, height, scaleArcsecPerPixel: scale }, address);

/** All of an image at the first level from `level` on at which its sides are at most `side` pixels. */
const wholeFrom = (image: ImageRecord, level: number, side: number): Tiles => ({ imageScale: wholeScale(image, level, side) });

/** Levels by which the frame of a whole image that comes first is coarser. */
const COARSER = 2;
/** Half of the longest side of a frame: a coarse one is no larger. */
const COARSE_SIDE = MOVING_FRAME.sidePixels / 4;

/** A box around an image, however it is turned. */
const anyTurn = (image: ImageRecord): Box =>
  boxAround(imageCentre(image), Math.hypot(image.width * image.scale, image.height * image.scale));

/** The part of an image in a view, as fine as the screen or as a frame can be; null where the view has nothing of it. */
function finePlace(image: ImageRecord, camera: Camera, size: Size): Tiles | null {
  for (let level = levelFor(image, camera.scale); ; level += 1) {
    const tiles = tileRect(image, seenBox(camera, size), camera.scale, level);
    if (!tiles) return null;
    const whole = { imageScale: levelScale(level) };
    // Frames end where their image does, also where it is turned to the north.
    const part = { ...whole, ...tileRect(image, seenBox(camera, size), camera.scale, level, anyTurn(image)) };
    const sides = sidesOf(image, part);
    if (Math.max(sides.width, sides.height) > MOVING_FRAME.sidePixels) continue;
    const all = sidesOf(image, whole);
    return sides.width === all.width && sides.height === all.height ? whole : part;
  }
}

/** Coarse: all of an image. Fine: its part in the view, as fine as the screen. */
export type GradeName = 'coarse' | 'fine';

/** The paths of frames, which name the place, by the keys of the frames. */
export type FramePaths = ReadonlyMap<string, string>;

export type Textures = ReadonlyMap<string, Texture>;

export function pathsOf(frame: Frame, grade: GradeName, { camera, size }: Viewport, { kind } = projection.value): FramePaths {
  const placeOf = (image: ImageRecord) => {
    const level = levelFor(image, camera.scale);
    if (grade === 'coarse') return wholeFrom(image, level + COARSER, COARSE_SIDE);
    // Projections turn to every part of an image.
    return kind === 'plane' ? finePlace(image, camera, size) : wholeFrom(image, level, MOVING_FRAME.sidePixels);
  };
  return new Map(
    frame.flatMap(framesOf).flatMap(({ key, image, operations }) => {
      const place = placeOf(image);
      return place ? [[key, framePath(image.id, place, operations)] as const] : [];
    }),
  );
}

interface Loading {
  readonly canvas: MotionCanvas;
  readonly signal: AbortSignal;
  readonly onRetry?: () => void;
  readonly known?: (path: string) => Texture | undefined;
}

/** Loads frames, whose owner frees them. @throws as `loadFrame` */
export async function loadTextures(paths: FramePaths, loading: Loading): Promise<Textures> {
  const { canvas, signal, onRetry, known = () => undefined } = loading;
  const decoded = await Promise.all(
    [...paths].map(async ([key, path]) => [key, path, known(path) ? null : await loadFrame(path, signal, onRetry)] as const),
  );
  signal.throwIfAborted();
  if (decoded.some(([, path, frame]) => !frame && !known(path))) {
    // One was freed meanwhile.
    for (const [, , frame] of decoded) frame?.picture.close();
    return loadTextures(paths, loading);
  }
  return new Map(
    decoded.flatMap(([key, path, frame]) => {
      const loaded = known(path) ?? (frame && canvas.texture(frame.picture, frame.description));
      frame?.picture.close();
      return loaded ? [[key, loaded]] : [];
    }),
  );
}

/** Layers whose frames and tables are there. */
export const drawnLayers = (frame: Frame, textures: Textures): CanvasLayer[] =>
  frame.flatMap((layer) => {
    const [own, compared] = framesOf(layer);
    const isFiltered = !isPlain(tableOperations(layer));
    const shown = ({ key, image }: LayerFrame) => {
      const texture = textures.get(key);
      const table = isFiltered ? frameTable(image, layer) : undefined;
      return texture && (table || !isFiltered) ? { image, texture, table } : null;
    };
    const [image, reference] = [shown(own!), compared ? shown(compared) : null];
    if (!image || lacksReference(layer) || (compared && !reference)) return [];
    const operations = isPlain(own!.operations) ? operationsOf(layer) : colourOperations(layer);
    return [{ ...operations, key: layer.key, opacity: layer.opacity, image, reference, layer }];
  });
