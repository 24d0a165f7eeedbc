// The sheet on which a projection draws standing pictures, from frames of whole images. Loads with the first projection.
import '../core.ts';
import { framePath, loadFrame } from '../api/frames.ts';
import { MotionCanvas, type Texture } from '../motion/canvas.ts';
import { drawnLayers } from '../motion/layer-frames.ts';
import { fineWhole } from '../motion/places.ts';
import { framesOf, type LayerFrame, lacksReference } from '../picture/frame-layer.ts';
import type { Frame, ScreenView, Sheet } from '../picture/picture.ts';

/** Frames that are kept: of two pictures of five layers and of the images that those are compared with, and of another level of each. */
const MOST_KEPT = 40;

interface Kept {
  /** As in LayerFrame. */
  readonly key: string;
  /** Null while it loads, and after a failure. */
  texture: Texture | null;
  state: 'loading' | 'loaded' | 'failed';
  loaded: Promise<void>;
}

/** The frame of a whole image as fine as the screen, as far as a frame can be. */
const pathOf = ({ image, operations }: LayerFrame, { camera }: ScreenView): string =>
  framePath(image.id, fineWhole(image, camera), operations);

class FrameSheet implements Sheet {
  readonly #canvas: MotionCanvas;
  readonly #onChange: () => void;
  /** By path, from the one that has not been used for the longest time. */
  readonly #kept = new Map<string, Kept>();
  /** Paths of what has been drawn last. */
  #drawn: readonly string[] = [];
  /** Layers of it that cannot be drawn. */
  #lacking = 0;

  /** `onChange`: frames have loaded or failed. */
  constructor(canvas: MotionCanvas, onChange: () => void) {
    this.#canvas = canvas;
    this.#onChange = onChange;
  }

  get element(): HTMLElement {
    return this.#canvas.element;
  }

  get isLost(): boolean {
    return this.#canvas.isLost;
  }

  get state() {
    const states = this.#drawn.map((path) => this.#kept.get(path)?.state);
    return {
      isComplete: !states.includes('loading'),
      failures: this.#lacking + states.filter((state) => state === 'failed').length,
    };
  }

  async load(frame: Frame, view: ScreenView): Promise<void> {
    await Promise.all(frame.flatMap(framesOf).map((one) => this.#wanted(one, pathOf(one, view)).loaded));
  }

  draw(frame: Frame, view: ScreenView): void {
    const frames = frame.flatMap(framesOf);
    this.#drawn = frames.map((one) => pathOf(one, view));
    this.#lacking = frame.filter(lacksReference).length;
    const textures = frames.flatMap((one, i) => {
      const texture = this.#wanted(one, this.#drawn[i]!).texture ?? this.#otherOf(one);
      return texture ? [[one.key, texture] as const] : [];
    });
    this.#canvas.draw(drawnLayers(frame, new Map(textures)), view);
    this.#freeOld();
  }

  retry(): void {
    for (const [path, { state }] of this.#kept) if (state === 'failed') this.#kept.delete(path);
    this.#onChange();
  }

  removed(): void {
    this.#drawn = [];
    this.#lacking = 0;
  }

  /** A frame, which loads if it is not there. */
  #wanted({ key }: LayerFrame, path: string): Kept {
    const known = this.#kept.get(path);
    if (known) {
      this.#kept.delete(path);
      this.#kept.set(path, known);
      return known;
    }
    const kept: Kept = { key, texture: null, state: 'loading', loaded: Promise.resolve() };
    kept.loaded = this.#load(kept, path);
    this.#kept.set(path, kept);
    return kept;
  }

  async #load(kept: Kept, path: string): Promise<void> {
    try {
      const { picture, description } = await loadFrame(path, new AbortController().signal);
      kept.texture = this.#canvas.texture(picture, description);
      picture.close();
      kept.state = 'loaded';
    } catch {
      kept.state = 'failed';
    }
    if (this.#drawn.includes(path)) this.#onChange();
  }

  /** A frame of another level of the same image, until the one that is wanted has loaded. */
  #otherOf({ key }: LayerFrame): Texture | undefined {
    return [...this.#kept.values()].findLast((kept) => kept.key === key && kept.texture)?.texture ?? undefined;
  }

  #freeOld(): void {
    for (const [path, { texture, state }] of this.#kept) {
      if (this.#kept.size <= MOST_KEPT) return;
      if (state === 'loading' || this.#drawn.includes(path)) continue;
      if (texture) this.#canvas.free(texture);
      this.#kept.delete(path);
    }
  }
}

let made: FrameSheet | null = null;

/** The sheet of the page; null where the browser has no WebGL 2. `onChange`: frames have loaded or failed. */
export function frameSheet(onChange: () => void): Sheet | null {
  if (made && !made.isLost) return made;
  const canvas = MotionCanvas.create();
  made = canvas && new FrameSheet(canvas, onChange);
  return made;
}
