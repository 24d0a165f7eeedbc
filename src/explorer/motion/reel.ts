// The frames of a range of time: a coarse one of every image first, then finer ones of the place of the screen, in the order in which
// they are wanted; and what draws them.
import { colourOperations, levelOperations } from '../../picture/operations/operations.ts';
import { pictureKey } from '../../picture/picture.ts';
import type { Cover, Frame, Picture, ScreenView } from '../picture/picture.ts';
import { commitPlayed, frameOf } from '../store/open.ts';
import type { Shown } from '../store/state.ts';
import { type Moments, shownAt } from '../time/moments.ts';
import type { CanvasLayer, MotionCanvas, Texture } from './canvas.ts';
import type { FramePaths, GradeName, Textures } from './layer-frames.ts';
import { drawnLayers, loadTables, loadTextures, pathsOf } from './layer-frames.ts';
import { Pace } from './pace.ts';

/** Requests at a time: those that a browser sends to one host. */
const REQUESTS = 6;
/** Coarse frames that are there ahead of the shown one before finer ones load. */
const COARSE_AHEAD = 8;
/** Frames that fail one after the other before play ends, when there is nothing to show. */
const MOST_FAILURES = 3;
/** Pixels of the fine frames that are kept, of a byte each: 48 of three layers of 1040x1040. */
const MOST_PIXELS = 160_000_000;

type Grade = { readonly paths: FramePaths; readonly key: string; readonly textures: Textures };

/** The images of a time, and the state of the page in which they were found. */
type Found = { readonly next: Shown; readonly since: Shown };

export type Nearest = { readonly index: number; readonly found: Found; readonly isFine: boolean };

interface Slot {
  found: Found;
  /** Key of the fine frames of a view. */
  fineKey: { readonly view: string; readonly key: string } | null;
  coarse: Grade | null;
  fine: Grade | null;
  isLoading: boolean;
  readonly failed: Set<string>;
}

type LayersOf = (frame: Frame) => readonly CanvasLayer[];

/** Draws the frames of a reel, or a coarse picture, and measures how fast. */
export class Player implements Cover {
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

  /** Frees frames, at once or when they are no longer drawn. */
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

interface Wanted {
  readonly from: number;
  /** Frames that follow in the order of play, or those on both sides. */
  readonly order: 'ahead' | 'around';
  readonly signal: AbortSignal;
  /** Called after each load, with the times whose fine frames are there. */
  readonly onLoaded: (times: readonly number[]) => void;
}

const GRADES = ['coarse', 'fine'] as const satisfies readonly GradeName[];

const isThere = ({ coarse, fine }: Slot) => coarse !== null || fine !== null;

const keyOf = (paths: FramePaths) => pictureKey([...paths.values()]);

export class Reel {
  readonly list: Moments['list'];
  readonly player: Player;
  readonly #picture: Picture;
  readonly #slots: readonly Slot[];
  #shownIndex = 0;
  #wanted: Wanted = { from: 0, order: 'ahead', signal: AbortSignal.abort(), onLoaded: () => undefined };
  #requests = 0;
  #failures: unknown[] = [];
  #isFailing = false;
  #waiting: (() => void)[] = [];
  /** The tables of all frames. */
  #tables: Promise<void> = Promise.resolve();
  #hasTables = false;

