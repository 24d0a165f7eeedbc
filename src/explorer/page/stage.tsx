// The picture with what lies over it and the gestures that move it, and the start of a page with its first view.
import { type ComponentChild, type ComponentType, render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { readPlay } from '../../picture/address/view.ts';
import { pictureKey } from '../../picture/picture.ts';
import { viewpointOf } from '../../picture/projections/mapping.ts';
import { Decorations } from '../picture/decorations.tsx';
import { type Point, pointIn } from '../picture/geometry.ts';
import { Picture } from '../picture/picture.ts';
import { moved } from '../store/actions.ts';
import { followHistory, isEmbedded, openFragment } from '../store/address.ts';
import {
  afterwards,
  begin,
  commit,
  currentPicture,
  nextKey,
  open,
  placed,
  ready,
  report,
  stay,
  usePicture,
} from '../store/open.ts';
import {
  baseImage,
  busy,
  camera,
  givenNames,
  hasChannels,
  isMeasuring,
  isSynthetic,
  lateHours,
  notes,
  observer,
  pictureSize,
  pictureState,
  pointer,
  projection,
  type Shown,
  shown,
  trouble,
} from '../store/state.ts';
import { texts } from '../texts.ts';
import { play } from '../time/play.ts';
import { showLoop } from '../time/range.ts';
import { Caption } from './caption.tsx';
import { IconButton, onKeys, setTo, setter, toggle } from './controls.tsx';
import { Notices } from './notices.tsx';
import { type FirstView, pageData } from './page-data.ts';

export function show(page: ComponentChild): void {
  const root = document.getElementById('app')!;
  root.replaceChildren();
  render(page, root);
  root.removeAttribute('aria-busy');
}

/** Shows a page, whose component gets the first picture as the service made it. Does nothing while the page loads another address. */
export function mount(Page: ComponentType<{ readonly first: HTMLElement | null }>): void {
  if (openFragment()) return;
  followHistory({ open: (view) => void open(view, { history: 'follow' }), stay });
  show(<Page first={document.getElementById('first')} />);
}

async function showFirst(): Promise<void> {
  const retry = () => location.reload();
  const data = pageData<FirstView>();
  if (!data) return report(new Error('the page has no view'), retry);
  if (data.isAway) return setter(trouble)({ sentence: texts.away, retry });
  notes.value = data.notes;
  isSynthetic.value = data.isSynthetic;
  const { view, records } = data;
  if (view.atMs === null || records.length === 0) return setter(trouble)({ sentence: texts.empty, retry });
  givenNames.value = new Map(view.layers.map(({ sourceId }, i) => [sourceId, data.names[i]!]));
  lateHours.value = data.lateHours?.find((hours) => hours !== null) ?? lateHours.value;
  const first: Shown = {
    view: { ...view, atMs: view.atMs },
    isNewest: data.isNewest,
    images: records,
    keys: view.layers.map(nextKey),
  };
  // The address of the view takes its place.
  const range = readPlay(new URLSearchParams(location.search).get('play'));
  const signal = begin();
  busy.value = texts.loading;
  try {
    commit(await ready(await placed(first, signal), signal), 'replace');
    busy.value = null;
    await afterwards(signal);
    if (!range || signal.aborted) return;
    showLoop(range);
    if (!matchMedia('(prefers-reduced-motion: reduce)').matches) void play(true);
  } catch (error) {
    if (signal.aborted) return;
    busy.value = null;
    report(error, () => void showFirst());
  }
}

const STEP_FACTOR = 2;
/** Wheel movement that zooms by a factor of e, so that a notch of about 100 pixels zooms by 1.2. */
const WHEEL_PIXELS_PER_E = 550;
const PIXELS_PER_LINE = 16;

const KEYS: Readonly<Record<string, (picture: Picture) => void>> = {
  ArrowLeft: (picture) => picture.step({ x: -1, y: 0 }),
  ArrowRight: (picture) => picture.step({ x: 1, y: 0 }),
  ArrowUp: (picture) => picture.step({ x: 0, y: -1 }),
  ArrowDown: (picture) => picture.step({ x: 0, y: 1 }),
  '+': (picture) => picture.zoom(STEP_FACTOR),
  '=': (picture) => picture.zoom(STEP_FACTOR),
  '-': (picture) => picture.zoom(1 / STEP_FACTOR),
  '0': (picture) => picture.fit(),
};

/** A drag that begins on a pin is one from this many pixels on; below, it is a click. */
const CLICK_PIXELS = 5;

/** Gestures begin on the element of a picture, and on the one around it and its pins. */
function addGestures(element: HTMLElement, picture: Picture): void {
  const stage = element.parentElement!;
  /** Places of the pointers that are down. `pin`: where a drag began on a pin, which keeps its click until the drag has moved. */
  const pointers = new Map<number, { readonly at: Point; readonly pin: Point | null }>();
  const shape = () => {
    const points = [...pointers.values()].map(({ at }) => at);
    const mean = (axis: 'x' | 'y') => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
    const centre = { x: mean('x'), y: mean('y') };
    return { centre, spread: Math.hypot(points[0]!.x - centre.x, points[0]!.y - centre.y) };
  };
  const isPin = ({ target }: Event) => target instanceof Element && target.closest('.pin') !== null;
  const isPicture = ({ target }: Event) => target instanceof Element && element.contains(target);

  const place = ({ clientX, clientY }: MouseEvent): Point => {
    const box = element.getBoundingClientRect();
    return { x: clientX - box.x - box.width / 2, y: clientY - box.y - box.height / 2 };
  };

  stage.addEventListener('pointerdown', (event) => {
    const isOnPin = isPin(event);
    // The end of an earlier touch does not arrive when its pin has left the page.
    if (event.isPrimary) pointers.clear();
    if (event.button !== 0 || isMeasuring.value || !(isOnPin || isPicture(event))) return;
    if (!isOnPin) element.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, { at: place(event), pin: isOnPin ? place(event) : null });
  });
  stage.addEventListener('pointermove', (event) => {
    const pointer = pointers.get(event.pointerId);
    if (!pointer) return;
    const [{ pin }, at] = [pointer, place(event)];
    if (pin && pointers.size === 1 && Math.hypot(at.x - pin.x, at.y - pin.y) < CLICK_PIXELS) return;
    if (pin) element.setPointerCapture(event.pointerId);
    const before = shape();
    pointers.set(event.pointerId, { at, pin: null });
    const after = shape();
    picture.move({ x: before.centre.x - after.centre.x, y: before.centre.y - after.centre.y });
    if (before.spread > 0 && after.spread > 0) picture.zoom(after.spread / before.spread, after.centre);
  });
  for (const end of ['pointerup', 'pointercancel'] as const)
    stage.addEventListener(end, ({ pointerId }) => pointers.delete(pointerId));
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
  element.addEventListener(
    'keydown',
    onKeys(KEYS, (act) => act(picture)),
  );
}

