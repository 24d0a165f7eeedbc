// The picture: the layers of a frame over each other, and the view of them.
import type { Stonyhurst } from '../../../domain/coordinates/sphere.ts';
import { ASTRONOMICAL_UNIT_M, SOLAR_RADIUS_M } from '../../../domain/geometry.ts';
import { ARCSEC_PER_RADIUS, PLANE, type Projected, type Projection, sidesOf, turned } from '../../../picture/projection.ts';
import type { ShownLayer } from './frame-layer.ts';
import {
  type Bounds,
  boundsOf,
  type Camera,
  fitted,
  imageBox,
  onScreen,
  type Point,
  type Size,
  unionOf,
  within,
  zoomed,
} from './geometry.ts';
import { preparedTiles, Stack } from './stack.ts';
import type { TileLayer } from './tile-layer.ts';

/** From the bottom to the top. */
export type Frame = readonly ShownLayer[];

/** Requested tiles by the key of their layer. */
export type Tiles = readonly (readonly [number, TileLayer])[];

/** The state of the tiles on the screen. */
export interface PictureState {
  readonly isComplete: boolean;
  readonly failures: number;
  /** Arcseconds per pixel of the tiles of the lowest layer. */
  readonly tileScale: number;
}

/** What the screen shows of the Sun. */
export interface ScreenView {
  readonly camera: Camera;
  readonly size: Size;
  readonly projected: Projected;
}

/** Draws a frame in place of its tiles. */
export interface Cover {
  readonly element: HTMLElement;
  draw(frame: Frame, view: ScreenView): void;
  /** Called once the tiles have taken its place. */
  removed(): void;
}

/** Draws frames in another projection than the plane: the cover that stays. */
export interface Sheet extends Cover {
  /** Whether all of the view has loaded or failed, and how much has failed. */
  readonly state: Pick<PictureState, 'isComplete' | 'failures'>;
  /** Loads what a view needs. Resolves when it has loaded or failed. */
  load(frame: Frame, view: ScreenView): Promise<void>;
  retry(): void;
}

interface PictureEvents {
  onCamera(camera: Camera, byUser: boolean): void;
  /** The place on the Sun below the observer of the picture. */
  home(): Stonyhurst | null;
  onState(state: PictureState): void;
}

const SUN_CENTRE: Point = { x: 0, y: 0 };
/** Moves by keys. */
const STEP = { pixels: 80, degrees: 5 };
const STEP_FACTOR = 2;

const isSameCamera = (a: Camera | null, b: Camera) => a?.x === b.x && a.y === b.y && a.scale === b.scale;

function sizeOf({ clientWidth, clientHeight }: HTMLElement): Size {
  return { width: Math.max(clientWidth, 1), height: Math.max(clientHeight, 1) };
}

/** A projection of a frame, whose lowest image was taken by its observer. */
export const projectedOf = (frame: Frame, projection: Projection): Projected => ({
  projection,
  distanceRadii: (frame[0]?.image.dsun ?? ASTRONOMICAL_UNIT_M) / SOLAR_RADIUS_M,
});

export class Picture {
  readonly #element: HTMLElement;
  /** All layers, moved together: the browser blends them once and then only shifts the result. */
  readonly #layers = document.createElement('div');
  readonly #events: PictureEvents;
  /** Kept, because reading it between changes of style makes the browser lay out the page. */
  #size: Size;
  #frame: Frame = [];
  readonly #stacks = new Map<number, Stack>();
  /** Null until the first frame. */
  #camera: Camera | null = null;
  /** Whether the view follows the size of the screen and of the images. */
  #isFitted = true;
  /** The view that was reported last: frames that play keep it. */
  #reported: Camera | null = null;
  #isDrawing = false;
  #projection: Projection = PLANE;
  /** Null in the plane. */
  #sheet: Sheet | null = null;
  /** What plays in front of the tiles, which are hidden and not loaded meanwhile. */
  #cover: Cover | null = null;
  /** Whether the cover goes when the tiles are complete. */
  #isUncovering = false;

