// Plays a range from grey frames on a canvas in front of the tiles. Loads with the first play.
import '../core.ts';
import type { Camera, Size } from '../picture/geometry.ts';
import type { Cover, Frame } from '../picture/picture.ts';
import { commitPlayed, currentPicture, frameOf, present } from '../store/open.ts';
import { buffered } from '../time/range.ts';
import { type DrawnLayer, MotionCanvas, type Texture } from './canvas.ts';
import { Reel } from './reel.ts';

/** A frame that is ready to be shown. */
export interface Playable {
  readonly atMs: number;
  show(): void;
}

/** What is loaded of the layers of a frame. */
type LayersOf = (frame: Frame) => readonly DrawnLayer[];

/** The canvas that draws frames, and what it draws. */
class Player implements Cover {
  readonly canvas: MotionCanvas;
  #layersOf: LayersOf | null = null;
  #drawn: readonly DrawnLayer[] = [];
  /** Frames that are freed when they are no longer drawn. */
  readonly #released = new Set<Texture>();

  constructor(canvas: MotionCanvas) {
    this.canvas = canvas;
  }

  get element(): HTMLElement {
    return this.canvas.element;
  }

  /** Draws these layers from now on. */
  show(layersOf: LayersOf): void {
    this.#layersOf = layersOf;
  }

  /** Keeps what is drawn, if these layers are. */
  hold(layersOf: LayersOf): void {
    if (this.#layersOf === layersOf) this.#layersOf = null;
  }

  release(texture: Texture): void {
    this.#released.add(texture);
    this.#freeReleased();
  }

  draw(frame: Frame, camera: Camera, size: Size): void {
    const opacities = new Map(frame.map(({ image, opacity }) => [image.id, opacity]));
    const held = () => this.#drawn.map((layer) => ({ ...layer, opacity: opacities.get(layer.image.id) ?? layer.opacity }));
    this.#drawn = this.#layersOf?.(frame) ?? held();
    this.canvas.draw(this.#drawn, camera, size);
    this.#freeReleased();
  }

  removed(): void {
    this.#drawn = [];
    this.#freeReleased();
  }

  #freeReleased(): void {
    const drawn = new Set(this.#drawn.map(({ texture }) => texture));
    for (const texture of this.#released) {
      if (drawn.has(texture)) continue;
      this.canvas.free(texture);
      this.#released.delete(texture);
    }
  }
}

let player: Player | null | undefined;

/** The player for the layers of a frame; null where they have differences, or the browser has no WebGL 2. */
function playerFor(frame: Frame): Player | null {
  if (frame.some(({ difference }) => difference.kind !== 'none')) return null;
  if (player === undefined || player?.canvas.isLost) {
    const canvas = MotionCanvas.create();
    player = canvas && new Player(canvas);
  }
  return player;
}

/**
 * Yields the frames of a loop without end, from the first one at a time or later. Ends where the player cannot draw them: without WebGL 2,
 * for differences, or when the browser takes the graphics processor away.
 */
export async function* playedFrames(times: readonly number[], from: number, signal: AbortSignal): AsyncGenerator<Playable> {
  const [state, picture] = [present(), currentPicture()];
  const player = state && playerFor(frameOf(state));
  if (!player || !picture) return;
  const { canvas } = player;
  const onBuffered = (loaded: readonly number[]) => {
    if (loaded.join() !== buffered.value.join()) buffered.value = loaded;
  };
  const reel = new Reel(times, from, { canvas, picture, onBuffered, release: (texture) => player.release(texture), signal });
  let shownIndex = from;
  const layersOf: LayersOf = (frame) => reel.layersAt(shownIndex, frame);
  try {
    for (let index = from; ; index = (index + 1) % times.length) {
      const found = await reel.ready(index);
      if (!found) return;
      const show = () => {
        shownIndex = index;
        player.show(layersOf);
        commitPlayed(found, player);
      };
      yield { atMs: times[index]!, show };
    }
  } finally {
    player.hold(layersOf);
    reel.close();
  }
}
