// Frames and texts of plots as SVG, and plots as PNG.
import { escapeXml } from '../../platform/util/markup.ts';
import { rgbPng } from '../encode/png.ts';
import { prepareRasteriser, rasterise } from '../overlays/drawing/draw.ts';
import { cleanLine, FONT_FAMILY, textWidth } from '../overlays/drawing/text.ts';
import { decimal } from '../overlays/overlay.ts';
import { type Axis, along } from './axes.ts';

/** The area of a plot within its axes, pixels. */
export interface PlotArea {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export const TEXT_PX = 13;
const TITLE_PX = 15;
const TICK_PX = 5;
/** Pixels from an axis to its labels, and from the left edge of a plot to a vertical title. */
const GAP_PX = 8;
const LINE_HEIGHT = 1.35;

interface TextPlace {
  readonly x: number;
  readonly y: number;
  readonly anchor?: 'start' | 'middle' | 'end';
  readonly sizePx?: number;
  readonly isVertical?: boolean;
}

export function plotText(text: string, { x, y, anchor = 'start', sizePx = TEXT_PX, isVertical = false }: TextPlace): string {
  const turned = isVertical ? ` transform="rotate(-90 ${decimal(x)} ${decimal(y)})"` : '';
  return `<text x="${decimal(x)}" y="${decimal(y)}" font-size="${sizePx}" text-anchor="${anchor}"${turned}>${escapeXml(cleanLine(text))}</text>`;
}

/** Lines above a plot, from its top edge. */
export function headings(lines: readonly string[], left: number): string {
  return lines
    .map((line, i) => {
      const sizePx = i === 0 ? TITLE_PX : TEXT_PX;
      return plotText(line, { x: left, y: GAP_PX + TITLE_PX + i * TITLE_PX * LINE_HEIGHT, sizePx });
    })
    .join('');
}

export const headingsHeight = (lines: number): number => 2 * GAP_PX + lines * TITLE_PX * LINE_HEIGHT;

/** Pixels to the left of a vertical axis: its title, labels and ticks. */
export function leftMargin(axes: readonly Axis[]): number {
  const widest = Math.max(...axes.flatMap(({ ticks }) => ticks.map(({ label }) => textWidth(label, TEXT_PX))));
  return Math.ceil(widest + TEXT_PX * LINE_HEIGHT + TICK_PX + 3 * GAP_PX);
}

/** Pixels below a plot. */
export const BOTTOM_MARGIN = Math.ceil(TICK_PX + 2 * TEXT_PX * LINE_HEIGHT + 2 * GAP_PX);

const line = (x1: number, y1: number, x2: number, y2: number) =>
  `<path d="M${decimal(x1)} ${decimal(y1)}L${decimal(x2)} ${decimal(y2)}"/>`;

/** The frame of a plot with ticks on all sides; `x` without labels where another plot is below. */
export function frame(area: PlotArea, x: Axis, y: Axis, hasTimes = true): string {
  const { left, top, width, height } = area;
  const [right, bottom] = [left + width, top + height];
  const xs = x.ticks.map(({ at, label }) => ({ at: left + along(x, at, width), label }));
  const ys = y.ticks.map(({ at, label }) => ({ at: bottom - along(y, at, height), label }));
  const ticks = [
    ...xs.flatMap(({ at }) => [line(at, bottom, at, bottom + TICK_PX), line(at, top, at, top + TICK_PX)]),
    ...ys.flatMap(({ at }) => [line(left - TICK_PX, at, left, at), line(right - TICK_PX, at, right, at)]),
  ];
  const below = bottom + TICK_PX + TEXT_PX + 2;
  const labels = [
    ...(hasTimes ? xs.map(({ at, label }) => plotText(label, { x: at, y: below, anchor: 'middle' })) : []),
    ...ys.map(({ at, label }) => plotText(label, { x: left - GAP_PX, y: at + TEXT_PX / 3, anchor: 'end' })),
    ...(hasTimes ? [plotText(x.title, { x: left + width / 2, y: below + TEXT_PX * LINE_HEIGHT + 3, anchor: 'middle' })] : []),
    plotText(y.title, { x: TEXT_PX + GAP_PX / 2, y: top + height / 2, anchor: 'middle', isVertical: true }),
  ];
  const box = `<rect x="${decimal(left)}" y="${decimal(top)}" width="${decimal(width)}" height="${decimal(height)}"/>`;
  return `<g fill="none" stroke="#333">${box}${ticks.join('')}</g><g fill="#222">${labels.join('')}</g>`;
}

/** A document of a plot with the font of all pictures. */
export function plotDocument(width: number, height: number, title: string, elements: string): string {
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="${FONT_FAMILY}, sans-serif" role="img">` +
    `<title>${escapeXml(cleanLine(title))}</title><rect width="${width}" height="${height}" fill="#fff"/>${elements}</svg>`
  );
}

/** Rows that are encoded at once. */
const ROWS = 64;

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

/** R, G, B of each pixel as a PNG file. */
export async function pixelsPng(rgb: Uint8Array, width: number, height: number): Promise<Uint8Array> {
  const encoder = rgbPng(width, height);
  for (let y = 0; y < height; y += ROWS) {
    const rows = Math.min(ROWS, height - y);
    await encoder.write(rgb.subarray(3 * y * width, 3 * (y + rows) * width), rows);
  }
  return encoder.finish();
}
