// The frames of the layers of a picture: their paths, and what is drawn once they have loaded.
import { frameGrid, type Tiles } from '../../picture/moving-frame.ts';
import { colourOperations, isPlain, operationsOf, tableOperations } from '../../picture/operations/operations.ts';
import { MOVING_FRAME } from '../../platform/limits/rendering.ts';
import { framePath, frameTable, loadFrame } from '../api/frames.ts';
import type { ImageRecord } from '../api/images.ts';
import { framesOf, type LayerFrame, lacksReference } from '../picture/frame-layer.ts';
import type { Box, Camera, Size, Viewport } from '../picture/geometry.ts';
import { imageBox, levelFor, levelScale, seenBox, tileRect, wholeScale } from '../picture/geometry.ts';
import type { Frame } from '../picture/picture.ts';
import { projection } from '../store/state.ts';
import type { CanvasLayer, MotionCanvas, Texture } from './canvas.ts';

const sidesOf = ({ width, height, scale }: ImageRecord, address: Tiles): Size =>
  frameGrid({ width, height, scaleArcsecPerPixel: scale }, address);

const fits = ({ width, height }: Size, side: number) => Math.max(width, height) <= side;

/** All of an image at the first level from `level` on at which its sides are at most `side` pixels. */
const wholeFrom = (image: ImageRecord, level: number, side: number): Tiles => ({ imageScale: wholeScale(image, level, side) });

/** Levels by which the frame of a whole image that comes first is coarser. */
const COARSER = 2;
/** Half of the longest side of a frame: a coarse one is no larger. */
const COARSE_SIDE = MOVING_FRAME.sidePixels / 4;

/** A box around an image, however it is turned. */
function grown({ left, top, right, bottom }: Box): Box {
  const [x, y, half] = [(left + right) / 2, (top + bottom) / 2, Math.hypot(right - left, bottom - top) / 2];
  return { left: x - half, top: y - half, right: x + half, bottom: y + half };
}

/** The part of an image in a view, as fine as the screen or as a frame can be; null where the view has nothing of it. */
function finePlace(image: ImageRecord, camera: Camera, size: Size): Tiles | null {
  for (let level = levelFor(image, camera.scale); ; level += 1) {
    const tiles = tileRect(image, seenBox(camera, size), camera.scale, level);
    if (!tiles) return null;
    const whole = { imageScale: levelScale(level) };
    // Frames end where their image does, also where it is turned to the north.
    const part = { ...whole, ...tileRect(image, seenBox(camera, size), camera.scale, level, grown(imageBox(image))) };
    const sides = sidesOf(image, part);
    if (!fits(sides, MOVING_FRAME.sidePixels)) continue;
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
