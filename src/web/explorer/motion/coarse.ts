// A coarse picture of a view, before its tiles. Loads with the first one.
import '../core.ts';
import '../picture/tile-sheet.ts';
import { requestResponse } from '../api/request.ts';
import { lacksReference } from '../picture/frame-layer.ts';
import type { Frame } from '../picture/picture.ts';
import { type CoarseCover, currentPicture } from '../store/open.ts';
import { drawnLayers, type FramePaths, loadTextures, pathsOf } from './layer-frames.ts';
import { presentPlayer } from './player.ts';

function coarsePaths(frame: Frame): FramePaths {
  const picture = currentPicture()!;
  return pathsOf(frame, 'coarse', { camera: picture.viewOf(frame), size: picture.size });
}

/** Loads all of the images of a frame coarsely into the browser's cache. @throws as `requestResponse` */
export async function preloadCoarse(frame: Frame, signal: AbortSignal): Promise<void> {
  for (const path of coarsePaths(frame).values()) await (await requestResponse(path, { signal })).arrayBuffer();
}

/** Loads all of the images of a frame coarsely. Null where they cannot be drawn. @throws as `loadTextures` */
export async function coarseCover(frame: Frame, signal: AbortSignal): Promise<CoarseCover | null> {
  const player = presentPlayer();
  if (!player || frame.some(lacksReference)) return null;
  const textures = await loadTextures(coarsePaths(frame), { canvas: player.canvas, signal });
  player.show((present) => drawnLayers(present, textures));
  const release = () => {
    for (const texture of textures.values()) player.release(texture);
  };
  return { cover: player, release };
}
