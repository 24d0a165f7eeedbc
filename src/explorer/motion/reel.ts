// The frames of a range of time: a coarse one of every image first, then finer ones of the place of the screen, in the order in which
// they are wanted; and what draws them.
import { colourOperations, levelOperations } from '../../picture/operations/operations.ts';
import { pictureKey } from '../../picture/picture.ts';
import type { Frame, Picture, ScreenView } from '../picture/picture.ts';
import { commitPlayed, frameOf } from '../store/open.ts';
import { type Moment, type Moments, shownAt } from '../time/moments.ts';
import type { CanvasLayer, MotionCanvas, Texture } from './canvas.ts';
import type { FramePaths, GradeName, Textures } from './layer-frames.ts';
import { drawnLayers, loadTables, loadTextures, pathsOf } from './layer-frames.ts';
import { Pace } from './pace.ts';

/** Requests at a time: those that a browser sends to one host. */
const REQUESTS = 6;
/** Coarse frames to buffer before fine ones are loaded. */
const COARSE_AHEAD = 8;
/** Frames that fail one after the other before play ends, when there is nothing to show. */
const MOST_FAILURES = 3;
/** Pixels of the fine frames that are kept, of a byte each: 48 of three layers of 1040x1040. */
const MOST_PIXELS = 160_000_000;

type Grade = { readonly paths: FramePaths; readonly key: string; readonly textures: Textures };

export type Nearest = { readonly index: number; readonly isFine: boolean };

interface Slot {
  readonly moment: Moment;
  /** Key of the fine frames of a view. */
  fineKey: { readonly view: string; readonly key: string } | null;
  coarse: Grade | null;
  fine: Grade | null;
  isLoading: boolean;
  readonly failed: Set<string>;
}

type LayersOf = (frame: Frame) => readonly CanvasLayer[];

export type Player = ReturnType<typeof newPlayer>;

