// What is measured over time, which stays while the panel is closed, and its drawing on the picture: the place of a tap, and the region or path,
// drawn by drags or from vertex to vertex and moved by keys.
import '../core.ts';
import { computed, signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Helioprojective } from '../../../domain/coordinates/sphere.ts';
import type { FigureName } from '../../../domain/measurement/value.ts';
import { ARCSEC_PER_RADIUS } from '../../../picture/projections/mapping.ts';
import { HOUR_MS } from '../../../util/durations.ts';
import type { ImageRecord } from '../api/image-record.ts';
import {
  draggedShape,
  extendedShape,
  grownShape,
  handlesOf,
  isComplete,
  isOfVertices,
  isOnDisc,
  movedShape,
  outlineOf,
  PATH_KINDS,
  REGION_KINDS,
  type Shape,
  type ShapeKind,
  seenPlace,
  shownPoint,
  withHandle,
} from '../model/measured-shape.ts';
import type { Range } from '../model/timeline.ts';
import { setter } from '../page/controls.tsx';
import { arrowKeys, pointedAt, useDrag } from '../picture/drag.ts';
import type { Point } from '../picture/geometry.ts';
import { pixelOfPoint, presentScreen, projectedPath } from '../picture/screen.ts';
import { camera, pictureSize, projection, shown } from '../store/state.ts';
import { measuring } from '../texts/more.ts';
import { middleAround, spanMs } from '../time/range.ts';

type Task = 'none' | 'region' | 'path';
export const TASKS: readonly Task[] = ['none', 'region', 'path'];
export const KINDS: Readonly<Record<Task, readonly ShapeKind[]>> = { none: [], region: REGION_KINDS, path: PATH_KINDS };

export const task = signal<Task>('none');
/** The place of a tap whose values are read out, arcseconds from the Sun's centre as seen from 1 au, y down. */
export const mark = signal<Point | null>(null);

const shapes = { none: signal<Shape | null>(null), region: signal<Shape | null>(null), path: signal<Shape | null>(null) };
export const shape = computed(() => shapes[task.value].value);
/** When the images were taken in which the shapes were drawn, milliseconds since 1970. */
const drawnAt: Partial<Record<Task, number>> = {};
export function setShape(next: Shape | null): void {
  shapes[task.value].value = next;
  if (measuredLayer.value) drawnAt[task.value] = Date.parse(measuredLayer.value.image.takenAt);
}
export const sketched = signal<ShapeKind | null>(null);

const chosenLayer = signal<number | null>(null);
export const pickLayer = (index: number): void => {
  chosenLayer.value = index;
};

export interface MeasuredLayer {
  readonly index: number;
  readonly sourceId: number;
  readonly image: ImageRecord;
}

export const layersShown = computed<readonly MeasuredLayer[]>(() => {
  const { view, images } = shown.value ?? {};
  return (view?.layers ?? []).flatMap(({ sourceId, isVisible }, index) => {
    const image = images?.[index];
    return image && isVisible ? [{ index, sourceId, image }] : [];
  });
});

/** The layer that is measured: the chosen one while it is shown, else the lowest; along a path the highest, as the coronagraph around a disk. */
export const measuredLayer = computed<MeasuredLayer | null>(() => {
  const layers = layersShown.value;
  return layers.find(({ index }) => index === chosenLayer.value) ?? layers.at(task.value === 'path' ? -1 : 0) ?? null;
});

/** Times of its own; null for the range of the timeline. */
export const ownRange = signal<Range | null>(null);

/** Start and end of the measurement; null before the first picture. */
export function measuredRange(): Range | null {
  const atMs = shown.value?.view.atMs;
  if (ownRange.value || atMs === undefined) return ownRange.value;
  const startMs = Math.round((middleAround(atMs) - spanMs() / 2) / 1000) * 1000;
  return { startMs, endMs: startMs + spanMs() };
}

/** Seconds between images; 0 for every image. */
export const cadence = signal<number | 'usual'>('usual');
export const isTracked = signal<boolean | null>(null);

/** The time from which the present shape rotates with the Sun: usually on the disc, over more than an hour. Null for a fixed one. */
export function trackedFrom(range: Range, { image }: MeasuredLayer): number | null {
  const of = shape.value;
  const isUsual = of !== null && range.endMs - range.startMs > HOUR_MS && isOnDisc(of, ARCSEC_PER_RADIUS * image.scaleCorrection);
  return (isTracked.value ?? isUsual) ? (drawnAt[task.value] ?? Date.parse(image.takenAt)) : null;
}
export const statistics = signal<readonly FigureName[]>(['mean']);
export const threshold = signal(100);
export const isOfLevels = signal(false);
/** Arcseconds over which a value of a path is a mean. */
export const pathWidth = signal(10);
/** Arcseconds between positions of a path; null for the usual step. */
export const pathStep = signal<number | null>(null);

/** Distance from the last vertex within which a click ends a line, pixels. */
const END_PIXELS = 14;
const MARK_PIXELS = 9;

/** Apparent arcseconds of one as seen from 1 au, by the image that is measured. */
const apparent = () => measuredLayer.value?.image.scaleCorrection ?? 1;
function seenAt(event: MouseEvent): Helioprojective | null {
  const point = pointedAt(event);
  return point && seenPlace(point, apparent());
}
const screenOf = (place: Helioprojective): Point | null => pixelOfPoint(shownPoint(place, apparent()));
const viewBox = () => `0 0 ${pictureSize.value.width} ${pictureSize.value.height}`;
const pixelArcsec = () => camera.value!.scale * apparent();

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
    of: () => null,
    onMove: (from, to) => setShape(draggedShape(kind, seenPlace(from, apparent()), seenPlace(to, apparent()))),
    onEnd: endSketch,
  });
  return <div class="drawing-area" {...drag} />;
}

function VertexSketch({ kind }: { readonly kind: 'polygon' | 'path' }) {
  const pointed = useSignal<Helioprojective | null>(null);
  const vertices = shape.value?.kind === kind ? handlesOf(shape.value) : [];
  useEffect(() => {
    const listening = new AbortController();
    const keys = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' && event.key !== 'Escape') return;
      event.preventDefault();
      event.stopPropagation();
      endSketch();
    };
    addEventListener('keydown', keys, { signal: listening.signal, capture: true });
    return () => listening.abort();
  }, []);
  const add = (event: PointerEvent) => {
    if (event.button !== 0) return;
    event.preventDefault();
    event.stopPropagation();
    const [place, last] = [seenAt(event), vertices.at(-1)];
    if (!place) return;
    const isEnd = last && Math.hypot(place.x - last.x, place.y - last.y) <= END_PIXELS * pixelArcsec();
    if (isEnd) endSketch();
    else setShape(extendedShape(kind, shape.value, place));
  };
  const last = vertices.at(-1);
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
      <path
        class="crosshair"
        id="mark"
        d={`M${x - MARK_PIXELS} ${y}h${2 * MARK_PIXELS}M${x} ${y - MARK_PIXELS}v${2 * MARK_PIXELS}`}
      />
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
