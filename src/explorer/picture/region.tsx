// The region of screenshots and movies on the picture: drawn by a drag, then moved and resized by drags and keys.
import { apparentScale } from '../../sun/coordinates/picture-plane.ts';
import { setter } from '../page/controls.tsx';
import { camera, isDrawing, observer, panel, part, pictureSize, region } from '../store/state.ts';
import { fill, fixed, texts } from '../texts.ts';
import { arrowKeys, useDrag } from './drag.ts';
import { type Box, type Camera, onScreen, type Point, type Size, seenBox } from './geometry.ts';

const LEAST_PIXELS = 16;

/** The region between two points, at least as large as a finger can hold. */
function between(a: Point, b: Point, least: number): Box {
  const [left, top] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  return { left, top, right: Math.max(a.x, b.x, left + least), bottom: Math.max(a.y, b.y, top + least) };
}

/** Half of the view, around its middle. */
export const middleOf = (camera: Camera, { width, height }: Size): Box =>
  seenBox(camera, { width: width / 2, height: height / 2 });

function moved(box: Box, { x, y }: Point): Box {
  return { left: box.left + x, right: box.right + x, top: box.top + y, bottom: box.bottom + y };
}

function resized({ left, top, right, bottom }: Box, { x, y }: Point, least: number): Box {
  return { left, top, right: Math.max(right + x, left + least), bottom: Math.max(bottom + y, top + least) };
}

export function regionSizeText({ left, top, right, bottom }: Box): string {
  const apparent = observer.value ? apparentScale(observer.value) : 1;
  const side = (arcsec: number) => fixed(arcsec * apparent, arcsec < 100 ? 1 : 0);
  return fill(texts.make.regionSize, { width: side(right - left), height: side(bottom - top) });
}

function DrawingArea() {
  const least = LEAST_PIXELS * camera.value!.scale;
  const drag = useDrag({
    onMove: (from, to) => setter(region)(between(from, to, least)),
    onEnd: () => {
      isDrawing.value = false;
      document.getElementById('region')?.focus({ preventScroll: true });
    },
  });
  return <div class="drawing-area" {...drag} />;
}

function Frame({ box, view, size }: { readonly box: Box; readonly view: Camera; readonly size: Size }) {
  const least = LEAST_PIXELS * view.scale;
  const dragged = (change: typeof resized) =>
    useDrag({
      of: () => box,
      onMove: (from, to, start) => setter(region)(change(start, { x: to.x - from.x, y: to.y - from.y }, least)),
    });
  const [move, resize] = [dragged(moved), dragged(resized)];
  const { x: left, y: top } = onScreen(view, size, { x: box.left, y: box.top });
  const { x: right, y: bottom } = onScreen(view, size, { x: box.right, y: box.bottom });
  return (
    <div
      id="region"
      class="region"
      role="application"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the region moves by keys, as the role says
      tabIndex={0}
      aria-label={`${texts.make.region} ${regionSizeText(box)}. ${texts.make.adjust}`}
      style={{ left: `${left}px`, top: `${top}px`, width: `${right - left}px`, height: `${bottom - top}px` }}
      onKeyDown={arrowKeys(view.scale, (by, isResized) => setter(region)((isResized ? resized : moved)(box, by, least)))}
      {...move}
    >
      <span class="region-size" aria-hidden="true">
        {regionSizeText(box)}
      </span>
      <span class="region-corner" title={texts.make.corner} {...resize} />
    </div>
  );
}

export function RegionOverlay() {
  const [view, size, box] = [camera.value, pictureSize.value, region.value];
  // The choice stays while its panel is closed.
  if (part.value !== 'region' || panel.value !== 'make' || !view || !box) return null;
  return (
    <div class="regions">
      <Frame box={box} view={view} size={size} />
      {isDrawing.value && <DrawingArea />}
    </div>
  );
}
