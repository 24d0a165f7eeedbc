// The values of the shown layers at the point that the read-out is about: requested when the point rests, one layer after the other.
import { useEffect } from 'preact/hooks';
import { ServiceError } from '../../../../clients/typescript/core.ts';
import { type PixelValue, pixelLevel, pixelValue } from '../api/measuring.ts';
import { placeAt, type ValuePlace } from '../model/measured-value.ts';
import { useLoaded } from '../page/loading.tsx';
import { pointedAt } from '../picture/drag.ts';
import type { Point } from '../picture/geometry.ts';
import { turnedImages } from '../store/state.ts';
import { hasCrosshair, isMeasuring } from '../store/tools.ts';
import { measuring } from '../texts/more.ts';
import { fill } from '../texts.ts';
import { isRefusal, sentencesOf, valueTexts } from './run.ts';
import { layersShown, type MeasuredLayer, mark } from './state.ts';

/** Time for which the point has to rest: at most three places are measured a second. */
const REST_MS = 350;
/** Movement up to which a touch is a tap. */
const TAP_PIXELS = 8;
const GUIDE = '/docs/#guide-measure';

interface LayerValue {
  readonly text: string;
  readonly more?: string | undefined;
  readonly hasGuide?: boolean;
}

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

/** Marks the place of a tap, where a finger points at nothing before it touches. */
function useTaps(): void {
  useEffect(() => {
    const element = document.getElementById('view')!;
    const listening = new AbortController();
    let from: PointerEvent | null = null;
    const down = (event: PointerEvent) => {
      from = event.pointerType === 'touch' && event.isPrimary && !isMeasuring.value ? event : null;
    };
    const up = (event: PointerEvent) => {
      const isTap = from && Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY) <= TAP_PIXELS;
      from = null;
      if (!isTap) return;
      mark.value = pointedAt(event) ?? mark.value;
      hasCrosshair.value = false;
    };
    element.addEventListener('pointerdown', down, listening);
    element.addEventListener('pointerup', up, listening);
    element.addEventListener(
      'pointercancel',
      () => {
        from = null;
      },
      listening,
    );
    return () => {
      listening.abort();
      mark.value = null;
    };
  }, []);
}

/** @param point Arcseconds from the Sun's centre as seen from 1 au, y down; null for none */
export function LayerValues({ point }: { readonly point: Point | null }) {
  useTaps();
  const targets = point
    ? layersShown.value.map((layer) => ({ layer, place: placeAt(layer.image, point, turnedImages.get(layer.image.id)) }))
    : [];
  const key = targets.map(({ layer, place }) => `${layer.image.id} ${place?.x} ${place?.y}`).join();
  const measure = async (signal: AbortSignal) => {
    const values: LayerValue[] = [];
    for (const { layer, place } of targets) values.push(await measured(layer, place, signal));
    return values;
  };
  const { last } = useLoaded(key, measure, REST_MS);
  const values = last?.key === key ? last.value : null;
  return (
    <dl
      class="readout values"
      id="values"
      aria-busy={key !== '' && values === null}
      // Keys move the picture below the cross-hair.
      aria-live={hasCrosshair.value ? 'polite' : 'off'}
    >
      {layersShown.value.map(({ index, image }, i) => {
        const value = values?.[i];
        return [
          <dt key={`name ${index}`}>{image.name}</dt>,
          <dd key={`value ${index}`}>
            {value?.text ?? (key === '' ? '–' : '…')}
            {value?.hasGuide && (
              <>
                {' '}
                <a href={GUIDE} target="_blank" rel="noopener">
                  {measuring.guide}
                </a>
              </>
            )}
            {value?.more && <span class="quiet"> {value.more}</span>}
          </dd>,
        ];
      })}
    </dl>
  );
}
