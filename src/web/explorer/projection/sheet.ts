// The sheet on which a projection draws standing pictures, from frames of whole images. Loads with the first projection.
import '../core.ts';
import { framePath, loadFrame } from '../api/frames.ts';
import type { ImageRecord } from '../api/image-record.ts';
import { MotionCanvas, type Texture } from '../motion/canvas.ts';
import { drawnLayers } from '../motion/layer-frames.ts';
import { fineWhole } from '../motion/places.ts';
import { imagesOfLayers, lacksOlder } from '../picture/frame-layer.ts';
import type { Frame, ScreenView, Sheet } from '../picture/picture.ts';

/** Frames that are kept: of two pictures of five layers and of the images that those are compared with, and of another level of each. */
const MOST_KEPT = 40;

interface Kept {
  readonly imageId: number;
  /** Null while it loads, and after a failure. */
  texture: Texture | null;
  state: 'loading' | 'loaded' | 'failed';
  loaded: Promise<void>;
}

/** The frame of a whole image as fine as the screen, as far as a frame can be. */
const pathOf = (image: ImageRecord, { camera }: ScreenView): string => framePath(image.id, fineWhole(image, camera));

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
    await Promise.all(imagesOfLayers(frame).map((image) => this.#wanted(image, pathOf(image, view)).loaded));
  }

  draw(frame: Frame, view: ScreenView): void {
    const images = imagesOfLayers(frame);
    this.#drawn = images.map((image) => pathOf(image, view));
    this.#lacking = frame.filter(lacksOlder).length;
    const textures = images.flatMap((image, i) => {
      const texture = this.#wanted(image, this.#drawn[i]!).texture ?? this.#otherOf(image);
      return texture ? [[image.id, texture] as const] : [];
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
  #wanted(image: ImageRecord, path: string): Kept {
    const known = this.#kept.get(path);
    if (known) {
      this.#kept.delete(path);
      this.#kept.set(path, known);
      return known;
    }
    const kept: Kept = { imageId: image.id, texture: null, state: 'loading', loaded: Promise.resolve() };
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
  #otherOf(image: ImageRecord): Texture | undefined {
    return [...this.#kept.values()].findLast(({ imageId, texture }) => imageId === image.id && texture)?.texture ?? undefined;
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
