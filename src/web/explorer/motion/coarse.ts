// A coarse picture of a view, before its tiles. Loads with the first one.
import '../core.ts';
import type { Frame } from '../picture/picture.ts';
import { type CoarseCover, currentPicture } from '../store/open.ts';
import { drawnLayers, loadTextures, pathsOf } from './layer-frames.ts';
import { presentPlayer } from './player.ts';

/** Loads all of the images of a frame coarsely. Null where they cannot be drawn. @throws as `loadTextures` */
export async function coarseCover(frame: Frame, signal: AbortSignal): Promise<CoarseCover | null> {
  const [picture, player] = [currentPicture()!, presentPlayer()];
  // Of a difference, the image that is subtracted may not be known yet.
  const isKnown = frame.every(({ difference, older }) => difference.kind === 'none' || older);
  if (!player || !isKnown) return null;
  const viewport = { camera: picture.viewOf(frame), size: picture.size };
  const textures = await loadTextures(pathsOf(frame, 'coarse', viewport), { canvas: player.canvas, signal });
  player.show((present) => drawnLayers(present, textures));
  const release = () => {
    for (const texture of textures.values()) player.release(texture);
  };
  return { cover: player, release };
}
