// A time-distance map that grows: time to the right, distance upwards, with a bar of its colours.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type Axis, along, valueAxis } from '../../picture/plots/axes.ts';
import { barTicks, type PlotArea } from '../../picture/plots/frame.ts';
import { COLOUR_SCALES, type ColourScale, colourLimits, columnsOfPixels, rampColour, rowMean } from '../../picture/plots/map.ts';
import { named, SignalChoice } from '../page/controls.tsx';
import { measuring } from '../texts/more.ts';
import { fill, fixed, numberText, utc } from '../texts.ts';
import { MARGIN, Plot, PlotFrame, usePlot } from './plot-frame.tsx';
import type { MapRun } from './run.ts';

const HEIGHT_PX = 220;
const BAR = { gap: 10, width: 12, labels: 52 } as const;
/** Grey of places without a value. */
const NO_VALUE = [128, 128, 128] as const;
const VALUE_DIGITS = 3;

const columnsOf = ({ rows }: MapRun) =>
  rows.map(({ date, reason, values }) => ({
    atMs: Date.parse(date),
    values: reason === null ? Float32Array.from(values, (value) => value ?? Number.NaN) : null,
  }));

type Colours = { readonly low: number; readonly high: number; readonly scale: ColourScale };

/** Where a value is among the colours, 0 to 1. */
function partOf(value: number, { low, high, scale }: Colours): number {
  const transfer = COLOUR_SCALES[scale];
  return (transfer(value, low, high) - transfer(low, low, high)) / (transfer(high, low, high) - transfer(low, low, high));
}

/** Draws the map and its bar into a canvas of the same pixels as the plot. */
function paint(
  canvas: HTMLCanvasElement,
  columns: ReturnType<typeof columnsOf>,
  x: Axis,
  area: PlotArea,
  colours: Colours,
): void {
  const { width, height } = canvas;
  const context = canvas.getContext('2d')!;
  const picture = context.createImageData(width, height);
  const put = (column: number, row: number, rgb: readonly number[]) =>
    picture.data.set([...rgb, 255], 4 * (row * width + column));
  const shownColumns = columnsOfPixels(columns, x, area.width);
  const barLeft = area.width + BAR.gap;
  for (let row = 0; row < height; row++) {
    const means = columns.map(({ values }) => (values ? rowMean(values, row, height) : Number.NaN));
    for (const [pixel, column] of shownColumns.entries()) {
      const mean = means[column] ?? Number.NaN;
      const atMs = x.from + (pixel / area.width) * (x.to - x.from);
      // What has not come yet stays empty.
      if (column < 0 && !(atMs > columns[0]!.atMs && atMs < columns.at(-1)!.atMs)) continue;
      put(pixel, row, Number.isNaN(mean) ? NO_VALUE : rampColour(partOf(mean, colours)));
    }
    const bar = rampColour((height - 1 - row) / (height - 1));
    for (let i = 0; i < BAR.width; i++) put(barLeft + i, row, bar);
  }
  context.putImageData(picture, 0, 0);
}

function BarLabels({ area, colours, unit }: { readonly area: PlotArea; readonly colours: Colours; readonly unit: string }) {
  const bar = { ...area, left: area.left + area.width + BAR.gap, width: BAR.width };
  const axis = valueAxis(colours.low, colours.high, '', unit, 6);
  const ticks = barTicks(bar, axis, (value) => partOf(value, colours));
  return (
    <>
      <g class="plot-frame" dangerouslySetInnerHTML={{ __html: ticks }} />
      <text x={bar.left + bar.width + BAR.labels} y={area.top + area.height + 16} text-anchor="end">
        {axis.title.trim().slice(1, -1)}
      </text>
    </>
  );
}

export function MapPlot({ run }: { readonly run: MapRun }) {
  const { series, facts } = run;
  const canvas = useRef<HTMLCanvasElement>(null);
  const scale = useSignal<ColourScale>('linear');
  const position = useSignal(0);
  const columns = columnsOf(run);
  const positions = columns.find(({ values }) => values)?.values?.length ?? 0;
  const move = (by: number) => {
    position.value = Math.min(Math.max(position.value + by, 0), positions - 1);
  };
  const more = { ArrowUp: () => move(1), ArrowDown: () => move(-1) };
  const plot = usePlot(run, BAR.gap + BAR.width + BAR.labels, more);
  const { width, inner, x, row, handlers } = plot;
  const area = { left: MARGIN.left, top: MARGIN.top, width: inner, height: HEIGHT_PX };
  const from = series.shape.kind === 'radial' ? series.shape.from : 0;
  const y = valueAxis(from - series.step / 2, from + (Math.max(positions, 1) - 0.5) * series.step, measuring.distance, '″', 6);
  const [low, high] = positions > 0 ? colourLimits(columns) : [0, 1];
  const colours = { low, high, scale: scale.value };
  const isDrawn = width > 0 && positions > 0;
  const drawn = [area.width, columns.length, x.from, x.to, low, high, scale.value].join();
  useEffect(() => {
    if (isDrawn) paint(canvas.current!, columns, x, area, colours);
  }, [drawn, isDrawn]);

  const point = (event: PointerEvent) => {
    const up = area.top + area.height - (event.clientY - plot.element.current!.getBoundingClientRect().top);
    position.value = Math.min(Math.max(Math.floor((up / area.height) * positions), 0), Math.max(positions - 1, 0));
    handlers.onPointerMove(event);
  };
  const at = row.value === null ? null : columns[row.value];
  const distance = from + position.value * series.step;
  const value = at?.values?.[position.value] ?? Number.NaN;
  const valueText = Number.isNaN(value) ? '–' : `${numberText(value, VALUE_DIGITS)} ${facts?.unit ?? ''}`;
  const reading = at ? fill(measuring.place, { time: utc(at.atMs), distance: fixed(distance, 1), value: valueText }) : '';
  const total = MARGIN.top + HEIGHT_PX + MARGIN.bottom;
  return (
    <Plot
      name="map"
      keys={measuring.mapKeys}
      plot={{ ...plot, handlers: { ...handlers, onPointerMove: point } }}
      height={total}
      reading={reading}
      under={
        isDrawn && (
          <canvas
            ref={canvas}
            width={area.width + BAR.gap + BAR.width}
            height={HEIGHT_PX}
            style={{ left: `${area.left}px`, top: `${area.top}px` }}
          />
        )
      }
      more={
        <SignalChoice
          label={measuring.colours}
          of={scale}
          options={named(Object.keys(COLOUR_SCALES) as ColourScale[], measuring.scales)}
        />
      }
    >
      <PlotFrame area={area} x={x} y={y} readMs={at?.atMs}>
        {at && isDrawn && (
          <path
            class="plot-read"
            d={`M${area.left} ${(area.top + area.height - along(y, distance, area.height)).toFixed(1)}h${area.width}`}
          />
        )}
      </PlotFrame>
      {isDrawn && <BarLabels area={area} colours={colours} unit={facts?.unit ?? ''} />}
    </Plot>
  );
}