  constructor({ list, since }: Moments, player: Player, picture: Picture) {
    this.list = list;
    this.player = player;
    this.#picture = picture;
    this.#slots = list.map((moment) => ({
      found: { next: shownAt(moment, since), since },
      fineKey: null,
      coarse: null,
      fine: null,
      isLoading: false,
      failed: new Set(),
    }));
  }

  /** Takes layers from another state of the page, which have the same frames. */
  follow({ list, since }: Moments): void {
    for (const [i, slot] of this.#slots.entries()) slot.found = { next: shownAt(list[i]!, since), since };
  }

  /** Loads frames, and the tables of all of them at once, until `wanted.signal`. What has been loaded stays until `close`. */
  start(wanted: Wanted): void {
    this.#wanted = wanted;
    this.#failures = [];
    this.#isFailing = false;
    for (const { failed } of this.#slots) failed.clear();
    this.#hasTables = false;
    const layers = this.#slots.flatMap(({ found }) => frameOf(found.next));
    this.#tables = loadTables(layers, wanted.signal).then(() => {
      this.#hasTables = true;
      this.#fill();
    });
    this.#tables.catch(() => undefined);
    this.#fill();
  }

  moveTo(from: number): void {
    this.#wanted = { ...this.#wanted, from };
    this.#fill();
  }

  /**
   * Resolves when something of the frame at an index is there, or of the first one after it while it has failed; to null without a canvas.
   * @throws the failure of a load when nothing is there
   */
  async ready(from: number): Promise<{ readonly index: number; readonly found: Found } | null> {
    const { signal } = this.#wanted;
    this.moveTo(from);
    await this.#tables;
    for (;;) {
      if (this.player.canvas.isLost) return null;
      const slot = this.#ordered.find((one) => isThere(one) || !(this.#isFailing || one.failed.size > 0));
      if (slot && isThere(slot)) return { index: this.#slots.indexOf(slot), found: slot.found };
      if (!slot && this.#failures.length >= Math.min(MOST_FAILURES, this.#slots.length)) throw this.#failures.at(-1);
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
      signal.throwIfAborted();
    }
  }

  /** The frame nearest to an index of which something is there. */
  nearest(index: number): Nearest | null {
    const loaded = this.#slots.flatMap((slot, i) => (this.#hasTables && isThere(slot) ? [i] : []));
    if (loaded.length === 0) return null;
    const at = loaded.reduce((best, i) => (Math.abs(i - index) < Math.abs(best - index) ? i : best));
    const slot = this.#slots[at]!;
    return { index: at, found: slot.found, isFine: this.#isFine(slot) };
  }

  show({ index, found }: Pick<Nearest, 'index' | 'found'>): void {
    this.#shownIndex = index;
    this.player.show(this.#layersOf);
    commitPlayed(found, this.player);
  }

  close(): void {
    this.player.hold(this.#layersOf);
    for (const slot of this.#slots) for (const grade of GRADES) this.#free(slot, grade);
  }

  /** What is there of the shown frame, for the layers that the page shows: fine frames of the view, else coarse ones. */
  readonly #layersOf = (frame: Frame): CanvasLayer[] => {
    const slot = this.#slots[this.#shownIndex]!;
    const grade = this.#isFine(slot) || !slot.coarse ? slot.fine : slot.coarse;
    return grade ? drawnLayers(frame, grade.textures) : [];
  };

  #fineKeyOf(slot: Slot): string {
    const frame = frameOf(slot.found.next);
    const viewport = this.#picture.viewOf(frame);
    const view = pictureKey([viewport]);
    if (slot.fineKey?.view !== view) slot.fineKey = { view, key: keyOf(pathsOf(frame, 'fine', viewport)) };
    return slot.fineKey.key;
  }

  /** Whether the fine frames of a slot are those of the view. */
  #isFine(slot: Slot): boolean {
    return slot.fine !== null && slot.fine.key === this.#fineKeyOf(slot);
  }

  #free(slot: Slot, grade: GradeName): void {
    const textures = [...(slot[grade]?.textures.values() ?? [])];
    slot[grade] = null;
    const kept = new Set(this.#grades.flatMap((of) => [...of.textures.values()]));
    this.player.release(textures.filter((texture) => !kept.has(texture)));
  }

  get #grades(): Grade[] {
    return this.#slots.flatMap(({ coarse, fine }) => [coarse, fine].filter((grade) => grade !== null));
  }

  /** A frame that another time has: running differences subtract images that are also shown. */
  #known(path: string): Texture | undefined {
    for (const { paths, textures } of this.#grades) for (const [key, of] of paths) if (of === path) return textures.get(key);
    return undefined;
  }

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

  /** Starts loads: coarse frames of all times and fine ones, in the order in which they are wanted. */
  #fill(): void {
    const { signal, onLoaded } = this.#wanted;
    if (signal.aborted || this.player.canvas.isLost) return;
    const ordered = this.#ordered;
    const reach = this.#reach;
    for (const slot of ordered.slice(reach)) this.#free(slot, 'fine');
    const fine = new Set(this.#slots.filter((slot) => this.#isFine(slot)));
    onLoaded([...fine].map(({ found }) => found.next.view.atMs));
    const lacking = ordered.filter((slot) => !fine.has(slot) && !slot.isLoading);
    const coarse = lacking.filter((slot) => !slot.coarse && slot.failed.size === 0);
    const finer = new Set(ordered.slice(0, reach));
    const hasNear = ordered.slice(0, COARSE_AHEAD).every((slot) => isThere(slot) || slot.failed.size > 0);
    const next = lacking.filter((slot) => finer.has(slot) && !slot.failed.has(this.#fineKeyOf(slot)));
    const loads = (slots: readonly Slot[], grade: GradeName) => slots.map((slot, turn) => ({ slot, grade, turn }));
    const wanted = [...loads(hasNear ? next : [], 'fine'), ...loads(coarse, 'coarse')];
    for (const { slot, grade } of wanted.sort((a, b) => a.turn - b.turn)) {
      if (this.#requests >= REQUESTS) return;
      if (!slot.isLoading) void this.#load(slot, grade, signal);
    }
  }

  async #load(slot: Slot, grade: GradeName, signal: AbortSignal): Promise<void> {
    const frame = frameOf(slot.found.next);
    const paths = pathsOf(frame, grade, this.#picture.viewOf(frame));
    const key = keyOf(paths);
    const onRetry = () => {
      this.#isFailing = true;
      this.#wake();
    };
    this.#requests += paths.size;
    slot.isLoading = true;
    try {
      const known = (path: string) => this.#known(path);
      const textures = await loadTextures(paths, { canvas: this.player.canvas, signal, onRetry, known });
      const former = { ...slot };
      slot[grade] = { paths, key, textures };
      this.#free(former, grade);
      slot.failed.clear();
      this.#isFailing = false;
      this.#failures = [];
    } catch (error) {
      if (!signal.aborted) {
        slot.failed.add(key);
        this.#failures.push(error);
        onRetry();
      }
    }
    this.#requests -= paths.size;
    slot.isLoading = false;
    this.#wake();
    this.#fill();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
