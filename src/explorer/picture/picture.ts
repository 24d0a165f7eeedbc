// The picture: the layers of a frame over each other, and the view of them.
import { PLANE, type Projection, turned } from '../../picture/projection.ts';
import { ARCSEC_PER_RADIUS } from '../../picture/projections/mapping.ts';
import type { Projected } from '../../picture/projections/projections.ts';
import type { Stonyhurst } from '../../sun/coordinates/sphere.ts';
import { ASTRONOMICAL_UNIT_M, SOLAR_RADIUS_M } from '../../sun/geometry.ts';
import { turns } from '../turns.ts';
import type { ShownLayer } from './frame-layer.ts';
import type { Camera, Point, Size, ViewBounds, Viewport } from './geometry.ts';
import { boundsOf, fitted, imageBox, unionOf, within, zoomed } from './geometry.ts';
import { sidesOf } from './projecting.ts';

/** From the bottom to the top. `askedMs`: milliseconds since 1970, to which the image of a layer is the nearest. */
export type Frame = readonly (ShownLayer & { readonly sourceId: number; readonly askedMs: number })[];

export interface PictureState {
  readonly isComplete: boolean;
  readonly failures: number;
}

export type ScreenView = Viewport & { readonly projected: Projected };

export interface Cover {
  readonly element: HTMLElement;
  draw(frame: Frame, view: ScreenView): void;
  /** Called once another one has taken its place. */
  removed(): void;
  /** Called when what it draws no longer moves. */
  rest?(): void;
}

/** Draws still pictures, and moving ones while nothing plays. */
export interface Sheet extends Cover {
  readonly state: PictureState;
  /** Loads what a view needs until a signal. @returns whether anything of it has loaded; true for a view of nothing */
  load(frame: Frame, view: ScreenView, signal: AbortSignal): Promise<boolean>;
  retry(): void;
}

