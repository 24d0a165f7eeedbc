// Measure: coordinates and values under the pointer or a cross-hair, a ruler, the grid and the Earth to scale, light curves and maps.

import { useEffect, useLayoutEffect } from 'preact/hooks';
import { ServiceError } from '../../../clients/typescript/core.ts';
import { isEnhanced } from '../../picture/operations/operations.ts';
import { separationDegrees } from '../../sun/coordinates/observer.ts';
import { apparentScale, locationAt } from '../../sun/coordinates/picture-plane.ts';
import { OverTime } from '../measuring/over-time.tsx';
import { isRefusal, type PixelValue, pixelLevel, pixelValue, sentencesOf, valueTexts } from '../measuring/run.ts';
import { layersShown, type MeasuredLayer, mark, middlePixel, placesAt } from '../measuring/state.ts';
import type { ValuePlace } from '../model/measured-shape.ts';
import { carringtonLongitudeOf, MM_PER_ARCSEC, MM_PER_DEGREE, readoutAt } from '../model/readout.ts';
import { Away, Button, Check, Facts, listened, setter } from '../page/fields.tsx';
import { Failure, useLoaded } from '../page/loading.tsx';
import { seenBodies } from '../picture/bodies.tsx';
import { pointedAt, useDrag } from '../picture/drag.ts';
import type { Point } from '../picture/geometry.ts';
import { locationAtPixel, pointAt } from '../picture/screen.ts';
import { setOption } from '../store/layers.ts';
import { camera, hasCrosshair, isMeasuring, isPlaying, observer, pointer, projection, ruler, shown } from '../store/state.ts';
import { enhanceTexts, measuring, measureTexts as words } from '../texts/more.ts';
import { fill, fixed, texts } from '../texts.ts';

// It is drawn beside this panel alone. A chunk of its own would add 700 bytes to the scripts.
export { Outline } from '../measuring/outline.tsx';

/** Time for which the point has to rest: at most three places are measured a second. */
const REST_MS = 350;
/** Movement up to which a touch is a tap. */
const TAP_PIXELS = 8;
const GUIDE = '/docs/#guide-measure';

type LayerValue = { readonly text: string; readonly more?: string | undefined; readonly hasGuide?: boolean };

/** `345 DN/s (320 to 371), exact` */
function valueText({ unit, status, censored, ...measured }: PixelValue): string {
  const { value, interval } = valueTexts(measured, unit);
  if (censored) return fill(measuring.censored[censored], { value });
  return fill(measuring.value, { value, interval, status: measuring.statuses[status] });
}

/** @param levels By which the byte may be off; 0 for a lossless file */
const byteText = (byte: number, levels = 0) => fill(levels === 0 ? measuring.losslessByte : measuring.byte, { byte, levels });

async function measured({ image }: MeasuredLayer, place: ValuePlace | null, signal: AbortSignal): Promise<LayerValue> {
  if (!place) return { text: measuring.offImage };
  try {
    const found = await pixelValue(image.id, place, signal);
    return { text: valueText(found), more: byteText(found.byte, Math.round(found.lossyLevels)) };
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof ServiceError && error.status === 404) return { text: measuring.noData };
    const [text, more] = sentencesOf(error) as [string, string?];
    if (!isRefusal(error)) return { text, more };
    const level = await pixelLevel(image.id, place, signal).catch(() => null);
    return { text, more: level === null ? '' : byteText(level), hasGuide: true };
  }
}

const valueLine = ({ text, more, hasGuide }: LayerValue) => (
  <>
    {text}
    {hasGuide && ' '}
    {hasGuide && <Away label={measuring.guide} href={GUIDE} />}
    {more && <span class="quiet"> {more}</span>}
  </>
);

/** Marks the place of a tap, where a finger points at nothing before it touches. */
function useTaps(): void {
  useEffect(() => {
    let from: PointerEvent | null = null;
    return listened<PointerEvent>(document.getElementById('view')!, {
      pointerdown: (event) => {
        from = event.pointerType === 'touch' && event.isPrimary && !isMeasuring.value ? event : null;
      },
      pointerup: (event) => {
        const isTap = from && Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY) <= TAP_PIXELS;
        from = null;
        if (!isTap) return;
        mark.value = pointedAt(event) ?? mark.value;
        hasCrosshair.value = false;
      },
      pointercancel: () => {
        from = null;
      },
    });
  }, []);
}

