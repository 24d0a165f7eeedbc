// The frames of a range of time: a coarse one of every image first, then finer ones of the place of the screen, in the order in which
// they are wanted.
import type { Frame, Picture } from '../picture/picture.ts';
import { frameOf } from '../store/open.ts';
import type { Shown } from '../store/shown.ts';
import { type Moments, shownAt } from '../time/moments.ts';
import type { DrawnLayer, MotionCanvas, Texture } from './canvas.ts';
import { drawnLayers, type GradeName, type ImagePaths, loadTextures, pathsOf, type Textures } from './layer-frames.ts';

/** Requests at a time, below the six that a browser sends to one host, so that others go between. */
const LOADS = 5;
/** Pixels of the fine frames that are kept, of a byte each: 96 of 900x900. */
const MOST_PIXELS = 80_000_000;

/** Frames of the layers of a time. */
interface Grade {
  readonly paths: ImagePaths;
  readonly key: string;
  readonly textures: Textures;
}

/** The images of a time, and the state of the page in which they were found. */
export interface Found {
  readonly next: Shown;
  readonly since: Shown;
}

/** A frame of which something is there. */
export interface Nearest {
  readonly index: number;
  readonly found: Found;
  /** Whether its frames are the fine ones of the view. */
  readonly isFine: boolean;
}

interface Slot {
  readonly found: Found;
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
}

/** What is to load. */
export interface Wanted {
  /** The frame that is shown next. */
  readonly from: number;
  /** Frames that follow in the order of play, or those on both sides. */
  readonly order: 'ahead' | 'around';
  readonly signal: AbortSignal;
  /** Called after each load, with the times whose fine frames are there. */
  readonly onLoaded: (times: readonly number[]) => void;
}

const GRADES = ['coarse', 'fine'] as const satisfies readonly GradeName[];

const keyOf = (paths: ImagePaths) => [...paths.values()].join(' ');

export class Reel {
  readonly #options: ReelOptions;
  readonly #slots: readonly Slot[];
  #wanted: Wanted = { from: 0, order: 'ahead', signal: AbortSignal.abort(), onLoaded: () => undefined };
  #loads = 0;
  #failure: unknown = null;
  #waiting: (() => void)[] = [];