/** Draws the frames of a reel, or a coarse picture, and measures how fast. */
export function newPlayer(canvas: MotionCanvas) {
  let layersOf: LayersOf | null = null;
  let drawn: readonly CanvasLayer[] = [];
  const pace = new Pace();
  let isTimed = false;
  /** Frames that are freed when they are no longer drawn. */
  const released = new Set<Texture>();

  function freeReleased(): void {
    const inUse = new Set(drawn.flatMap(({ image, reference }) => [image.texture, reference?.texture]));
    for (const texture of released) {
      if (inUse.has(texture)) continue;
      canvas.free(texture);
      released.delete(texture);
    }
  }

  /** Measures what has been drawn: the frame of the screen after the one that shows it comes late where the drawing takes long. */
  function time(): void {
    if (isTimed) return;
    isTimed = true;
    requestAnimationFrame((shownMs) =>
      requestAnimationFrame((nextMs) => {
        isTimed = false;
        pace.took(nextMs - shownMs);
      }),
    );
  }

  return {
    canvas,
    element: canvas.element,

    show(next: LayersOf): void {
      layersOf = next;
    },

    hold(present: LayersOf): void {
      if (layersOf === present) layersOf = null;
    },

    /** Frees frames, at once or when they are no longer drawn. */
    release(textures: Iterable<Texture>): void {
      for (const texture of textures) released.add(texture);
      freeReleased();
    },

    draw(frame: Frame, view: ScreenView): void {
      const held = () =>
        drawn.map((former) => {
          const { key, image, reference } = former;
          const layer = frame.find((one) => one.key === key) ?? former.layer;
          return { ...levelOperations(former), ...colourOperations(layer), key, opacity: layer.opacity, image, reference, layer };
        });
      drawn = layersOf?.(frame) ?? held();
      if (canvas.draw(drawn, view, pace.density)) time();
      freeReleased();
    },

    rest: () => pace.reset(),

    removed(): void {
      drawn = [];
      pace.reset();
      freeReleased();
    },
  };
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

export type Reel = ReturnType<typeof newReel>;

export function newReel({ list, since: first }: Moments, player: Player, picture: Picture) {
  const { canvas } = player;
  const empty = { fineKey: null, coarse: null, fine: null, isLoading: false };
  const slots = list.map((moment): Slot => ({ ...empty, moment, failed: new Set() }));
  let since = first;
  let shownIndex = 0;
  let wanted: Wanted = { from: 0, order: 'ahead', signal: AbortSignal.abort(), onLoaded: () => undefined };
  let requests = 0;
  let failures: unknown[] = [];
  let isFailing = false;
  const waiting: (() => void)[] = [];
  /** The tables of all frames. */
  let tables: Promise<void> = Promise.resolve();
  let hasTables = false;

  const frameIn = ({ moment }: Slot) => frameOf(shownAt(moment, since));

  function fineKeyOf(slot: Slot): string {
    const frame = frameIn(slot);
    const viewport = picture.viewOf(frame);
    const view = pictureKey([viewport]);
    if (slot.fineKey?.view !== view) slot.fineKey = { view, key: keyOf(pathsOf(frame, 'fine', viewport)) };
    return slot.fineKey.key;
  }

  /** Whether the fine frames of a slot are those of the view. */
  const isFine = (slot: Slot) => slot.fine !== null && slot.fine.key === fineKeyOf(slot);

  /** What is there of the shown frame, for the layers that the page shows: fine frames of the view, else coarse ones. */
  const layersOf = (frame: Frame): CanvasLayer[] => {
    const slot = slots[shownIndex]!;
    const grade = isFine(slot) || !slot.coarse ? slot.fine : slot.coarse;
    return grade ? drawnLayers(frame, grade.textures) : [];
  };

  const grades = (): Grade[] => slots.flatMap(({ coarse, fine }) => [coarse, fine].filter((grade) => grade !== null));

  function free(slot: Slot, grade: GradeName): void {
    const textures = [...(slot[grade]?.textures.values() ?? [])];
    slot[grade] = null;
    const kept = new Set(grades().flatMap((of) => [...of.textures.values()]));
    player.release(textures.filter((texture) => !kept.has(texture)));
  }

  /** A frame that another time has: running differences subtract images that are also shown. */
  function known(path: string): Texture | undefined {
    for (const { paths, textures } of grades()) for (const [key, of] of paths) if (of === path) return textures.get(key);
    return undefined;
  }

  function orderedSlots(): readonly Slot[] {
    const { from, order } = wanted;
    if (order === 'ahead') return [...slots.slice(from), ...slots.slice(0, from)];
    const distance = new Map(slots.map((slot, i) => [slot, Math.abs(i - from)]));
    return slots.toSorted((a, b) => distance.get(a)! - distance.get(b)!);
  }

  /** How many fine frames fit in memory at their present size. */
  function reachOf(): number {
    const fine = slots.find((slot) => slot.fine)?.fine;
    const pixels = [...(fine?.textures.values() ?? [])].reduce((sum, { size }) => sum + size.width * size.height, 0);
    return pixels === 0 ? slots.length : Math.max(2, Math.floor(MOST_PIXELS / pixels));
  }

  function wake(): void {
    for (const resolve of waiting.splice(0)) resolve();
  }

  async function load(slot: Slot, grade: GradeName, signal: AbortSignal): Promise<void> {
    const frame = frameIn(slot);
    const paths = pathsOf(frame, grade, picture.viewOf(frame));
    const key = keyOf(paths);
    const onRetry = () => {
      isFailing = true;
      wake();
    };
    requests += paths.size;
    slot.isLoading = true;
    try {
      const textures = await loadTextures(paths, { canvas, signal, onRetry, known });
      const former = { ...slot };
      slot[grade] = { paths, key, textures };
      free(former, grade);
      slot.failed.clear();
      isFailing = false;
      failures = [];
    } catch (error) {
      if (!signal.aborted) {
        slot.failed.add(key);
        failures.push(error);
        onRetry();
      }
    }
    requests -= paths.size;
    slot.isLoading = false;
    wake();
    fill();
  }

  /** Starts loads: coarse frames of all times and fine ones, in the order in which they are wanted. */
  function fill(): void {
    const { signal, onLoaded } = wanted;
    if (signal.aborted || canvas.isLost) return;
    const ordered = orderedSlots();
    const reach = reachOf();
    for (const slot of ordered.slice(reach)) free(slot, 'fine');
    const fine = new Set(slots.filter(isFine));
    onLoaded([...fine].map(({ moment }) => moment.atMs));
    const lacking = ordered.filter((slot) => !fine.has(slot) && !slot.isLoading);
    const coarse = lacking.filter((slot) => !slot.coarse && slot.failed.size === 0);
    const finer = new Set(ordered.slice(0, reach));
    const hasNear = ordered.slice(0, COARSE_AHEAD).every((slot) => isThere(slot) || slot.failed.size > 0);
    const next = lacking.filter((slot) => finer.has(slot) && !slot.failed.has(fineKeyOf(slot)));
    const loads = (of: readonly Slot[], grade: GradeName) => of.map((slot, turn) => ({ slot, grade, turn }));
    const all = [...loads(hasNear ? next : [], 'fine'), ...loads(coarse, 'coarse')];
    for (const { slot, grade } of all.sort((a, b) => a.turn - b.turn)) {
      if (requests >= REQUESTS) return;
      if (!slot.isLoading) void load(slot, grade, signal);
    }
  }

  function moveTo(from: number): void {
    wanted = { ...wanted, from };
    fill();
  }

  return {
    list,
    player,
    moveTo,

    /** Takes layers from another state of the page, which have the same frames. */
    follow(next: Moments): void {
      since = next.since;
    },

    /** Loads frames, and the tables of all of them at once, until `next.signal`. What has been loaded stays until `close`. */
    start(next: Wanted): void {
      wanted = next;
      failures = [];
      isFailing = false;
      for (const { failed } of slots) failed.clear();
      hasTables = false;
      tables = loadTables(slots.flatMap(frameIn), next.signal).then(() => {
        hasTables = true;
        fill();
      });
      tables.catch(() => undefined);
      fill();
    },

    /**
     * The index of a frame of which something is there: the one from which it is asked for, or the first after it while that has failed. Null
     * without a canvas.
     * @throws the failure of a load when nothing is there
     */
    async ready(from: number): Promise<number | null> {
      const { signal } = wanted;
      moveTo(from);
      await tables;
      for (;;) {
        if (canvas.isLost) return null;
        const slot = orderedSlots().find((one) => isThere(one) || !(isFailing || one.failed.size > 0));
        if (slot && isThere(slot)) return slots.indexOf(slot);
        if (!slot && failures.length >= Math.min(MOST_FAILURES, slots.length)) throw failures.at(-1);
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
        });
        signal.throwIfAborted();
      }
    },

    /** The frame nearest to an index of which something is there. */
    nearest(index: number): Nearest | null {
      const loaded = slots.flatMap((slot, i) => (hasTables && isThere(slot) ? [i] : []));
      if (loaded.length === 0) return null;
      const at = loaded.reduce((best, i) => (Math.abs(i - index) < Math.abs(best - index) ? i : best));
      return { index: at, isFine: isFine(slots[at]!) };
    },

    show(index: number): void {
      shownIndex = index;
      player.show(layersOf);
      commitPlayed({ next: shownAt(list[index]!, since), since }, player);
    },

    close(): void {
      player.hold(layersOf);
      for (const slot of slots) for (const grade of GRADES) free(slot, grade);
    },
  };
}