const ZoomButtons = () => (
  <fieldset class="zoom" aria-label={texts.zoom}>
    <IconButton icon="plus" label={texts.zoomIn} act={() => currentPicture()?.zoom(2)} />
    <IconButton icon="minus" label={texts.zoomOut} act={() => currentPicture()?.zoom(1 / 2)} />
    <IconButton icon="channels" label={texts.channels.title} act={toggle(hasChannels)} />
    <IconButton icon="fit" label={texts.fit} act={() => currentPicture()?.fit()} />
    {projection.value.kind === 'sphere' && (
      <IconButton icon="turn" label={texts.turnHome} act={() => currentPicture()?.turnHome()} />
    )}
  </fieldset>
);

function startPicture(element: HTMLElement, first: HTMLElement | null): void {
  const picture = new Picture(element, {
    onCamera: (view, byUser) => {
      camera.value = view;
      projection.value = picture.projection;
      pictureSize.value = picture.size;
      if (byUser) moved();
    },
    home: () => observer.value && viewpointOf(observer.value),
    onState: (state) => {
      if (pictureKey([pictureState.peek()]) !== pictureKey([state])) pictureState.value = state;
      if (state.isComplete) first?.remove();
    },
  });
  usePicture(picture);
  addGestures(element, picture);
  element.addEventListener('pointermove', (event) => setter(pointer)(pointIn(element, event)));
  element.addEventListener('pointerleave', setTo(pointer, null));
  void showFirst();
}

export function Stage({ first }: { readonly first: HTMLElement | null }) {
  const view = useRef<HTMLDivElement>(null);
  const under = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (first) under.current!.append(first);
    startPicture(view.current!, first);
  }, [first]);
  return (
    <div class="stage">
      <div ref={under} class="under" aria-hidden="true" />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the picture moves by keys, as the role says */}
      <div id="view" ref={view} role="application" tabIndex={0} aria-label={texts.picture} aria-describedby="caption" />
      <Decorations />
      <Caption />
      {isSynthetic.value && (
        <p class="synthetic" title={texts.syntheticMore}>
          {texts.synthetic}
        </p>
      )}
      <Notices />
      {shown.value && baseImage.value && <ZoomButtons />}
    </div>
  );
}
