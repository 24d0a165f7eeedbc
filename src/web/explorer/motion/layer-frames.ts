// The frames of the layers of a picture: their paths, and what is drawn once they have loaded.
import { framePath, loadFrame } from '../api/frames.ts';
import type { FrameLayer } from '../picture/frame-layer.ts';
import type { Viewport } from '../picture/geometry.ts';
import type { Frame } from '../picture/picture.ts';
import type { DrawnLayer, MotionCanvas, Texture } from './canvas.ts';
import { coarsePlace, finePlace } from './places.ts';

/** Coarse: all of an image. Fine: its part in the view, as fine as the screen. */
export type GradeName = 'coarse' | 'fine';

/** Paths of frames, which name their place. */
export type LayerPaths = readonly (readonly [FrameLayer, string])[];

/** Frames by the key of their layer. */
export type Textures = ReadonlyMap<number, Texture>;

/** The frames that a view needs of some layers. */
export function pathsOf(frame: Frame, grade: GradeName, { camera, size }: Viewport): LayerPaths {
  return frame.flatMap((layer) => {
    const place = grade === 'coarse' ? coarsePlace(layer.image, camera) : finePlace(layer.image, camera, size);
    return place ? [[layer, framePath(layer.image.id, place)] as const] : [];
  });
}

/** Loads frames, whose owner frees them. @throws as `loadFrame` */
export async function loadTextures(paths: LayerPaths, canvas: MotionCanvas, signal: AbortSignal): Promise<Textures> {
  const decoded = await Promise.all(paths.map(async ([{ key }, path]) => [key, await loadFrame(path, signal)] as const));
  signal.throwIfAborted();
  return new Map(
    decoded.map(([key, { picture, description }]) => {
      const texture = canvas.texture(picture, description);
      picture.close();
      return [key, texture];
    }),
  );
}

/** The layers of a picture whose frames are there. */
export const drawnLayers = (frame: Frame, textures: Textures): DrawnLayer[] =>
  frame.flatMap(({ key, image, opacity, range }) => {
    const texture = textures.get(key);
    return texture ? [{ image, texture, opacity, range }] : [];
  });
