// A plot of light curves: a panel for each, with its interval as a band, over one axis of time. Lines end at gaps.
import type { Size } from '../../domain/image.ts';
import { decimal } from '../../domain/overlays/overlay.ts';
import { type Axis, along, timeAxis } from '../../domain/plots/axes.ts';
import { type CurvePoint, curveAxis, curvePaths } from '../../domain/plots/curve.ts';
import { BOTTOM_MARGIN, frame, headings, headingsHeight, leftMargin, type PlotArea, plotDocument, plotText } from './axes.ts';

export interface CurvePanel {
  readonly name: string;
  readonly unit: string;
  readonly points: readonly CurvePoint[];
}

const WIDTH = 960;
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
  const at = (atMs: number, value: number) => ({
    x: area.left + along(x, atMs, area.width),
    y: area.top + area.height - along(y, value, area.height),
  });
  const { bands, lines, marks } = curvePaths(points, at);
  // A line of no length has round ends: a dot.
  return (
    `<path d="${bands}" fill="${BAND}" fill-opacity="0.6"/>` +
    `<path d="${lines}" fill="none" stroke="${LINE}" stroke-width="1.5" stroke-linejoin="round"/>` +
    `<path d="${marks}" stroke="${LINE}" stroke-width="4" stroke-linecap="round"/>`
  );
}

/** The plot as an SVG document. @param titles Lines above it, the first one larger */
export function curvePlot(titles: readonly string[], panels: readonly CurvePanel[]): Size & { readonly svg: string } {
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
  const svg = plotDocument(WIDTH, height, titles[0]!, `<g fill="#222">${headings(titles, left)}</g>${elements.join('')}`);
  return { width: WIDTH, height, svg };
}