/** Follows the pointer without the rest of the panel. */
function LayerValues() {
  useTaps();
  const point = measuredPoint();
  const targets = point ? placesAt(point) : [];
  const key = targets.map(({ layer, place }) => `${layer.image.id} ${place?.x} ${place?.y}`).join();
  const measure = async (signal: AbortSignal) => {
    const values: LayerValue[] = [];
    for (const { layer, place } of targets) values.push(await measured(layer, place, signal));
    return values;
  };
  const { value: values } = useLoaded(key, measure, isPlaying.value ? null : REST_MS);
  return (
    <Facts
      class="readout values"
      id="values"
      aria-busy={key !== '' && values === null}
      // Keys move the picture below the cross-hair.
      aria-live={hasCrosshair.value ? 'polite' : 'off'}
      of={layersShown.value.map(({ image }, i) => [image.name, values?.[i] ? valueLine(values[i]) : key === '' ? '–' : '…'])}
    />
  );
}

/** The point that the read-out is about, arcseconds from the Sun's centre as seen from 1 au, y down; null when there is none. */
function measuredPoint(): Point | null {
  const pixel = measuredPixel();
  return pixel ? pointAt(pixel) : mark.value;
}

/** Where that is on the screen; null for a mark. */
function measuredPixel(): Point | null {
  if (!camera.value) return null;
  return hasCrosshair.value ? middlePixel() : pointer.value;
}

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

/**
 * Shows the cross-hair to those whose pointer is nowhere before it touches. It is set before the panel is seen, so that it undoes no choice.
 * What has been set on the picture ends with the panel.
 */
function useTools(): void {
  useLayoutEffect(() => {
    hasCrosshair.value = matchMedia('(hover: none)').matches;
    return () => {
      hasCrosshair.value = false;
      isMeasuring.value = false;
      ruler.value = null;
      mark.value = null;
    };
  }, []);
}

function markCrosshair(): void {
  const here = pointAt(middlePixel());
  if (!here) return;
  ruler.value =
    ruler.value && ruler.value.from === ruler.value.to ? { from: ruler.value.from, to: here } : { from: here, to: here };
}

function RulerLength() {
  if (!ruler.value) return <p class="quiet">{hasCrosshair.value ? words.rulerByCrosshair : words.rulerByDrag}</p>;
  const { from, to } = ruler.value;
  const seenBy = projection.value.kind === 'plane' ? null : observer.value;
  const places = [from, to].map((point) => {
    const at = seenBy && locationAt(point, seenBy);
    return at && { b0Degrees: at.latitude, longitudeDegrees: at.longitude };
  });
  // On the Sun, in views that do not show the plane of the sky.
  const degrees = places[0] && places[1] ? separationDegrees(places[0], places[1]) : null;
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
  if (!seenBodies.value) return null;
  const { bodies: seen, failure, retry } = seenBodies.value;
  if (failure) return <Failure sentences={[words.noBodies, failure]} retry={retry} />;
  if (!seen) return <p class="quiet">{texts.loadingPart}</p>;
  if (seen.bodies.length === 0) return <p class="quiet">{words.bodiesNone}</p>;
  return (
    <ul id="body-list" class="quiet">
      {seen.bodies.map(({ name, x, y, isBehind }) => (
        <li key={name}>
          {name}: {pair(x, y, 0, '″')} {isBehind && words.behind}
        </li>
      ))}
    </ul>
  );
}

function RulerFields() {
  const drag = useDrag({ onMove: (from, to) => setter(ruler)({ from, to }) });
  // Before a drag can begin.
  useLayoutEffect(() => {
    const listeners = Object.entries(drag).map(([name, act]) => [name.slice(2).toLowerCase(), act]);
    return isMeasuring.value ? listened(document.getElementById('view')!, Object.fromEntries(listeners)) : undefined;
  }, [isMeasuring.value]);
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
  useTools();
  const view = shown.value?.view;
  return (
    <>
      <Readout />
      <LayerValues />
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
