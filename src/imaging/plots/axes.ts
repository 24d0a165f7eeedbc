// Axes of plots as SVG: ticks at round values and times, labels with units.
import { decimal } from '../../domain/overlays/overlay.ts';
import { formatDateTime } from '../../domain/time.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../util/durations.ts';
import { escapeXml } from '../../util/markup.ts';
import { cleanLine, FONT_FAMILY, textWidth } from '../overlays/text.ts';

/** The area of a plot within its axes, pixels. */
export interface PlotArea {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** An axis in data units, and its ticks. */
export interface Axis {
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly { readonly at: number; readonly label: string }[];
  readonly title: string;
}

export const TEXT_PX = 13;
const TITLE_PX = 15;
const TICK_PX = 5;
/** Pixels from an axis to its labels, and from the left edge of a plot to a vertical title. */
const GAP_PX = 8;
const LINE_HEIGHT = 1.35;

/** Powers of ten from which labels are written with an exponent. */
const EXPONENTS = { least: -3, most: 5 } as const;

/** Round steps: 1, 2 and 5 times a power of ten. */
function roundStep(range: number, most: number): number {
  const power = 10 ** Math.floor(Math.log10(range / most));
  return power * ([1, 2, 5].find((step) => step * power * most >= range) ?? 10);
}

function multiples(from: number, to: number, step: number): number[] {
  const [first, last] = [Math.ceil(from / step - 1e-9), Math.floor(to / step + 1e-9)];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => (first + i) * step);
}

/** An axis of values, with at most `most` ticks. */
export function valueAxis(from: number, to: number, title: string, unit: string, most = 6): Axis {
  const step = roundStep(to - from, most);
  const power = Math.floor(Math.log10(Math.max(Math.abs(from), Math.abs(to), Number.MIN_VALUE)));
  const exponent = power >= EXPONENTS.most || power <= EXPONENTS.least ? power : 0;
  const decimals = Math.max(0, -Math.floor(Math.log10(step / 10 ** exponent) + 1e-9));
  const ticks = multiples(from, to, step).map((at) => ({ at, label: (at / 10 ** exponent + 0).toFixed(decimals) }));
  const scale = exponent === 0 ? '' : `1e${exponent} `;
  return { from, to, ticks, title: `${title} (${scale}${unit})` };
}

const TIME_STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR_MS),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000].map((count) => count * DAY_MS),
];

/** An axis of times, UTC. Labels have the parts that distinguish them; the title has the day where it is one. */
export function timeAxis(fromMs: number, toMs: number, most = 7): Axis {
  const step = TIME_STEPS.find((ms) => (toMs - fromMs) / ms <= most) ?? TIME_STEPS.at(-1)!;
  const [first, last] = [formatDateTime(fromMs), formatDateTime(toMs)];
  const isOneDay = first.slice(0, 10) === last.slice(0, 10);
  const label = (at: number) => {
    const text = formatDateTime(at);
    if (step >= DAY_MS) return text.slice(0, 10);
    const clock = text.slice(11, step < MINUTE_MS ? 19 : 16);
    return isOneDay ? clock : `${text.slice(5, 10)} ${clock}`;
  };
  const title = isOneDay ? `Time on ${first.slice(0, 10)} (UTC)` : `Time, ${first.slice(0, 10)} to ${last.slice(0, 10)} (UTC)`;
  return { from: fromMs, to: toMs, ticks: multiples(fromMs, toMs, step).map((at) => ({ at, label: label(at) })), title };
}

/** Pixels along an axis of so many pixels. */
export const along = ({ from, to }: Axis, value: number, pixels: number): number => ((value - from) / (to - from)) * pixels;

interface TextPlace {
  readonly x: number;
  readonly y: number;
  readonly anchor?: 'start' | 'middle' | 'end';
  readonly sizePx?: number;
  readonly isVertical?: boolean;
}

/** A line of text. */
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

/** Pixels of so many headings. */
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