  constructor(element: HTMLElement, events: PictureEvents) {
    this.#element = element;
    this.#events = events;
    this.#size = sizeOf(element);
    this.#layers.className = 'picture-layers';
    element.append(this.#layers);
    new ResizeObserver(() => this.#resized()).observe(element);
  }

  get size(): Size {
    return this.#size;
  }

  get camera(): Camera | null {
    return this.#camera;
  }

  get projection(): Projection {
    return this.#projection;
  }

  get isFitted(): boolean {
    return this.#isFitted;
  }

  /** The present view; of a frame for which it is fitted, all of it. */
  viewOf(frame: Frame): Camera {
    return this.#isFitted || !this.#camera ? this.#wholeOf(frame) : this.#camera;
  }

  /** The whole of a frame in the plane, whatever its projection. */
  planeOf(frame: Frame): Camera {
    return this.#wholeOf(frame, PLANE);
  }

  /** What the screen shows of a frame. `camera`: the view; null for the whole of its images. */
  screenOf(frame: Frame, camera: Camera | null, projection = this.#projection): ScreenView {
    return { camera: camera ?? this.#wholeOf(frame, projection), size: this.size, projected: projectedOf(frame, projection) };
  }

  /** The projection of the frames that are shown or played next. `sheet`: what draws them; null in the plane. */
  project(projection: Projection, sheet: Sheet | null): void {
    this.#projection = projection;
    this.#sheet = sheet;
  }

  /** Requests the tiles of a frame. `camera`: the view; null for the whole of its images. */
  prepare(frame: Frame, camera: Camera | null): Tiles {
    const view = camera ?? this.#wholeOf(frame);
    return frame.map((layer) => [layer.key, preparedTiles(layer, view, this.size)] as const);
  }

  /** Shows a frame by a cover in place of its tiles, until `show` or `uncover`. `camera`: the view; null for the whole of its images. */
  play(frame: Frame, cover: Cover, camera: Camera | null): void {
    this.#place(frame, camera);
    this.#coverWith(cover);
    this.#drawNow(false);
  }

  /** Loads the tiles of the frame that a cover shows, or its sheet, which then take its place. */
  uncover(): void {
    if (!this.#cover || !this.#camera || this.#isUncovering || this.#cover === this.#sheet) return;
    if (this.#sheet) void this.#returnTo(this.#sheet, this.#cover, this.#frame);
    else this.show(this.#frame, this.prepare(this.#frame, this.#camera), this.#isFitted ? null : this.#camera);
  }

  /** Shows a frame with its prepared tiles. `camera`: the view, for which tiles may be missing; null for the whole of its images. */
  show(frame: Frame, tiles: Tiles, camera: Camera | null): void {
    this.#place(frame, camera);
    if (this.#sheet) {
      for (const [key, stack] of this.#stacks) this.#remove(key, stack);
      this.#coverWith(this.#sheet);
      this.#drawNow(false);
      return;
    }
    this.#isUncovering = this.#cover !== null;
    const prepared = new Map(tiles);
    for (const [key, stack] of this.#stacks) if (!prepared.has(key)) this.#remove(key, stack);
    for (const layer of frame) {
      const stack = this.#stackOf(layer);
      stack.show(layer, prepared.get(layer.key) ?? null);
      this.#layers.append(stack.element);
    }
    this.#drawNow(false);
  }

  /** Changes opacity and order of the layers that are shown. */
  restyle(frame: Frame): void {
    this.#frame = frame;
    for (const layer of frame) {
      this.#stacks.get(layer.key)?.show(layer, null);
      this.#layers.append(this.#stacks.get(layer.key)?.element ?? '');
    }
    if (this.#camera) this.#cover?.draw(frame, this.screenOf(frame, this.#camera));
  }

  fit(): void {
    if (this.#frame.length === 0) return;
    this.#isFitted = true;
    this.#move(fitted(this.#bounds.box, this.size));
  }

  /** `at`: the fixed point, in pixels from the centre of the element; of a sphere it is its centre. */
  zoom(factor: number, at?: Point): void {
    if (!this.#camera) return;
    this.#isFitted = false;
    this.#move(zoomed(this.#bounds, this.#camera, factor, this.#projection.kind === 'sphere' ? undefined : at));
  }

  /** What a double click does: the view closer to a point, or a sphere as its observer saw it. */
  closer(at: Point): void {
    if (this.#projection.kind === 'sphere') this.turnHome();
    else this.zoom(STEP_FACTOR, at);
  }

  /** Moves the view by pixels; turns a sphere by as much below its centre. */
  move({ x, y }: Point): void {
    if (!this.#camera) return;
    const { scale } = this.#camera;
    if (this.#projection.kind === 'sphere') {
      const degrees = (pixels: number) => ((pixels * scale) / ARCSEC_PER_RADIUS) * (180 / Math.PI);
      this.#turn(turned(this.#projection, degrees(x), -degrees(y)));
      return;
    }
    this.#isFitted = false;
    this.#move({ x: this.#camera.x + x * scale, y: this.#camera.y + y * scale, scale });
  }

  /** Moves the view, or turns a sphere, by a step to the right and down. */
  step({ x, y }: Point): void {
    if (this.#projection.kind === 'sphere') this.#turn(turned(this.#projection, x * STEP.degrees, -y * STEP.degrees));
    else this.move({ x: x * STEP.pixels, y: y * STEP.pixels });
  }

  /** Turns a sphere to a place. */
  turnTo({ longitude, latitude }: Stonyhurst): void {
    if (this.#projection.kind === 'sphere') this.#turn({ kind: 'sphere', longitude, latitude });
  }

  turnHome(): void {
    const home = this.#events.home();
    if (home) this.turnTo(home);
  }

  /** Shows a place at the present scale. */
  look(at: Point): void {
    if (!this.#camera) return;
    this.#isFitted = false;
    this.#move({ ...at, scale: this.#camera.scale });
  }

  /** Draws what has changed aside of the view. */
  redraw(): void {
    if (this.#camera) this.#drawNow(false);
  }

  /** Requests the tiles that failed again. */
  retry(): void {
    for (const stack of this.#stacks.values()) stack.retry();
    this.#sheet?.retry();
    this.report();
  }

  get #bounds(): Bounds {
    const images = this.#frame.map(({ image }) => image);
    const box = sidesOf(projectedOf(this.#frame, this.#projection), unionOf(images.map(imageBox)));
    return boundsOf(images, box, this.size);
  }

  /** The view of the whole of a frame; the present one for a frame without layers. */
  #wholeOf(frame: Frame, projection = this.#projection): Camera {
    if (frame.length === 0) return this.#camera ?? { ...SUN_CENTRE, scale: 1 };
    const box = unionOf(frame.map(({ image }) => imageBox(image)));
    return fitted(sidesOf(projectedOf(frame, projection), box), this.size);
  }

  #turn(projection: Projection): void {
    this.#projection = projection;
    this.#draw();
  }

  #coverWith(cover: Cover): void {
    if (cover !== this.#cover) {
      this.#removeCover();
      this.#cover = cover;
      this.#element.append(cover.element);
    }
    this.#isUncovering = false;
    this.#layers.style.visibility = 'hidden';
  }

  /** Puts the sheet in the place of what has played, once its frames are there. */
  async #returnTo(sheet: Sheet, cover: Cover, frame: Frame): Promise<void> {
    this.#isUncovering = true;
    await sheet.load(frame, this.screenOf(frame, this.#camera));
    if (!this.#isUncovering || this.#cover !== cover || this.#sheet !== sheet) return;
    this.#coverWith(sheet);
    this.#drawNow(false);
  }

  #place(frame: Frame, camera: Camera | null): void {
    this.#frame = frame;
    this.#camera = camera ?? this.#wholeOf(frame);
    this.#isFitted = camera === null;
  }

  #removeCover(): void {
    const cover = this.#cover;
    if (!cover) return;
    this.#cover = null;
    this.#isUncovering = false;
    this.#layers.style.visibility = '';
    cover.element.remove();
    cover.removed();
  }

  #stackOf(layer: ShownLayer): Stack {
    const known = this.#stacks.get(layer.key);
    if (known) return known;
    const stack = new Stack(layer, () => this.report());
    this.#stacks.set(layer.key, stack);
    return stack;
  }

  #remove(key: number, stack: Stack): void {
    stack.remove();
    this.#stacks.delete(key);
  }

  #resized(): void {
    this.#size = sizeOf(this.#element);
    if (!this.#camera || this.#frame.length === 0) return;
    if (this.#isFitted) this.#camera = fitted(this.#bounds.box, this.size);
    this.#draw();
  }

  #move(camera: Camera): void {
    this.#camera = within(this.#bounds, camera);
    this.#draw();
  }

  #draw(): void {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    requestAnimationFrame(() => {
      this.#isDrawing = false;
      this.#drawNow(true);
    });
  }

  #drawNow(byUser: boolean): void {
    if (!this.#camera) return;
    const { x, y } = onScreen(this.#camera, this.size, SUN_CENTRE);
    this.#layers.style.transform = `translate(${Math.round(x)}px,${Math.round(y)}px)`;
    this.#cover?.draw(this.#frame, this.screenOf(this.#frame, this.#camera));
    if (!this.#sheet && (!this.#cover || this.#isUncovering))
      for (const stack of this.#stacks.values()) stack.draw(this.#camera, this.#size);
    if (byUser || !isSameCamera(this.#reported, this.#camera)) this.#events.onCamera(this.#camera, byUser);
    this.#reported = this.#camera;
    this.report();
  }

  /** States what has loaded, after a change of it. */
  report(): void {
    const stacks = [...this.#stacks.values()];
    const sheet = this.#cover === this.#sheet ? this.#sheet?.state : null;
    const failures = stacks.reduce((sum, stack) => sum + stack.failures, sheet?.failures ?? 0);
    const isComplete = stacks.every((stack) => stack.isComplete) && (sheet?.isComplete ?? true);
    if (isComplete && this.#isUncovering && !this.#sheet) this.#removeCover();
    const isLoading = String(!isComplete);
    if (this.#element.dataset.loading !== isLoading) this.#element.dataset.loading = isLoading;
    this.#events.onState({ isComplete, failures, tileScale: stacks[0]?.tileScale ?? 0 });
  }
}