interface PictureEvents {
  onCamera(camera: Camera, byUser: boolean): void;
  home(): Stonyhurst | null;
  onState(state: PictureState): void;
}

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
  readonly #events: PictureEvents;
  /** Kept, because reading it between changes of style makes the browser lay out the page. */
  size: Size;
  #frame: Frame = [];
  /** Null until the first frame. */
  camera: Camera | null = null;
  /** Whether the view follows the size of the screen and of the images. */
  isFitted = true;
  /** The view that was reported last: frames that play keep it. */
  #reported: Camera | null = null;
  #isDrawing = false;
  projection: Projection = PLANE;
  #sheet: Sheet | null = null;
  #cover: Cover | null = null;
  readonly #nextLoad = turns();

  constructor(element: HTMLElement, events: PictureEvents) {
    this.#element = element;
    this.#events = events;
    this.size = sizeOf(element);
    new ResizeObserver(() => this.#resized()).observe(element);
  }

  /** The present view; of a frame for which it is fitted, all of it. */
  viewOf(frame: Frame): Viewport {
    return { camera: this.isFitted || !this.camera ? this.wholeOf(frame) : this.camera, size: this.size };
  }

  /** What the screen shows of a frame. `camera`: the view; null for the whole of its images. */
  screenOf(frame: Frame, camera: Camera | null, projection = this.projection): ScreenView {
    return { camera: camera ?? this.wholeOf(frame, projection), size: this.size, projected: projectedOf(frame, projection) };
  }

  /** Shows a frame by a cover, until another one or `uncover`. `camera`: the view; null for the whole of its images. */
  play(frame: Frame, cover: Cover, camera: Camera | null): void {
    this.#frame = frame;
    this.camera = camera ?? this.wholeOf(frame);
    this.isFitted = camera === null;
    this.#showBy(cover);
  }

  /** Loads the frame that a cover shows into the sheet, which then takes its place. */
  uncover(): void {
    const [cover, sheet, frame] = [this.#cover, this.#sheet, this.#frame];
    if (!cover || !sheet || !this.camera || cover === sheet) return;
    cover.rest?.();
    this.redraw();
    void this.#loaded(frame, () => this.#showBy(sheet));
  }

  /** Draws by a sheet what stands still. */
  use(sheet: Sheet): void {
    this.#sheet = sheet;
  }

  exchange(frame: Frame): Promise<void> {
    return this.#loaded(frame, () => this.restyle(frame));
  }

  async #loaded(frame: Frame, then: () => void): Promise<void> {
    if (!this.#sheet || !this.camera) return;
    const signal = this.#nextLoad();
    await this.#sheet.load(frame, this.screenOf(frame, this.camera), signal);
    if (!signal.aborted) then();
  }

  restyle(frame: Frame): void {
    this.#frame = frame;
    if (this.camera) this.#cover?.draw(frame, this.screenOf(frame, this.camera));
  }

  fit(): void {
    if (this.#frame.length === 0) return;
    this.isFitted = true;
    this.#move(fitted(this.#bounds.box, this.size));
  }

  /** `at`: the fixed point, in pixels from the centre of the element; of a sphere it is its centre. */
  zoom(factor: number, at?: Point): void {
    if (!this.camera) return;
    this.isFitted = false;
    this.#move(zoomed(this.#bounds, this.camera, factor, this.projection.kind === 'sphere' ? undefined : at));
  }

  /** What a double click does: the view closer to a point, or a sphere as its observer saw it. */
  closer(at: Point): void {
    if (this.projection.kind === 'sphere') this.turnHome();
    else this.zoom(STEP_FACTOR, at);
  }

  /** Moves the view by pixels; turns a sphere by as much below its centre. */
  move({ x, y }: Point): void {
    if (!this.camera) return;
    const { scale } = this.camera;
    if (this.projection.kind === 'sphere') {
      const degrees = (pixels: number) => ((pixels * scale) / ARCSEC_PER_RADIUS) * (180 / Math.PI);
      this.#turn(turned(this.projection, degrees(x), -degrees(y)));
      return;
    }
    this.isFitted = false;
    this.#move({ x: this.camera.x + x * scale, y: this.camera.y + y * scale, scale });
  }

  /** Moves the view, or turns a sphere, by a step to the right and down. */
  step({ x, y }: Point): void {
    if (this.projection.kind === 'sphere') this.#turn(turned(this.projection, x * STEP.degrees, -y * STEP.degrees));
    else this.move({ x: x * STEP.pixels, y: y * STEP.pixels });
  }

  turnTo({ longitude, latitude }: Stonyhurst): void {
    if (this.projection.kind === 'sphere') this.#turn({ kind: 'sphere', longitude, latitude });
  }

  turnHome(): void {
    const home = this.#events.home();
    if (home) this.turnTo(home);
  }

  look(at: Point): void {
    if (!this.camera) return;
    this.isFitted = false;
    this.#move({ ...at, scale: this.camera.scale });
  }

  redraw(): void {
    if (this.camera) this.#drawNow(false);
  }

  retry(): void {
    this.#sheet?.retry();
    this.report();
  }

  get #bounds(): ViewBounds {
    const images = this.#frame.map(({ image }) => image);
    const box = sidesOf(projectedOf(this.#frame, this.projection), unionOf(images.map(imageBox)));
    return boundsOf(images, box, this.size);
  }

  /** The view of the whole of a frame; the present one for a frame without layers. */
  wholeOf(frame: Frame, projection = this.projection): Camera {
    if (frame.length === 0) return this.camera ?? { x: 0, y: 0, scale: 1 };
    const box = unionOf(frame.map(({ image }) => imageBox(image)));
    return fitted(sidesOf(projectedOf(frame, projection), box), this.size);
  }

  #turn(projection: Projection): void {
    this.projection = projection;
    this.#draw();
  }

  #showBy(cover: Cover): void {
    this.#nextLoad();
    const former = this.#cover;
    if (cover !== former) {
      this.#cover = cover;
      if (former?.element !== cover.element) former?.element.remove();
      this.#element.append(cover.element);
      former?.removed();
      this.#element.dataset.moving = String(cover !== this.#sheet);
    }
    this.#drawNow(false);
  }

  #resized(): void {
    this.size = sizeOf(this.#element);
    if (!this.camera || this.#frame.length === 0) return;
    if (this.isFitted) this.camera = fitted(this.#bounds.box, this.size);
    this.#draw();
  }

  #move(camera: Camera): void {
    this.camera = within(this.#bounds, camera);
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
    if (!this.camera) return;
    this.#cover?.draw(this.#frame, this.screenOf(this.#frame, this.camera));
    if (byUser || !isSameCamera(this.#reported, this.camera)) this.#events.onCamera(this.camera, byUser);
    this.#reported = this.camera;
    this.report();
  }

  report(): void {
    if (!this.#sheet) return;
    const { state } = this.#sheet;
    const isLoading = String(!state.isComplete);
    if (this.#element.dataset.loading !== isLoading) this.#element.dataset.loading = isLoading;
    this.#events.onState(state);
  }
}
