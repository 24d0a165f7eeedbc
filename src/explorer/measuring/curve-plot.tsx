// A light curve that grows: a panel for each figure with its interval as a band, over one axis of time.
import { signal } from '@preact/signals';
import type { Axis } from '../../picture/plots/axes.ts';
import { type CurvePoint, curveAxis, curvePaths, placeIn } from '../../picture/plots/curve.ts';
import type { PlotArea } from '../../picture/plots/frame.ts';
import { FLUX_CLASSES } from '../../sun/events/x-ray-flux.ts';
import type { FigureName } from '../../sun/laws/value.ts';
import type { CurveRow } from '../model/series.ts';
import { fluxHeight, fluxPath } from '../model/timeline.ts';
import { Check, setter } from '../page/fields.tsx';
import { useLoaded } from '../page/loading.tsx';
import { measuring } from '../texts/more.ts';
import { fill, numberText, texts, utc } from '../texts.ts';
import { xrayFlux } from '../time/coverage.ts';
import { MARGIN, Plot, PlotFrame, usePlot } from './plot-frame.tsx';
import { type CurveRun, valueTexts } from './run.ts';

/** Whether it is shown. */
const hasGoes = signal(false);

const AXIS: Axis = {
  from: 0,
  to: 1,
  ticks: FLUX_CLASSES.map(([letter, flux]) => ({ at: fluxHeight(flux), label: letter })),
  title: 'GOES (0.1–0.8 nm)',
};

type GoesProps = Omit<Parameters<typeof PlotFrame>[0], 'y' | 'children'>;

function GoesPanel({ area, x, readMs }: GoesProps) {
  const { last, failure } = useLoaded(`${x.from} ${x.to}`, (signal) => xrayFlux({ startMs: x.from, endMs: x.to }, signal));
  const flux = last?.value;
  const { left, top, width, height } = area;
  const place = (atMs: number, peak: number) => {
    const at = placeIn(area, x, AXIS)(atMs, fluxHeight(peak));
    return atMs < x.from || atMs > x.to ? null : `${at.x.toFixed(1)} ${at.y.toFixed(1)}`;
  };
  return (
    <PlotFrame area={area} x={x} y={AXIS} readMs={readMs}>
      <path class="curve-line goes" d={flux ? fluxPath(flux, place) : ''} />
      {(failure || (last && !flux)) && (
        <text x={left + width / 2} y={top + height / 2} text-anchor="middle">
          {texts.timeline.noFlux}
        </text>
      )}
    </PlotFrame>
  );
}

const PANEL_PX = { single: 190, several: 120 } as const;
const MOST_TICKS = 5;

const numberOf = (row: CurveRow, name: `${FigureName}${'' | 'Lower' | 'Upper'}`) => row[name] ?? null;

const pointsOf = (rows: readonly CurveRow[], name: FigureName): readonly CurvePoint[] =>
  rows.map((row) => ({
    atMs: Date.parse(row.date),
    value: numberOf(row, name),
    lower: numberOf(row, `${name}Lower`),
    upper: numberOf(row, `${name}Upper`),
  }));

/** `mean 345 DN/s (320 to 371)` */
function pointText(name: FigureName, { value, ...interval }: CurvePoint, unit: string): string {
  if (value === null) return `${measuring.figures[name]} –`;
  const texts = valueTexts({ value, ...interval }, unit);
  return `${measuring.figures[name]} ${texts.value} ${texts.interval}`;
}

type CurveProps = { readonly area: PlotArea } & ReturnType<typeof curvePaths>;

/** A curve within its panel, than which intervals may be wider. */
const Curve = ({ area: { left, top, width, height }, bands, lines, marks, arrows }: CurveProps) => (
  <svg {...{ x: left, y: top, width, height }} viewBox={`${left} ${top} ${width} ${height}`} aria-hidden="true">
    <path class="curve-band" d={bands} />
    <path class="curve-open" d={arrows} />
    <path class="curve-line" d={lines} />
    <path class="curve-marks" d={marks} />
  </svg>
);

export function CurvePlot({ run }: { readonly run: CurveRun }) {
  const { series, rows, facts } = run;
  const { statistics } = series;
  const height = statistics.length === 1 ? PANEL_PX.single : PANEL_PX.several;
  const plot = usePlot(run, MARGIN.right);
  const { inner, x, row } = plot;
  const unitOf = (name: FigureName) => (name === 'area' ? facts?.areaUnit : facts?.unit) ?? '';
  const areaOf = (i: number) => ({ left: MARGIN.left, top: MARGIN.top + i * (height + MARGIN.between), width: inner, height });
  const panels = statistics.map((name, i) => {
    const [area, points] = [areaOf(i), pointsOf(rows, name)];
    const hasValues = points.some(({ value }) => value !== null);
    const y = curveAxis(
      hasValues ? points : [{ atMs: 0, value: 0, lower: 0, upper: 1 }],
      // Short enough for the side of a panel.
      name === 'area' ? `> ${series.threshold} ${facts?.unit ?? ''}` : measuring.figures[name],
      unitOf(name),
      MOST_TICKS,
    );
    return { name, area, y, points, paths: hasValues ? curvePaths(points, placeIn(area, x, y), y) : null };
  });
  const plotted = panels.length + (hasGoes.value ? 1 : 0);
  const total = MARGIN.top + plotted * (height + MARGIN.between) - MARGIN.between + MARGIN.bottom;
  const at = row.value === null ? null : rows[row.value];
  const rowTexts = ({ reason, censored }: CurveRow) => {
    if (reason !== null) return [measuring.reasons[reason]];
    const censoredShare = censored ? [fill(measuring.censoredShare, { percent: numberText(100 * censored, 2) })] : [];
    return [...panels.map(({ name, points }) => pointText(name, points[row.value!]!, unitOf(name))), ...censoredShare];
  };
  const readMs = at ? Date.parse(at.date) : undefined;
  const reading = at ? [utc(readMs!), ...rowTexts(at)].join(' · ') : '';
  return (
    <Plot
      name="curve"
      keys={measuring.plotKeys}
      plot={plot}
      height={total}
      reading={reading}
      more={
        <>
          {panels.some(({ paths }) => paths?.arrows) && <p class="quiet">{measuring.open}</p>}
          <Check label={measuring.goes} isOn={hasGoes.value} set={setter(hasGoes)} />
        </>
      }
    >
      {panels.map(({ name, area, y, paths }, i) => (
        <PlotFrame key={name} hasTimes={i === plotted - 1} {...{ area, x, y, readMs }}>
          {paths && <Curve area={area} {...paths} />}
        </PlotFrame>
      ))}
      {hasGoes.value && <GoesPanel area={areaOf(panels.length)} x={x} readMs={readMs} />}
    </Plot>
  );
}
