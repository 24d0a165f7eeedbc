// A plot of values over time and distance: a column for each image, with a bar of the colours. What has no value is grey, or blue beside
// colours that are grey.
import { decimal } from '../../domain/overlays/overlay.ts';
import { timeAxis, valueAxis } from '../../domain/plots/axes.ts';
import { colourLimits, columnsOfPixels, type MapColumn, rowMean } from '../../domain/plots/map.ts';
import {
  BOTTOM_MARGIN,
  frame,
  headings,
  headingsHeight,
  leftMargin,
  type PlotArea,
  plotDocument,
  plotText,
  TEXT_PX,
} from './axes.ts';
import { pixelsPng, plotPixels } from './plot-png.ts';

export interface MapPlot {
  /** Lines above it, the first one larger. */
  readonly titles: readonly string[];
  readonly columns: readonly MapColumn[];
  /** Of the first position, and between positions. */
  readonly offset: { readonly from: number; readonly step: number; readonly title: string; readonly unit: string };
  readonly unit: string;
  /** R, G, B of 256 colours, from the least value to the greatest. */
  readonly palette: Uint8Array;
  /** Where a value is among the colours, in proportion. */
  readonly transfer: (value: number) => number;
}

const WIDTH = 960;
const HEIGHT = 400;
const BAR = { gap: 18, width: 16, right: 96 } as const;
const NO_VALUE = { besideColours: [216, 216, 216], besideGrey: [46, 74, 120] } as const;
const COLOURS = 256;

export async function mapPng({ titles, columns, offset, unit, palette, transfer }: MapPlot): Promise<Uint8Array> {
  const positions = columns.find(({ values }) => values)!.values!.length;
  const [low, high] = colourLimits(columns);
  const [bottom, top] = [transfer(low), transfer(high)];
  const colourOf = (value: number) =>
    Math.min(COLOURS - 1, Math.max(0, Math.floor(((transfer(value) - bottom) / (top - bottom)) * COLOURS)));

  const times = columns.map(({ atMs }) => atMs);
  const halfMs = times.length > 1 ? (times.at(-1)! - times[0]!) / (times.length - 1) / 2 : 500;
  const x = timeAxis(times[0]!, times.at(-1)!, halfMs, 6);
  const y = valueAxis(offset.from - offset.step / 2, offset.from + (positions - 0.5) * offset.step, offset.title, offset.unit);
  const left = leftMargin([y]);
  const area: PlotArea = {
    left,
    top: Math.ceil(headingsHeight(titles.length)),
    width: WIDTH - left - BAR.gap - BAR.width - BAR.right,
    height: HEIGHT,
  };
  const height = area.top + HEIGHT + BOTTOM_MARGIN;
  const barLeft = area.left + area.width + BAR.gap;
  // Ticks at round values, as far apart on the bar as labels are high.
  const colours = valueAxis(low, high, '', unit, 12);
  let free = Number.POSITIVE_INFINITY;
  const bar = colours.ticks.flatMap(({ at, label }) => {
    const place = area.top + HEIGHT - ((transfer(at) - bottom) / (top - bottom)) * HEIGHT;
    if (!(place < free - 2 * TEXT_PX)) return [];
    free = place;
    const text = plotText(label, { x: barLeft + BAR.width + 8, y: place + TEXT_PX / 3 });
    return [`<path d="M${barLeft + BAR.width} ${decimal(place)}h5" stroke="#333"/>`, text];
  });
  const barTitle = plotText(colours.title.trim().slice(1, -1), {
    x: WIDTH - TEXT_PX,
    y: area.top + HEIGHT / 2,
    anchor: 'middle',
    isVertical: true,
  });
  const box = `<rect x="${barLeft}" y="${area.top}" width="${BAR.width}" height="${HEIGHT}" fill="none" stroke="#333"/>`;
  const elements = `<g fill="#222">${headings(titles, left)}${bar.join('')}${barTitle}</g>${box}`;
  const pixels = await plotPixels(plotDocument(WIDTH, height, titles[0]!, frame(area, x, y) + elements), WIDTH, height);

  const put = (column: number, row: number, rgb: ArrayLike<number>) =>
    pixels.set(Array.from(rgb), 3 * ((area.top + row) * WIDTH + column));
  const colour = (index: number) => palette.subarray(3 * index, 3 * index + 3);
  const isGrey = palette.every((channel, i) => channel === palette[i - (i % 3)]);
  const noValue = isGrey ? NO_VALUE.besideGrey : NO_VALUE.besideColours;
  const shown = columnsOfPixels(columns, x, area.width - 1);
  for (let row = 1; row < HEIGHT; row++) {
    // One mean for each column of values.
    const means = columns.map(({ values }) => (values ? rowMean(values, row, HEIGHT) : Number.NaN));
    for (const [pixel, column] of shown.entries()) {
      const value = column < 0 ? Number.NaN : means[column]!;
      if (pixel > 0) put(area.left + pixel, row, Number.isNaN(value) ? noValue : colour(colourOf(value)));
    }
    const index = Math.floor(((HEIGHT - 1 - row) / HEIGHT) * COLOURS);
    for (let i = 1; i < BAR.width; i++) put(barLeft + i, row, colour(index));
  }
  return pixelsPng(pixels, WIDTH, height);
}
