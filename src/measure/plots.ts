// Plots of light curves and time-distance maps. Only the composition imports them, because they need the font and the rasteriser.
import { paletteOf } from '../picture/colour/palette.ts';
import { GREY_PALETTE } from '../picture/colours.ts';
import { pixelsPng } from '../picture/encode/png.ts';
import { layerLabel } from '../picture/layers.ts';
import { prepareRasteriser, rasterise } from '../picture/overlays/drawing/draw.ts';
import { cleanLine, FONT_FAMILY, textWidth } from '../picture/overlays/drawing/text.ts';
import { decimal } from '../picture/overlays/overlay.ts';
import { type Axis, timeAxis, valueAxis } from '../picture/plots/axes.ts';
import { type CurvePoint, curveAxis, curvePaths, placeIn } from '../picture/plots/curve.ts';
import { barTicks, frame, GAP_PX, LINE_HEIGHT, type PlotArea, plotText, TEXT_PX, TICK_PX } from '../picture/plots/frame.ts';
import { colourLimits, columnsOfPixels, type MapColumn, rowMean } from '../picture/plots/map.ts';
import { escapeXml } from '../platform/util/markup.ts';
import type { Size } from '../sun/image.ts';
import type { CurveItem, CurveRequest, LightCurve } from './light-curves.ts';
import { colourTransfer, unitOf } from './products.ts';
import { regionText } from './regions.ts';
import type { PathRequest, TimeDistanceMap } from './time-distance.ts';

const TITLE_PX = 15;

/** Lines above a plot, from its top edge. */
function headings(lines: readonly string[], left: number): string {
  return lines
    .map((line, i) => {
      const sizePx = i === 0 ? TITLE_PX : TEXT_PX;
      return plotText(cleanLine(line), { x: left, y: GAP_PX + TITLE_PX + i * TITLE_PX * LINE_HEIGHT, sizePx });
    })
    .join('');
}

const headingsHeight = (lines: number): number => 2 * GAP_PX + lines * TITLE_PX * LINE_HEIGHT;

/** Pixels to the left of a vertical axis: its title, labels and ticks. */
function leftMargin(axes: readonly Axis[]): number {
  const widest = Math.max(...axes.flatMap(({ ticks }) => ticks.map(({ label }) => textWidth(label, TEXT_PX))));
  return Math.ceil(widest + TEXT_PX * LINE_HEIGHT + TICK_PX + 3 * GAP_PX);
}

/** Pixels below a plot. */
const BOTTOM_MARGIN = Math.ceil(TICK_PX + 2 * TEXT_PX * LINE_HEIGHT + 2 * GAP_PX);

