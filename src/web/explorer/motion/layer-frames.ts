// The frames of the layers of a picture: their paths, and what is drawn once they have loaded.
import { framePath, loadFrame } from '../api/frames.ts';
import type { ImageRecord } from '../api/image-record.ts';
import { imagesOfLayers } from '../picture/frame-layer.ts';
import type { Viewport } from '../picture/geometry.ts';
import type { Frame } from '../picture/picture.ts';
import { projection } from '../store/state.ts';
import type { DrawnLayer, MotionCanvas, Texture } from './canvas.ts';
import { coarsePlace, finePlace, fineWhole } from './places.ts';

/** Coarse: all of an image. Fine: its part in the view, as fine as the screen. */
export type GradeName = 'coarse' | 'fine';

/** Images, and the paths of their frames, which name the place. */
export type ImagePaths = ReadonlyMap<number, string>;

/** Frames by image. */
export type Textures = ReadonlyMap<number, Texture>;

/** The frames that a view needs of the images of some layers, and of those that they subtract. */
export function pathsOf(frame: Frame, grade: GradeName, { camera, size }: Viewport, { kind } = projection.value): ImagePaths {
  const placeOf = (image: ImageRecord) => {
    if (grade === 'coarse') return coarsePlace(image, camera);
    return kind === 'plane' ? finePlace(image, camera, size) : fineWhole(image, camera);
  };
  return new Map(
    imagesOfLayers(frame).flatMap((image) => {
      const place = placeOf(image);
      return place ? [[image.id, framePath(image.id, place)] as const] : [];
    }),
  );
}

/** How frames load. */
interface Loading {
  readonly canvas: MotionCanvas;
  readonly signal: AbortSignal;
  /** Called after a failure that is followed by another attempt. */
  readonly onRetry?: () => void;
  /** The frames that their owner has already. */
  readonly known?: (path: string) => Texture | undefined;
}

/** Loads frames, whose owner frees them. @throws as `loadFrame` */
export async function loadTextures(paths: ImagePaths, loading: Loading): Promise<Textures> {
  const { canvas, signal, onRetry, known = () => undefined } = loading;
  const decoded = await Promise.all(
    [...paths].map(async ([id, path]) => [id, path, known(path) ? null : await loadFrame(path, signal, onRetry)] as const),
  );
  signal.throwIfAborted();
  if (decoded.some(([, path, frame]) => !frame && !known(path))) {
    // One was freed meanwhile.
    for (const [, , frame] of decoded) frame?.picture.close();
    return loadTextures(paths, loading);
  }
  return new Map(
    decoded.flatMap(([id, path, frame]) => {
      const loaded = known(path) ?? (frame && canvas.texture(frame.picture, frame.description));
      frame?.picture.close();
      return loaded ? [[id, loaded]] : [];
    }),
  );
}

/** The layers of a picture whose frames are there. */
export const drawnLayers = (frame: Frame, textures: Textures): DrawnLayer[] =>
  frame.flatMap(({ image, older: olderImage, difference, opacity, range }) => {
    const texture = textures.get(image.id);
    const older = olderImage && textures.get(olderImage.id);
    if (!texture || (difference.kind !== 'none' && !older)) return [];
    const comparison = difference.kind === 'ratio' ? 'ratio' : 'difference';
    const compared = older && olderImage ? ({ image: olderImage, texture: older, comparison } as const) : null;
    return [{ image, texture, older: compared, opacity, range }];
  });