  constructor({ list, since }: Moments, options: ReelOptions) {
    this.#slots = list.map((moment) => ({
      found: { next: shownAt(moment, since), since },
      fineKey: null,
      coarse: null,
      fine: null,
      isLoading: false,
    }));
    this.#options = options;
  }

  /** Loads frames until `wanted.signal`. What has been loaded stays until `close`. */
  start(wanted: Wanted): void {
    this.#wanted = wanted;
    this.#failure = null;
    this.#fill();
  }

  /** Loads the frames at and after, or around, an index first. */
  moveTo(from: number): void {
    this.#wanted = { ...this.#wanted, from };
    this.#fill();
  }

  /** Resolves when something of the frame at an index is there; to null without a canvas. @throws the failure of a load */
  async ready(index: number): Promise<Found | null> {
    const slot = this.#slots[index]!;
    const { signal } = this.#wanted;
    this.moveTo(index);
    while (!slot.coarse && !slot.fine) {
      if (this.#options.canvas.isLost) return null;
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
      signal.throwIfAborted();
      if (this.#failure) throw this.#failure;
    }
    return slot.found;
  }

  /** The frame nearest to an index of which something is there. */
  nearest(index: number): Nearest | null {
    const loaded = this.#slots.flatMap(({ coarse, fine }, i) => (coarse || fine ? [i] : []));
    if (loaded.length === 0) return null;
    const at = loaded.reduce((best, i) => (Math.abs(i - index) < Math.abs(best - index) ? i : best));
    const slot = this.#slots[at]!;
    return { index: at, found: slot.found, isFine: this.#isFine(slot) };
  }

  /** What is there of the frame at an index, for the layers that the page shows: fine frames of the view, else coarse ones. */
  layersAt(index: number, frame: Frame): DrawnLayer[] {
    const slot = this.#slots[index]!;
    const grade = this.#isFine(slot) || !slot.coarse ? slot.fine : slot.coarse;
    return grade ? drawnLayers(frame, grade.textures) : [];
  }

  close(): void {
    for (const slot of this.#slots) for (const grade of GRADES) this.#free(slot, grade);
  }

  #pathsOf(frame: Frame, grade: GradeName): ImagePaths {
    const { picture } = this.#options;
    return pathsOf(frame, grade, { camera: picture.viewOf(frame), size: picture.size });
  }

  /** Whether the fine frames of a slot are those of the view. */
  #isFine(slot: Slot): boolean {
    const { found, fine } = slot;
    if (!fine) return false;
    const frame = frameOf(found.next);
    const view = JSON.stringify([this.#options.picture.viewOf(frame), this.#options.picture.size]);
    if (slot.fineKey?.view !== view) slot.fineKey = { view, key: keyOf(this.#pathsOf(frame, 'fine')) };
    return slot.fineKey.key === fine.key;
  }

  #free(slot: Slot, grade: GradeName): void {
    const textures = [...(slot[grade]?.textures.values() ?? [])];
    slot[grade] = null;
    const kept = new Set(this.#grades.flatMap((of) => [...of.textures.values()]));
    for (const texture of textures) if (!kept.has(texture)) this.#options.release(texture);
  }

  get #grades(): Grade[] {
    return this.#slots.flatMap(({ coarse, fine }) => [coarse, fine].filter((grade) => grade !== null));
  }

  /** A frame that another time has: running differences subtract images that are also shown. */
  #known(path: string): Texture | undefined {
    for (const { paths, textures } of this.#grades) for (const [id, of] of paths) if (of === path) return textures.get(id);
    return undefined;
  }

  /** Slots in the order in which they are wanted. */
  get #ordered(): readonly Slot[] {
    const { from, order } = this.#wanted;
    if (order === 'ahead') return [...this.#slots.slice(from), ...this.#slots.slice(0, from)];
    const distance = new Map(this.#slots.map((slot, i) => [slot, Math.abs(i - from)]));
    return this.#slots.toSorted((a, b) => distance.get(a)! - distance.get(b)!);
  }

  /** Fine frames that may be kept, of the sides that those there have. */
  get #reach(): number {
    const fine = this.#slots.find((slot) => slot.fine)?.fine;
    const pixels = [...(fine?.textures.values() ?? [])].reduce((sum, { size }) => sum + size.width * size.height, 0);
    return pixels === 0 ? this.#slots.length : Math.max(2, Math.floor(MOST_PIXELS / pixels));
  }

  /** Starts loads: coarse frames of all times, then fine ones, in the order in which they are wanted. */
  #fill(): void {
    const { canvas } = this.#options;
    const { signal, onLoaded } = this.#wanted;
    if (signal.aborted || canvas.isLost || this.#failure) return;
    const ordered = this.#ordered;
    const reach = this.#reach;
    for (const slot of ordered.slice(reach)) this.#free(slot, 'fine');
    const fine = new Set(this.#slots.filter((slot) => this.#isFine(slot)));
    onLoaded([...fine].map(({ found }) => found.next.view.atMs));
    const lacking = [
      ...ordered.filter(({ coarse }) => !coarse).map((slot) => [slot, 'coarse'] as const),
      ...ordered.slice(0, reach).flatMap((slot) => (fine.has(slot) ? [] : [[slot, 'fine'] as const])),
    ];
    for (const [slot, grade] of lacking) {
      if (this.#loads >= LOADS) return;
      if (!slot.isLoading) void this.#load(slot, grade, signal);
    }
  }

  async #load(slot: Slot, grade: GradeName, signal: AbortSignal): Promise<void> {
    this.#loads += 1;
    slot.isLoading = true;
    try {
      const paths = this.#pathsOf(frameOf(slot.found.next), grade);
      const textures = await loadTextures(paths, this.#options.canvas, signal, (path) => this.#known(path));
      const former = { ...slot, [grade]: slot[grade] };
      slot[grade] = { paths, key: keyOf(paths), textures };
      this.#free(former, grade);
    } catch (error) {
      if (!signal.aborted) this.#failure = error;
    }
    this.#loads -= 1;
    slot.isLoading = false;
    for (const resolve of this.#waiting.splice(0)) resolve();
    this.#fill();
  }
}
