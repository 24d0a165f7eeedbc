// What moves: plays a range from grey frames on a canvas in front of the tiles, and shows a view coarsely before its tiles.

import { colourOperations, levelOperations } from '../../picture/operations/operations.ts';
import { lacksReference } from '../picture/frame-layer.ts';
import '../picture/tile-sheet.ts';
import { requestResponse } from '../api/request.ts';
import type { Cover, Frame, ScreenView } from '../picture/picture.ts';
import { type CoarseCover, currentPicture } from '../store/open.ts';
import type { Moments, Playable } from '../time/moments.ts';
import { buffered } from '../time/range.ts';
import { type CanvasLayer, type MotionCanvas, sharedCanvas, type Texture } from './canvas.ts';
import { drawnLayers, loadTables, loadTextures, pathsOf } from './layer-frames.ts';
import { Pace } from './pace.ts';
import { type LayersOf, type Nearest, Reel } from './reel.ts';

class Player implements Cover {
  readonly canvas: MotionCanvas;
  #layersOf: LayersOf | null = null;
  #drawn: readonly CanvasLayer[] = [];
  readonly #pace = new Pace();
  #isTimed = false;
  /** Frames that are freed when they are no longer drawn. */
  readonly #released = new Set<Texture>();

  constructor(canvas: MotionCanvas) {
    this.canvas = canvas;
  }

  get element(): HTMLElement {
    return this.canvas.element;
  }

  show(layersOf: LayersOf): void {
    this.#layersOf = layersOf;
  }

  hold(layersOf: LayersOf): void {
    if (this.#layersOf === layersOf) this.#layersOf = null;
  }

  release(textures: Iterable<Texture>): void {
    for (const texture of textures) this.#released.add(texture);
    this.#freeReleased();
  }

  draw(frame: Frame, view: ScreenView): void {
    const held = () =>
      this.#drawn.map((drawn) => {
        const { key, image, reference } = drawn;
        const layer = frame.find((one) => one.key === key) ?? drawn.layer;
        return { ...levelOperations(drawn), ...colourOperations(layer), key, opacity: layer.opacity, image, reference, layer };
      });
    this.#drawn = this.#layersOf?.(frame) ?? held();
    if (this.canvas.draw(this.#drawn, view, this.#pace.density)) this.#time();
    this.#freeReleased();
  }

  rest(): void {
    this.#pace.reset();
  }

  removed(): void {
    this.#drawn = [];
    this.#pace.reset();
    this.#freeReleased();
  }

  /** Measures what has been drawn: the frame of the screen after the one that shows it comes late where the drawing takes long. */
  #time(): void {
    if (this.#isTimed) return;
    this.#isTimed = true;
    requestAnimationFrame((shownMs) =>
      requestAnimationFrame((nextMs) => {
        this.#isTimed = false;
        this.#pace.took(nextMs - shownMs);
      }),
    );
  }

  #freeReleased(): void {
    const drawn = new Set(this.#drawn.flatMap(({ image, reference }) => [image.texture, reference?.texture]));
    for (const texture of this.#released) {
      if (drawn.has(texture)) continue;
      this.canvas.free(texture);
      this.#released.delete(texture);
    }
  }
}

let made: Player | null | undefined;

function presentPlayer(): Player | null {
  if (made === undefined || made?.canvas.isLost) {
    const canvas = sharedCanvas();
    made = canvas && new Player(canvas);
  }
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
    last = new Reel(moments, player, picture);
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
    if (!ready) return;
    next = (ready.index + 1) % moments.list.length;
    yield { atMs: moments.list[ready.index]!.atMs, show: () => reel.show(ready) };
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
    reel.show(nearest);
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