/** A document of a plot with the font of all pictures. */
function plotDocument(height: number, title: string, elements: string): string {
  const size = `width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}"`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="${FONT_FAMILY}, sans-serif" role="img">` +
    `<title>${escapeXml(cleanLine(title))}</title><rect width="${WIDTH}" height="${height}" fill="#fff"/>${elements}</svg>`
  );
}

/** R, G, B of an SVG document without transparent parts, row by row. */
export async function plotPixels(svg: string, width: number, height: number): Promise<Uint8Array> {
  await prepareRasteriser();
  const pixels = rasterise(svg, width, height);
  const rgb = new Uint8Array(3 * width * height);
  for (let i = 0; i < width * height; i++) {
    for (let channel = 0; channel < 3; channel++) rgb[3 * i + channel] = pixels[4 * i + channel]!;
  }
  return rgb;
}

const WIDTH = 960;
const HEIGHT = 400;
const BAR = { gap: 18, width: 16, right: 96 } as const;
const NO_VALUE = { besideColours: [216, 216, 216], besideGrey: [46, 74, 120] } as const;
const COLOURS = 256;

/**
 * A column for each image in the colours of the datasource, with a bar of these. What has no value is grey, or blue beside colours that are grey.
 */
async function mapPng(map: TimeDistanceMap, request: PathRequest): Promise<Uint8Array> {
  const columns: MapColumn[] = [];
  for await (const { atMs, result } of map.items()) columns.push({ atMs, values: result });
  const { first, step, positions } = map;
  const { law } = first.confirmed;
  const palette = paletteOf(first.image.sourceId, first.image.takenAtMs, null) ?? GREY_PALETTE;
  const transfer = colourTransfer(law);
  const titles = mapTitles(map, request);
  const [low, high] = colourLimits(columns);
  const [bottom, top] = [transfer(low), transfer(high)];
  const partOf = (value: number) => (transfer(value) - bottom) / (top - bottom);
  const colourOf = (value: number) => Math.min(COLOURS - 1, Math.max(0, Math.floor(partOf(value) * COLOURS)));

  const times = columns.map(({ atMs }) => atMs);
  const halfMs = times.length > 1 ? (times.at(-1)! - times[0]!) / (times.length - 1) / 2 : 500;
  const x = timeAxis(times[0]!, times.at(-1)!, halfMs, 6);
  const { from, title } = offsetsOf(map, request);
  const y = valueAxis(from - step / 2, from + (positions.length - 0.5) * step, title, 'arcsec');
  const left = leftMargin([y]);
  const area: PlotArea = {
    left,
    top: Math.ceil(headingsHeight(titles.length)),
    width: WIDTH - left - BAR.gap - BAR.width - BAR.right,
    height: HEIGHT,
  };
  const height = area.top + HEIGHT + BOTTOM_MARGIN;
  const barLeft = area.left + area.width + BAR.gap;
  const colours = valueAxis(low, high, '', cleanLine(law.unit), 12);
  const bar = barTicks({ ...area, left: barLeft, width: BAR.width }, colours, partOf);
  const barTitle = plotText(colours.title.trim().slice(1, -1), {
    x: WIDTH - TEXT_PX,
    y: area.top + HEIGHT / 2,
    anchor: 'middle',
    isVertical: true,
  });
  const box = `<rect x="${barLeft}" y="${area.top}" width="${BAR.width}" height="${HEIGHT}" fill="none" stroke="#333"/>`;
  const elements = `<g fill="#222">${headings(titles, left)}${bar}${barTitle}</g>${box}`;
  const pixels = await plotPixels(plotDocument(height, titles[0]!, frame(area, x, y) + elements), WIDTH, height);

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

interface CurvePanel {
  readonly name: string;
  readonly unit: string;
  readonly points: readonly CurvePoint[];
}

const PANEL = { single: 380, several: 200, between: 28 } as const;
/** Half of a label of the day and the time. */
const RIGHT = 40;
const LINE = '#1f4e9c';
const BAND = '#9db8e0';
/** From the upper edge of a panel to the baseline of the text above it. */
const NOTE_PX = 7;

/** The interval in words, such as `interval -7.1 to +7.4 DN/s`: the mean distances of its ends, which may be beyond the frame. */
function intervalNote({ unit, points }: CurvePanel): string {
  const mean = (distances: readonly number[]) => distances.reduce((sum, distance) => sum + distance, 0) / distances.length;
  const closed = points.flatMap(({ value, lower, upper }) =>
    value === null || lower === null || upper === null ? [] : [{ below: value - lower, above: upper - value }],
  );
  if (closed.length === 0) return '';
  const text = (distance: number) => String(Number(distance.toPrecision(2)));
  const [below, above] = [mean(closed.map((one) => one.below)), mean(closed.map((one) => one.above))];
  return `interval -${text(below)} to +${text(above)} ${unit}`;
}

function curve({ points }: CurvePanel, area: PlotArea, x: Axis, y: Axis): string {
  const { bands, lines, marks, arrows } = curvePaths(points, placeIn(area, x, y), y);
  // A line of no length has round ends: a dot.
  return (
    `<path d="${bands}" fill="${BAND}" fill-opacity="0.6"/>` +
    `<path d="${lines}" fill="none" stroke="${LINE}" stroke-width="1.5" stroke-linejoin="round"/>` +
    `<path d="${arrows}" fill="none" stroke="${LINE}"/>` +
    `<path d="${marks}" stroke="${LINE}" stroke-width="4" stroke-linecap="round"/>`
  );
}

/** The plot as an SVG document. @param titles Lines above it, the first one larger */
export function curvePlot(titles: readonly string[], given: readonly CurvePanel[]): Size & { readonly svg: string } {
  const panels = given.map((panel) => ({ ...panel, name: cleanLine(panel.name), unit: cleanLine(panel.unit) }));
  const times = panels[0]!.points.map(({ atMs }) => atMs);
  const [fromMs, toMs] = [times[0]!, times.at(-1)!];
  const room = Math.max((toMs - fromMs) * 0.01, 1000);
  const x = timeAxis(fromMs, toMs, room);
  const axes = panels.map(({ name, unit, points }) => curveAxis(points, name, unit));
  const left = leftMargin(axes);
  const panelHeight = panels.length === 1 ? PANEL.single : PANEL.several;
  const top = headingsHeight(titles.length);
  const height = Math.ceil(top + panels.length * (panelHeight + PANEL.between) - PANEL.between + BOTTOM_MARGIN);
  const elements = panels.map((panel, i) => {
    const area = { left, top: top + i * (panelHeight + PANEL.between), width: WIDTH - left - RIGHT, height: panelHeight };
    const { left: clipX, top: clipY, width: clipWidth } = area;
    const clip = `<clipPath id="p${i}"><rect x="${decimal(clipX)}" y="${decimal(clipY)}" width="${decimal(clipWidth)}" height="${panelHeight}"/></clipPath>`;
    const drawn = `<g clip-path="url(#p${i})">${curve(panel, area, x, axes[i]!)}</g>`;
    const note = plotText(intervalNote(panel), { x: clipX + clipWidth, y: clipY - NOTE_PX, anchor: 'end' });
    const framed = frame(area, x, axes[i]!, i === panels.length - 1);
    return `${clip}${drawn}<g fill="#222">${note}</g>${framed}`;
  });
  const svg = plotDocument(height, titles[0]!, `<g fill="#222">${headings(titles, left)}</g>${elements.join('')}`);
  return { width: WIDTH, height, svg };
}

/** The lines above a plot: the datasource, what is measured, and the law of the first image, if values are. */
function titlesOf({ isSynthetic, confirmed }: LightCurve['first'], request: CurveRequest | PathRequest, what: string): string[] {
  return [
    `${layerLabel(request)}${isSynthetic ? ' (synthetic)' : ''}`,
    `${what}, ${request.isTracked ? 'rotating with the Sun' : 'fixed'}`,
    request.isRaw ? 'Levels of the images, not physical values' : `Law: ${confirmed.law.name} (${confirmed.status})`,
  ];
}

/** A plot with a panel for each figure. */
function curvePicture({ first }: LightCurve, request: CurveRequest, items: readonly CurveItem[]) {
  const { region, threshold, names } = request;
  const { law } = first.confirmed;
  const panels = names.map((name): CurvePanel => {
    const points = items.map((item) => {
      const { value, lower, upper } = item.result?.figures[name] ?? { value: null, lower: null, upper: null };
      return { atMs: item.atMs, value, lower, upper };
    });
    const title = name === 'area' ? `area > ${threshold} ${law.unit}` : name;
    return { name: title, unit: unitOf(name, law.unit), points };
  });
  return curvePlot(titlesOf(first, request, regionText(region)), panels);
}

async function curvePng(...curve: Parameters<typeof curvePicture>): Promise<Uint8Array> {
  const { svg, width, height } = curvePicture(...curve);
  return pixelsPng(await plotPixels(svg, width, height), width, height);
}

function mapTitles({ first, vertices }: TimeDistanceMap, request: PathRequest): string[] {
  const place = ({ x, y }: { readonly x: number; readonly y: number }) => `(${Math.round(x)}", ${Math.round(y)}")`;
  const corners = vertices.length > 2 ? `path of ${vertices.length} vertices` : 'path';
  const ends = `from ${place(vertices[0]!)} to ${place(vertices.at(-1)!)}`;
  return titlesOf(first, request, `${corners} ${ends}, ${request.width}" wide`);
}

/** Offset of the first position, and what offsets are: those of a radial path the distances from the centre of the Sun. */
const offsetsOf = ({ vertices }: TimeDistanceMap, { parameter }: PathRequest) =>
  parameter === 'radial'
    ? { from: Math.hypot(vertices[0]!.x, vertices[0]!.y), title: 'Distance from the centre of the Sun' }
    : { from: 0, title: 'Distance along the path' };

export const PLOTS = {
  curveSvg: (...curve: Parameters<typeof curvePicture>): string => curvePicture(...curve).svg,
  curvePng,
  mapPng,
} as const;
export type Plots = typeof PLOTS;
