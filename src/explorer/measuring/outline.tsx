// What is measured, on the picture: the place of a tap, and the region or path, drawn by drags or from vertex to vertex and moved by keys.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Helioprojective } from '../../sun/coordinates/sphere.ts';
import {
  draggedShape,
  extendedShape,
  grownShape,
  handlesOf,
  isComplete,
  isOfVertices,
  movedShape,
  outlineOf,
  type Shape,
  type ShapeKind,
  seenPlace,
  shownPoint,
  usualShape,
  withHandle,
} from '../model/measured-shape.ts';
import { listened, onKeys, setter } from '../page/controls.tsx';
import { arrowKeys, pointedAt, useDrag } from '../picture/drag.ts';
import type { Point } from '../picture/geometry.ts';
import { pixelOfPoint, pointAt, presentScreen, projectedPath } from '../picture/screen.ts';
import { camera, pictureSize, projection } from '../store/state.ts';
import { measuring } from '../texts/more.ts';
import { mark, measuredLayer, middlePixel, pathWidth, setShape, shape, sketched } from './state.ts';

/** Distance from the last vertex within which a click ends a line, pixels. */
const END_PIXELS = 14;

/** Apparent arcseconds of one as seen from 1 au, by the image that is measured. */
const apparent = () => measuredLayer.value?.image.scaleCorrection ?? 1;
function seenAt(event: MouseEvent): Helioprojective | null {
  const point = pointedAt(event);
  return point && seenPlace(point, apparent());
}
const screenOf = (place: Helioprojective): Point | null => pixelOfPoint(shownPoint(place, apparent()));
const viewBox = () => `0 0 ${pictureSize.value.width} ${pictureSize.value.height}`;
const pixelArcsec = () => camera.value!.scale * apparent();

/** The shape that a kind begins with in the view; null before the first picture. */
export function shapeOfView(kind: ShapeKind): Shape | null {
  if (!camera.value || !measuredLayer.value) return null;
  const { width, height } = pictureSize.value;
  const middle = pointAt(middlePixel()) ?? { x: 0, y: 0 };
  return usualShape(kind, seenPlace(middle, apparent()), Math.min(width, height) * pixelArcsec());
}

/** Parts of a straight side, which other projections bend. */
const PARTS = 16;

function lineOf(places: readonly Helioprojective[]): string {
  const parts = projection.value.kind === 'plane' ? 1 : PARTS;
  const dense = places.flatMap((to, i) => {
    const from = places[i - 1] ?? to;
    const part = (k: number) => ({ x: from.x + ((to.x - from.x) * k) / parts, y: from.y + ((to.y - from.y) * k) / parts });
    return i === 0 ? [to] : Array.from({ length: parts }, (_, k) => part(k + 1));
  });
  return projectedPath(dense.map(screenOf), presentScreen()!);
}

/** Ends the drawing; a line with too few vertices is no shape. */
export function endSketch(): void {
  sketched.value = null;
  if (shape.value && !isComplete(shape.value)) setShape(null);
  document.getElementById('measured')?.focus({ preventScroll: true });
}

function DragSketch({ kind }: { readonly kind: 'box' | 'circle' | 'radial' }) {
  const drag = useDrag({
    onMove: (from, to) => setShape(draggedShape(kind, seenPlace(from, apparent()), seenPlace(to, apparent()))),
    onEnd: endSketch,
  });
  return <div class="drawing-area" {...drag} />;
}

function VertexSketch({ kind }: { readonly kind: 'polygon' | 'path' }) {
  const pointed = useSignal<Helioprojective | null>(null);
  const last = shape.value?.kind === kind ? handlesOf(shape.value).at(-1) : undefined;
  useEffect(() => listened(window, { keydown: onKeys({ Enter: true, Escape: true }, endSketch) }, true), []);
  const add = (event: PointerEvent) => {
    if (event.button !== 0) return;
    event.preventDefault();
    event.stopPropagation();
    const place = seenAt(event);
    if (!place) return;
    const isEnd = last && Math.hypot(place.x - last.x, place.y - last.y) <= END_PIXELS * pixelArcsec();
    if (isEnd) endSketch();
    else setShape(extendedShape(kind, shape.value, place));
  };
  return (
    <>
      {last && pointed.value && (
        <svg class="overlay" aria-hidden="true" viewBox={viewBox()}>
          <path class="measured-line" d={lineOf([last, pointed.value])} />
        </svg>
      )}
      <div
        class="drawing-area"
        onPointerDown={add}
        onPointerMove={(event) => setter(pointed)(event.pointerType === 'mouse' ? seenAt(event) : null)}
      />
    </>
  );
}

function Handle({ of, index }: { readonly of: Shape; readonly index: number }) {
  const drag = useDrag({
    of: () => of,
    onMove: (_, to, start) => setShape(withHandle(start, index, seenPlace(to, apparent()))),
  });
  const at = screenOf(handlesOf(of)[index]!);
  if (!at) return null;
  const { x, y } = at;
  return <span class="measured-handle" style={{ left: `${x}px`, top: `${y}px` }} {...drag} />;
}

function MeasuredShape({ of }: { readonly of: Shape }) {
  const drag = useDrag({
    of: () => of,
    onMove: (from, to, start) => {
      const [a, b] = [seenPlace(from, apparent()), seenPlace(to, apparent())];
      setShape(movedShape(start, { x: b.x - a.x, y: b.y - a.y }));
    },
  });
  const line = lineOf(outlineOf(of));
  const isPath = of.kind === 'path' || of.kind === 'radial';
  return (
    <>
      <svg class="overlay" aria-hidden="true" viewBox={viewBox()}>
        {isPath && <path class="measured-width" d={line} stroke-width={Math.max(1, pathWidth.value / pixelArcsec())} />}
        <path class="measured-line" d={line} />
        <path class="measured-grip" d={line} {...drag} />
      </svg>
      <div
        id="measured"
        class="unseen"
        role="application"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the shape moves by keys, as the role says
        tabIndex={0}
        aria-label={`${measuring.kinds[of.kind]}. ${measuring.moveByKeys}`}
        onKeyDown={arrowKeys(pixelArcsec(), (by, isResized) =>
          setShape(isResized ? grownShape(of, by) : movedShape(of, { x: by.x, y: -by.y })),
        )}
      />
      {handlesOf(of).map((_, i) => (
        <Handle key={i} of={of} index={i} />
      ))}
    </>
  );
}

function Mark({ at }: { readonly at: Point }) {
  const pixel = pixelOfPoint(at);
  if (!pixel) return null;
  const { x, y } = pixel;
  return (
    <svg class="overlay" aria-hidden="true" viewBox={viewBox()}>
      <path class="crosshair" id="mark" d={`M${x - 9} ${y}h18M${x} ${y - 9}v18`} />
    </svg>
  );
}

export function Outline() {
  if (!camera.value || !measuredLayer.value) return null;
  const kind = sketched.value;
  return (
    <div class="regions">
      {mark.value && <Mark at={mark.value} />}
      {shape.value && <MeasuredShape of={shape.value} />}
      {kind && (isOfVertices(kind) ? <VertexSketch kind={kind} /> : <DragSketch kind={kind} />)}
    </div>
  );
}
