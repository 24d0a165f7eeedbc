// The pictures of a saved movie: the frames of its images, drawn as on the screen, with what the page shows over them.
import { SAVED_MOVIE } from '../../../config/limits/movies.ts';
import { loadTables } from '../api/frames.ts';
import type { PictureArea } from '../api/pictures.ts';
import { savedArea } from '../model/saved-movie.ts';
import { MotionCanvas } from '../motion/canvas.ts';
import { drawnLayers, loadTextures, pathsOf, type Textures } from '../motion/layer-frames.ts';
import { devicePixels, type Size, type Viewport } from '../picture/geometry.ts';
import { projectedOf } from '../picture/picture.ts';
import { eventsOfPicture } from '../store/events.ts';
import { frameOf } from '../store/open.ts';
import type { Shown } from '../store/shown.ts';
import { hasCredit } from '../store/tools.ts';
import { creditsOf, drawOverlays, presentOverlays } from './overlays.ts';

/** An area in the pixels of a movie, and as the page would show it: its lines and texts have the size of those on the screen. */
interface Layout {
  readonly size: Size;
  readonly viewport: Viewport;
  /** Pixels of the movie per pixel of the page. */
  readonly unit: number;
}

/**
 * @param area In pixels of the screen
 * @param pageScale Arcseconds per pixel of the page
 */
export function layoutOf({ camera, size }: PictureArea, pageScale: number): Layout {
  const { width, height, scale } = savedArea({ ...size, scale: camera.scale });
  const unit = Math.max(Math.min(pageScale / scale, devicePixels()), 1);
  const viewport = { camera: { ...camera, scale: scale * unit }, size: { width: width / unit, height: height / unit } };
  return { size: { width, height }, viewport, unit };
}

/** Reused, because browsers take the graphics processor from the first of several. */
let canvas: MotionCanvas | null = null;

function motionCanvas(): MotionCanvas | null {
  if (!canvas || canvas.isLost) canvas = MotionCanvas.create();
  return canvas;
}

const free = (motion: MotionCanvas, textures: Textures) => {
  for (const texture of textures.values()) motion.free(texture);
};

async function* loaded(
  states: readonly Shown[],
  viewport: Viewport,
  motion: MotionCanvas,
  signal: AbortSignal,
): AsyncGenerator<readonly [Shown, Textures]> {
  const load = (state: Shown) => {
    const textures = loadTextures(pathsOf(frameOf(state), 'fine', viewport, state.view.projection), { canvas: motion, signal });
    textures.catch(() => undefined);
    return textures;
  };
  await loadTables(states.flatMap(frameOf), signal, true);
  const queue = states.slice(0, SAVED_MOVIE.ahead).map(load);
  let current: Textures = new Map();
  try {
    for (const [i, state] of states.entries()) {
      const next = states[i + SAVED_MOVIE.ahead];
      if (next) queue.push(load(next));
      current = await queue.shift()!;
      yield [state, current];
      free(motion, current);
    }
  } finally {
    free(motion, current);
    for (const one of queue) one.then((textures) => free(motion, textures)).catch(() => undefined);
  }
}

/** Yields the same canvas with each picture. Null in a browser without WebGL 2. @throws as `loadTextures`, `presentOverlays` */
export async function picturesOf(
  states: readonly Shown[],
  { size, viewport, unit }: Layout,
  signal: AbortSignal,
): Promise<AsyncGenerator<HTMLCanvasElement> | null> {
  const motion = motionCanvas();
  if (!motion) return null;
  const parts = { caption: true, scale: true, credits: hasCredit.value ? await creditsOf(states[0]!) : [] };
  const overlays = await presentOverlays(viewport, parts);
  const element = Object.assign(document.createElement('canvas'), size);
  const context = element.getContext('2d', { alpha: false })!;
  const background = getComputedStyle(document.querySelector('.stage')!).backgroundColor;
  // The canvas has `devicePixels` of its own pixels in one of the page.
  const drawn = { ...viewport, size: { width: size.width / devicePixels(), height: size.height / devicePixels() } };
  const camera = { ...viewport.camera, scale: (viewport.camera.scale / unit) * devicePixels() };
  async function* pictures() {
    for await (const [state, textures] of loaded(states, { camera, size: drawn.size }, motion!, signal)) {
      const frame = frameOf(state);
      const projected = projectedOf(frame, state.view.projection);
      motion!.draw(drawnLayers(frame, textures), { projected, camera, size: drawn.size });
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.fillStyle = background;
      context.fillRect(0, 0, size.width, size.height);
      context.drawImage(motion!.element, 0, 0);
      context.scale(unit, unit);
      drawOverlays(context, overlays, state, await eventsOfPicture(state.view));
      yield element;
    }
  }
  return pictures();
}
