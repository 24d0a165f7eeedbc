// The X-ray flux as a curve over the classes A to X, with the flares as marks.
import { FLUX_CLASSES, type FluxBins } from '../../../domain/events/x-ray-flux.ts';
import { type EventMarker, type FlareMark, flareMarks, fluxHeight } from '../model/timeline.ts';

const WIDTH = 1000;
const HEIGHT = 100;
/** Weakest flare with a label, and the least distance of labels, in parts of the timeline. */
const LABELLED_FROM = 1e-5;
const LABEL_DISTANCE = 0.08;

interface FluxCurveProps {
  readonly flux: FluxBins;
  readonly markers: readonly EventMarker[];
  readonly startMs: number;
  readonly spanMs: number;
}

const y = (flux: number) => (1 - fluxHeight(flux)) * HEIGHT;

/** The measured stretches as lines; a gap in the measurements is one in the curve. */
function curveOf({ startMs, binMs, peaks }: FluxBins, x: (ms: number) => number): string {
  let isDrawing = false;
  return peaks
    .map((flux, bin) => {
      const command = isDrawing ? 'L' : 'M';
      isDrawing = flux !== null;
      return flux === null ? '' : `${command}${x(startMs + (bin + 0.5) * binMs).toFixed(1)} ${y(flux).toFixed(1)}`;
    })
    .join('');
}

/** The strong flares whose labels have room beside those of stronger ones. */
function labelled(marks: readonly FlareMark[], spanMs: number): FlareMark[] {
  const chosen: FlareMark[] = [];
  for (const mark of marks) {
    const isFree = chosen.every(({ atMs }) => Math.abs(atMs - mark.atMs) > LABEL_DISTANCE * spanMs);
    if (mark.flux >= LABELLED_FROM && isFree) chosen.push(mark);
  }
  return chosen;
}

export function FluxCurve({ flux, markers, startMs, spanMs }: FluxCurveProps) {
  const x = (ms: number) => ((ms - startMs) / spanMs) * WIDTH;
  const marks = flareMarks(markers, { startMs, endMs: startMs + spanMs });
  return (
    <div class="timeline-flux" aria-hidden="true">
      <svg aria-hidden="true" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
        {FLUX_CLASSES.map(([letter, from]) => (
          <path key={letter} class="flux-class" d={`M0 ${y(from)}H${WIDTH}`} />
        ))}
        <path class="flux" d={curveOf(flux, x)} />
        {marks.map(({ id, atMs, flux: peak }) => (
          <path key={id} class="flare-mark" d={`M${x(atMs).toFixed(1)} ${y(peak).toFixed(1)}h0`} />
        ))}
      </svg>
      {FLUX_CLASSES.map(([letter, from]) => (
        <span key={letter} class="flux-letter" style={{ bottom: `${fluxHeight(from) * 100}%` }}>
          {letter}
        </span>
      ))}
      {labelled(marks, spanMs).map(({ id, atMs, text, flux: peak }) => (
        <span key={id} class="flare-label" style={{ left: `${x(atMs) / 10}%`, top: `${y(peak)}%` }}>
          {text}
        </span>
      ))}
    </div>
  );
}
