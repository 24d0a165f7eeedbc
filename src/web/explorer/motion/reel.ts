// The frames of a range of time: a coarse one of every image first, then finer ones of the place of the screen, in the order in which
// they play.
import { framePath, loadFrame } from '../api/frames.ts';
import type { Frame, Picture } from '../picture/picture.ts';
import type { FrameLayer } from '../picture/stack.ts';
import { frameOf, present, viewed } from '../store/open.ts';
import type { Shown } from '../store/shown.ts';
import type { DrawnLayer, MotionCanvas, Texture } from './canvas.ts';
import { coarsePlace, finePlace } from './places.ts';

/** Requests at a time, below the six that a browser sends to one host, so that others go between. */
const LOADS = 5;
/** Pixels of the fine frames that are kept, of a byte each: 96 of 900x900. */
const MOST_PIXELS = 80_000_000;

/** Frames of the layers of a time, by the key of the layer. */
interface Grade {
  /** Paths of the frames, which name their place. */
  readonly key: string;
  readonly textures: ReadonlyMap<number, Texture>;
}

/** The images of a time, and the state of the page in which they were found. */
export interface Found {
  readonly next: Shown;
  readonly since: Shown;
}

interface Slot {
  readonly atMs: number;
  found: Found | null;
  /** Key of the fine frames of a view. */
  fineKey: { readonly view: string; readonly key: string } | null;
  coarse: Grade | null;
  fine: Grade | null;
  /** Whether something of it loads. */
  isLoading: boolean;
}

export interface ReelOptions {
  readonly canvas: MotionCanvas;
  /** Frees a frame, at once or when it is no longer drawn. */
  readonly release: (texture: Texture) => void;
  readonly picture: Pick<Picture, 'viewOf' | 'size'>;
  /** Called with the times whose fine frames are there. */
  readonly onBuffered: (times: readonly number[]) => void;
  readonly signal: AbortSignal;
}

const GRADES = ['coarse', 'fine'] as const;
type GradeName = (typeof GRADES)[number];

const keyOf = (paths: readonly (readonly [FrameLayer, string])[]) => paths.map(([, path]) => path).join(' ');

export class Reel {
  readonly #options: ReelOptions;
  readonly #slots: readonly Slot[];
  /** The slot that is shown next. */
  #pointer: number;
  #loads = 0;
  #failure: unknown = null;
  #waiting: (() => void)[] = [];

  constructor(times: readonly number[], pointer: number, options: ReelOptions) {
    this.#slots = times.map((atMs) => ({ atMs, found: null, fineKey: null, coarse: null, fine: null, isLoading: false }));
    this.#pointer = pointer;
    this.#options = options;
  }

  /** Resolves when something of the frame at an index is there; to null without a canvas. @throws the failure of a load */
  async ready(index: number): Promise<Found | null> {
    this.#pointer = index;
    const slot = this.#slots[index]!;
    while (!slot.coarse && !slot.fine) {
      this.#fill();
      if (this.#options.canvas.isLost) return null;
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
      this.#options.signal.throwIfAborted();
      if (this.#failure) throw this.#failure;
    }
    this.#fill();
    return slot.found;
  }

  /** What is there of the frame at an index, for the layers that the page shows: fine frames of the view, else coarse ones. */
  layersAt(index: number, frame: Frame): DrawnLayer[] {
    const slot = this.#slots[index]!;
    const grade = this.#isFine(slot) || !slot.coarse ? slot.fine : slot.coarse;
    return frame.flatMap(({ key, image, opacity }) => {
      const texture = grade?.textures.get(key);
      return texture ? [{ image, texture, opacity }] : [];
    });
  }

  close(): void {
    for (const slot of this.#slots) for (const grade of GRADES) this.#free(slot, grade);
  }

  #pathsOf(frame: Frame, grade: GradeName): (readonly [FrameLayer, string])[] {
    const { picture } = this.#options;
    const camera = picture.viewOf(frame);
    return frame.flatMap((layer) => {
      const place = grade === 'coarse' ? coarsePlace(layer.image, camera) : finePlace(layer.image, camera, picture.size);
      return place ? [[layer, framePath(layer.image.id, place)] as const] : [];
    });
  }

  /** Whether the fine frames of a slot are those of the view. */
  #isFine(slot: Slot): boolean {
    const { found, fine } = slot;
    if (!found || !fine) return false;
    const frame = frameOf(found.next);
    const view = JSON.stringify([this.#options.picture.viewOf(frame), this.#options.picture.size]);
    if (slot.fineKey?.view !== view) slot.fineKey = { view, key: keyOf(this.#pathsOf(frame, 'fine')) };
    return slot.fineKey.key === fine.key;
  }

  #free(slot: Slot, grade: GradeName): void {
    for (const texture of slot[grade]?.textures.values() ?? []) this.#options.release(texture);
    slot[grade] = null;
  }

  /** Slots from the pointer on. */
  get #ahead(): readonly Slot[] {
    return [...this.#slots.slice(this.#pointer), ...this.#slots.slice(0, this.#pointer)];
  }

  /** Fine frames that may be kept, of the sides that those there have. */
  get #reach(): number {
    const fine = this.#slots.find((slot) => slot.fine)?.fine;
    const pixels = [...(fine?.textures.values() ?? [])].reduce((sum, { size }) => sum + size.width * size.height, 0);
    return pixels === 0 ? this.#slots.length : Math.max(2, Math.floor(MOST_PIXELS / pixels));
  }

  /** Starts loads: coarse frames of all times, then fine ones from the pointer on. */
  #fill(): void {
    const { canvas, onBuffered, signal } = this.#options;
    if (signal.aborted || canvas.isLost) return;
    const ahead = this.#ahead;
    const reach = this.#reach;
    for (const slot of ahead.slice(reach)) this.#free(slot, 'fine');
    const fine = new Set(this.#slots.filter((slot) => this.#isFine(slot)));
    onBuffered([...fine].map(({ atMs }) => atMs));
    const lacking = [
      ...ahead.filter(({ coarse }) => !coarse).map((slot) => [slot, 'coarse'] as const),
      ...ahead.slice(0, reach).flatMap((slot) => (fine.has(slot) ? [] : [[slot, 'fine'] as const])),
    ];
    for (const [slot, grade] of lacking) {
      if (this.#loads >= LOADS) return;
      if (!slot.isLoading) void this.#load(slot, grade);
    }
  }

  async #load(slot: Slot, grade: GradeName): Promise<void> {
    const { signal } = this.#options;
    this.#loads += 1;
    slot.isLoading = true;
    try {
      slot.found ??= await this.#found(slot.atMs);
      const paths = this.#pathsOf(frameOf(slot.found.next), grade);
      const textures = await this.#loaded(paths);
      this.#free(slot, grade);
      slot[grade] = { key: keyOf(paths), textures };
    } catch (error) {
      if (!signal.aborted) this.#failure = error;
    }
    this.#loads -= 1;
    slot.isLoading = false;
    for (const resolve of this.#waiting.splice(0)) resolve();
    if (!this.#failure) this.#fill();
  }

  async #found(atMs: number): Promise<Found> {
    const since = present()!;
    return { next: await viewed({ ...since.view, atMs }, this.#options.signal), since };
  }

  async #loaded(paths: readonly (readonly [FrameLayer, string])[]): Promise<Map<number, Texture>> {
    const { canvas, signal } = this.#options;
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
}
