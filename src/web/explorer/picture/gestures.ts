// Translates mouse, touch and keys into moves and zooms of the picture.
import { isEmbedded } from '../store/address.ts';
import type { Point } from './geometry.ts';
import type { Picture } from './picture.ts';

type Movable = Pick<Picture, 'move' | 'step' | 'closer' | 'zoom' | 'fit'>;

const STEP_FACTOR = 2;
/** Wheel movement that zooms by a factor of e, so that a notch of about 100 pixels zooms by 1.2. */
const WHEEL_PIXELS_PER_E = 550;
const PIXELS_PER_LINE = 16;

const KEYS: Readonly<Record<string, (picture: Movable) => void>> = {
  ArrowLeft: (picture) => picture.step({ x: -1, y: 0 }),
  ArrowRight: (picture) => picture.step({ x: 1, y: 0 }),
  ArrowUp: (picture) => picture.step({ x: 0, y: -1 }),
  ArrowDown: (picture) => picture.step({ x: 0, y: 1 }),
  '+': (picture) => picture.zoom(STEP_FACTOR),
  '=': (picture) => picture.zoom(STEP_FACTOR),
  '-': (picture) => picture.zoom(1 / STEP_FACTOR),
  '0': (picture) => picture.fit(),
};

function shapeOf(points: readonly Point[]): { centre: Point; spread: number } {
  const mean = (axis: 'x' | 'y') => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  const centre = { x: mean('x'), y: mean('y') };
  return { centre, spread: Math.hypot(points[0]!.x - centre.x, points[0]!.y - centre.y) };
}

/** A drag that begins on a pin is one from this many pixels on; below, it is a click. */
const CLICK_PIXELS = 5;

/**
 * @param element The picture
 * @param stage The element around it and its pins, on which gestures begin as well
 * @param isDragAllowed False while a drag measures instead of moving
 */
export function addGestures(element: HTMLElement, stage: HTMLElement, picture: Movable, isDragAllowed: () => boolean): void {
  const pointers = new Map<number, Point>();
  /** Where drags began on a pin, which keeps its click until they have moved. */
  const onPins = new Map<number, Point>();
  const isPin = ({ target }: Event) => target instanceof Element && target.closest('.pin') !== null;
  const isPicture = ({ target }: Event) => target instanceof Element && element.contains(target);

  const place = ({ clientX, clientY }: MouseEvent): Point => {
    const box = element.getBoundingClientRect();
    return { x: clientX - box.x - box.width / 2, y: clientY - box.y - box.height / 2 };
  };

  stage.addEventListener('pointerdown', (event) => {
    const isOnPin = isPin(event);
    if (event.isPrimary) {
      // The end of an earlier touch does not arrive when its pin has left the page.
      pointers.clear();
      onPins.clear();
    }
    if (event.button !== 0 || !isDragAllowed() || !(isOnPin || isPicture(event))) return;
    if (isOnPin) onPins.set(event.pointerId, place(event));
    else element.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, place(event));
  });
  stage.addEventListener('pointermove', (event) => {
    if (!pointers.has(event.pointerId)) return;
    const from = onPins.get(event.pointerId);
    if (from) {
      const { x, y } = place(event);
      if (pointers.size === 1 && Math.hypot(x - from.x, y - from.y) < CLICK_PIXELS) return;
      onPins.delete(event.pointerId);
      element.setPointerCapture(event.pointerId);
    }
    const before = shapeOf([...pointers.values()]);
    pointers.set(event.pointerId, place(event));
    const after = shapeOf([...pointers.values()]);
    picture.move({ x: before.centre.x - after.centre.x, y: before.centre.y - after.centre.y });
    if (before.spread > 0 && after.spread > 0) picture.zoom(after.spread / before.spread, after.centre);
  });
  for (const end of ['pointerup', 'pointercancel'] as const) {
    stage.addEventListener(end, (event) => {
      pointers.delete(event.pointerId);
      onPins.delete(event.pointerId);
    });
  }
  element.addEventListener('dblclick', (event) => picture.closer(place(event)));
  stage.addEventListener(
    'wheel',
    (event) => {
      if (!isPin(event) && !isPicture(event)) return;
      // A page with an embedded picture scrolls on, until the picture has the focus.
      if (isEmbedded() && !event.ctrlKey && document.activeElement !== element) return;
      event.preventDefault();
      const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * PIXELS_PER_LINE : event.deltaY;
      picture.zoom(Math.exp(-pixels / WHEEL_PIXELS_PER_E), place(event));
    },
    { passive: false },
  );
  element.addEventListener('keydown', (event) => {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : KEYS[event.key];
    if (!act) return;
    event.preventDefault();
    act(picture);
  });
}
