// What moves: plays a range from grey frames on a canvas in front of the tiles, and shows a view coarsely before its tiles.
import { lacksReference } from '../picture/frame-layer.ts';
import '../picture/tile-sheet.ts';
import { requestResponse } from '../api/request.ts';
import type { Frame } from '../picture/picture.ts';
import { type CoarseCover, currentPicture } from '../store/open.ts';
import type { Moments, Playable } from '../time/moments.ts';
import { buffered } from '../time/range.ts';
import { sharedCanvas } from './canvas.ts';
import { drawnLayers, loadTables, loadTextures, pathsOf } from './layer-frames.ts';
import { type Nearest, newPlayer, newReel, type Player, type Reel } from './reel.ts';

let made: Player | null = null;

/** The player of the canvas of the page; null without WebGL 2. */
function presentPlayer(): Player | null {
  const canvas = sharedCanvas();
  if (canvas !== made?.canvas) made = canvas && newPlayer(canvas);
  return made;
}

/** The last range, whose frames stay for another play and for scrubbing. */
let last: Reel | null = null;

function reelOf(moments: Moments): Reel | null {
  const [picture, player] = [currentPicture(), presentPlayer()];
  if (!player || !picture) return null;
  if (last?.list === moments.list && last.player === player) last.follow(moments);
  else {
    last?.close();
    last = newReel(moments, player, picture);
  }
  return last;
}

function showBuffered(loaded: readonly number[]): void {
  if (loaded.join() !== buffered.value.join()) buffered.value = loaded;
}

/**
 * Yields the frames of a loop without end, from an index on. Ends where the player cannot draw them: without WebGL 2, or when the browser
 * takes the graphics processor away.
 */
export async function* playedFrames(moments: Moments, from: number, signal: AbortSignal): AsyncGenerator<Playable> {
  const reel = reelOf(moments);
  if (!reel) return;
  reel.start({ from, order: 'ahead', signal, onLoaded: showBuffered });
  for (let next = from; ; ) {
    const ready = await reel.ready(next);
    if (ready === null) return;
    next = (ready + 1) % moments.list.length;
    yield { atMs: moments.list[ready]!.atMs, show: () => reel.show(ready) };
  }
}

/**
 * Shows what is loaded nearest to an index that it is given, and that frame once it has loaded. It returns the index of the frame that is shown. Null
 * where the player cannot draw the frames.
 */
export function scrubbed(moments: Moments, from: number, signal: AbortSignal): ((index: number) => number | null) | null {
  const reel = reelOf(moments);
  if (!reel) return null;
  let wanted = from;
  let shown: Nearest | null = null;
  const onLoaded = (loaded: readonly number[]) => {
    showBuffered(loaded);
    const nearest = reel.nearest(wanted);
    if (!nearest || (nearest.index === shown?.index && nearest.isFine === shown.isFine)) return;
    shown = nearest;
    reel.show(nearest.index);
  };
  reel.start({ from, order: 'around', signal, onLoaded });
  return (index) => {
    wanted = index;
    reel.moveTo(index);
    return shown?.index ?? null;
  };
}

const coarsePaths = (frame: Frame) => pathsOf(frame, 'coarse', currentPicture()!.viewOf(frame));

/** Loads all of the images of a frame coarsely into the browser's cache. @throws as `requestResponse` */
export async function preloadCoarse(frame: Frame, signal: AbortSignal): Promise<void> {
  for (const path of coarsePaths(frame).values()) await (await requestResponse(path, { signal })).arrayBuffer();
}

/** Loads all of the images of a frame coarsely. Null where they cannot be drawn. @throws as `loadTextures` */
export async function coarseCover(frame: Frame, signal: AbortSignal): Promise<CoarseCover | null> {
  const player = presentPlayer();
  if (!player || frame.some(lacksReference)) return null;
  const loading = loadTextures(coarsePaths(frame), { canvas: player.canvas, signal });
  const [textures] = await Promise.all([loading, loadTables(frame, signal)]);
  player.show((present) => drawnLayers(present, textures));
  return { cover: player, release: () => player.release(textures.values()) };
}
