// Translates mouse, touch and keys into moves and zooms of a viewer.

const STEP_PIXELS = 80;
const STEP_FACTOR = 2;
/** Wheel movement that zooms by a factor of e, so that a notch of about 100 pixels zooms by 1.2. */
const WHEEL_PIXELS_PER_E = 550;
const PIXELS_PER_LINE = 16;

const KEYS = {
  ArrowLeft: (viewer) => viewer.move({ x: -STEP_PIXELS, y: 0 }),
  ArrowRight: (viewer) => viewer.move({ x: STEP_PIXELS, y: 0 }),
  ArrowUp: (viewer) => viewer.move({ x: 0, y: -STEP_PIXELS }),
  ArrowDown: (viewer) => viewer.move({ x: 0, y: STEP_PIXELS }),
  '+': (viewer) => viewer.zoom(STEP_FACTOR),
  '=': (viewer) => viewer.zoom(STEP_FACTOR),
  '-': (viewer) => viewer.zoom(1 / STEP_FACTOR),
  0: (viewer) => viewer.fit(),
};

/** Centre of some points and their spread around it. */
function shapeOf(points) {
  const mean = (axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  const centre = { x: mean('x'), y: mean('y') };
  return { centre, spread: Math.hypot(points[0].x - centre.x, points[0].y - centre.y) };
}

export function addGestures(element, viewer) {
  const pointers = new Map();
  element.tabIndex = 0;

  /** Pixels from the centre of the element. */
  const place = ({ clientX, clientY }) => {
    const box = element.getBoundingClientRect();
    return { x: clientX - box.x - box.width / 2, y: clientY - box.y - box.height / 2 };
  };

  element.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    element.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, place(event));
  });
  element.addEventListener('pointermove', (event) => {
    if (!pointers.has(event.pointerId)) return;
    const before = shapeOf([...pointers.values()]);
    pointers.set(event.pointerId, place(event));
    const after = shapeOf([...pointers.values()]);
    viewer.move({ x: before.centre.x - after.centre.x, y: before.centre.y - after.centre.y });
    if (before.spread > 0 && after.spread > 0) viewer.zoom(after.spread / before.spread, after.centre);
  });
  for (const end of ['pointerup', 'pointercancel']) {
    element.addEventListener(end, (event) => pointers.delete(event.pointerId));
  }
  element.addEventListener('dblclick', (event) => viewer.zoom(STEP_FACTOR, place(event)));
  element.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * PIXELS_PER_LINE : event.deltaY;
      viewer.zoom(Math.exp(-pixels / WHEEL_PIXELS_PER_E), place(event));
    },
    { passive: false },
  );
  element.addEventListener('keydown', (event) => {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : KEYS[event.key];
    if (!act) return;
    event.preventDefault();
    act(viewer);
  });
}
