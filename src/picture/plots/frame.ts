// Frames and texts of plots as SVG: of files, and of the plots of the page, whose styles take the place of these colours.
import { escapeXml } from '../../platform/util/markup.ts';
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
export const TICK_PX = 5;
/** Pixels from an axis to its labels, and from the left edge of a plot to a vertical title. */
export const GAP_PX = 8;
export const LINE_HEIGHT = 1.35;

interface TextPlace {
  readonly x: number;
  readonly y: number;
  readonly anchor?: 'start' | 'middle' | 'end';
  readonly sizePx?: number;
  readonly isVertical?: boolean;
}

export function plotText(text: string, { x, y, anchor = 'start', sizePx = TEXT_PX, isVertical = false }: TextPlace): string {
  const turned = isVertical ? ` transform="rotate(-90 ${decimal(x)} ${decimal(y)})"` : '';
  return `<text x="${decimal(x)}" y="${decimal(y)}" font-size="${sizePx}" text-anchor="${anchor}"${turned}>${escapeXml(text)}</text>`;
}

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

/** Ticks and labels to the right of a bar of colours, as far apart as labels are high. `partOf`: the place of a value on the bar, 0 to 1. */
export function barTicks({ left, top, width, height }: PlotArea, { ticks }: Axis, partOf: (value: number) => number): string {
  let free = Number.POSITIVE_INFINITY;
  const lines = ticks.flatMap(({ at, label }) => {
    const place = top + height - partOf(at) * height;
    if (!(place < free - 2 * TEXT_PX)) return [];
    free = place;
    const text = plotText(label, { x: left + width + GAP_PX, y: place + TEXT_PX / 3 });
    return [`<path d="M${left + width} ${decimal(place)}h${TICK_PX}" stroke="#333"/>`, text];
  });
  return lines.join('');
}
