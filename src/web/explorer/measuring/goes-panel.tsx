// The X-ray flux of GOES beside a light curve, over the same axis of time.
import { signal } from '@preact/signals';
import { FLUX_CLASSES } from '../../../domain/events/x-ray-flux.ts';
import { type Axis, along } from '../../../domain/plots/axes.ts';
import { fluxHeight } from '../model/timeline.ts';
import { useLoaded } from '../page/loading.tsx';
import { texts } from '../texts.ts';
import { xrayFlux } from '../time/coverage.ts';
import { type PlotArea, PlotFrame } from './plot-frame.tsx';

/** Whether it is shown. */
export const hasGoes = signal(false);

const AXIS: Axis = {
  from: 0,
  to: 1,
  ticks: FLUX_CLASSES.map(([letter, flux]) => ({ at: fluxHeight(flux), label: letter })),
  title: 'GOES (0.1–0.8 nm)',
};

export function GoesPanel({ area, x }: { readonly area: PlotArea; readonly x: Axis }) {
  const { last, failure } = useLoaded(`${x.from} ${x.to}`, (signal) => xrayFlux({ startMs: x.from, endMs: x.to }, signal));
  const flux = last?.value;
  const { left, top, width, height } = area;
  const path = (flux?.peaks ?? []).map((peak, bin) => {
    const atMs = flux!.startMs + (bin + 0.5) * flux!.binMs;
    if (peak === null || atMs < x.from || atMs > x.to) return null;
    return `${(left + along(x, atMs, width)).toFixed(1)} ${(top + height - along(AXIS, fluxHeight(peak), height)).toFixed(1)}`;
  });
  const d = path.map((point, i) => point && `${path[i - 1] ? 'L' : 'M'}${point}`).join('');
  return (
    <PlotFrame area={area} x={x} y={AXIS}>
      <path class="curve-line goes" d={d} />
      {(failure || (last && !flux)) && (
        <text x={left + width / 2} y={top + height / 2} text-anchor="middle">
          {texts.timeline.noFlux}
        </text>
      )}
    </PlotFrame>
  );
}
