// Measure: coordinates and values under the pointer or a cross-hair, a ruler, the grid and the Earth to scale, light curves and maps.
import '../core.ts';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { apparentScale, locationAt } from '../../../domain/coordinates/picture-plane.ts';
import { isEnhanced } from '../../../picture/operations/operations.ts';
import { LayerValues } from '../measuring/layer-values.tsx';
import { OverTime } from '../measuring/over-time.tsx';
import { mark } from '../measuring/state.ts';
import { carringtonLongitudeOf, degreesBetween, MM_PER_ARCSEC, MM_PER_DEGREE, readoutAt } from '../model/readout.ts';
import { Button, Check, Facts, setTo, setter } from '../page/controls.tsx';
import { Failure } from '../page/loading.tsx';
import { fixed } from '../page/numbers.ts';
import { seenBodies } from '../picture/bodies.tsx';
import { useDrag } from '../picture/drag.ts';
import type { Point } from '../picture/geometry.ts';
import { locationAtPixel, pointAt } from '../picture/screen.ts';
import { setOption } from '../store/actions.ts';
import { camera, observer, pictureSize, projection, shown } from '../store/state.ts';
import { hasCrosshair, isMeasuring, pointer, ruler } from '../store/tools.ts';
import { enhanceTexts } from '../texts/more.ts';
import { texts } from '../texts.ts';

/** The point that the read-out is about, on the Sun; null when there is none. */
function measuredPoint(): Point | null {
  const pixel = measuredPixel();
  return pixel ? pointAt(pixel) : mark.value;
}

/** Where that is on the screen; null for a mark. */
function measuredPixel(): Point | null {
  if (!camera.value) return null;
  const { width, height } = pictureSize.value;
  return hasCrosshair.value ? { x: width / 2, y: height / 2 } : pointer.value;
}

const words = texts.measure;
const pair = (a: number, b: number, digits: number, unit: string) => `${fixed(a, digits)}${unit}, ${fixed(b, digits)}${unit}`;

function Readout() {
  const [pixel, point, from] = [measuredPixel(), measuredPoint(), observer.value];
  const seen = point && from ? readoutAt(point, from) : null;
  const { helioprojective, radius } = seen ?? {};
  // Projections show places that the observer does not see.
  const stonyhurst = seen?.stonyhurst ?? (pixel && !point ? locationAtPixel(pixel) : null);
  return (
    <Facts
      class="readout"
      id="readout"
      of={[
        [words.helioprojective, helioprojective && pair(helioprojective.x, helioprojective.y, 1, '″')],
        [words.stonyhurst, stonyhurst && pair(stonyhurst.longitude, stonyhurst.latitude, 2, '°')],
        [words.carrington, stonyhurst && from && pair(carringtonLongitudeOf(stonyhurst, from), stonyhurst.latitude, 2, '°')],
        [words.radius, radius === undefined ? null : fixed(radius, 3)],
      ].map(([name, value]) => [name, value ?? '–'] as const)}
    />
  );
}

/** Follows the pointer without the rest of the panel. */
const PointValues = () => <LayerValues point={measuredPoint()} />;

/**
 * Shows the cross-hair to those whose pointer is nowhere before it touches, as long as the panel is open. It is set before the panel is seen,
 * so that it undoes no choice.
 */
function useCrosshair(): void {
  useLayoutEffect(() => {
    hasCrosshair.value = matchMedia('(hover: none)').matches;
    return setTo(hasCrosshair, false);
  }, []);
}

function useRuler(): void {
  const drag = useDrag({ of: () => null, onMove: (from, to) => setTo(ruler, { from, to })() });
  useEffect(() => {
    if (!isMeasuring.value) return;
    const [element, listening] = [document.getElementById('view')!, new AbortController()];
    element.addEventListener('pointerdown', drag.onPointerDown, listening);
    element.addEventListener('pointermove', drag.onPointerMove, listening);
    element.addEventListener('pointerup', drag.onPointerUp, listening);
    return () => listening.abort();
  }, [isMeasuring.value]);
  useEffect(
    () => () => {
      isMeasuring.value = false;
      ruler.value = null;
    },
    [],
  );
}

function markCrosshair(): void {
  const { width, height } = pictureSize.value;
  const here = pointAt({ x: width / 2, y: height / 2 });
  if (!here) return;
  ruler.value =
    ruler.value && ruler.value.from === ruler.value.to ? { from: ruler.value.from, to: here } : { from: here, to: here };
}

function RulerLength() {
  if (!ruler.value) return <p class="quiet">{hasCrosshair.value ? words.rulerByCrosshair : words.rulerByDrag}</p>;
  const { from, to } = ruler.value;
  const places =
    projection.value.kind !== 'plane' && observer.value ? [from, to].map((point) => locationAt(point, observer.value!)) : [];
  // On the Sun, in views that do not show the plane of the sky.
  const degrees = places[0] && places[1] ? degreesBetween(places[0], places[1]) : null;
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const apparent = length * (observer.value ? apparentScale(observer.value) : 1);
  const [angle, megametres] =
    degrees === null ? [`${fixed(apparent, 1)}″`, length * MM_PER_ARCSEC] : [`${fixed(degrees, 2)}°`, degrees * MM_PER_DEGREE];
  return (
    <p id="ruler" role="status">
      {angle} · {fixed(megametres, 1)} Mm
    </p>
  );
}

function BodyList() {
  const loaded = seenBodies.value;
  if (!loaded) return null;
  if (loaded.failure) return <Failure sentences={[words.noBodies, loaded.failure]} retry={loaded.retry} />;
  const bodies = loaded.last?.value.bodies;
  if (!bodies) return <p class="quiet">{texts.loadingPart}</p>;
  if (bodies.length === 0) return <p class="quiet">{words.bodiesNone}</p>;
  return (
    <ul id="body-list" class="quiet">
      {bodies.map(({ name, x, y, isBehind }) => (
        <li key={name}>
          {name}: {pair(x, y, 0, '″')} {isBehind && words.behind}
        </li>
      ))}
    </ul>
  );
}

function RulerFields() {
  useRuler();
  return (
    <>
      <Check label={words.ruler} isOn={isMeasuring.value} set={setter(isMeasuring)} />
      <RulerLength />
      {hasCrosshair.value && <Button label={words.mark} act={markCrosshair} />}
    </>
  );
}

const OVERLAYS = [
  ['grid', 'grid'],
  ['scale', 'earthScale'],
  ['bodies', 'bodies'],
] as const;

export function Measure() {
  useCrosshair();
  const view = shown.value?.view;
  return (
    <>
      <Readout />
      <PointValues />
      {view?.layers.some((layer) => layer.isVisible && isEnhanced(layer)) && (
        <p role="note" class="notice">
          {enhanceTexts.measured}
        </p>
      )}
      <Check label={words.crosshair} isOn={hasCrosshair.value} set={setter(hasCrosshair)} />
      <RulerFields />
      {OVERLAYS.map(([name, label]) => (
        <Check
          key={name}
          label={words[label]}
          isOn={view?.overlays[name] ?? false}
          set={(isOn) => setOption({ overlays: { ...view!.overlays, [name]: isOn } })}
        />
      ))}
      {view?.overlays.bodies && <BodyList />}
      <p class="quiet">{words.note}</p>
      <OverTime />
    </>
  );
}
