// Axes of plots: ticks at round values and times, labels with units.
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../platform/util/durations.ts';
import { formatDateTime } from '../../sun/time.ts';

export interface Axis {
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly { readonly at: number; readonly label: string }[];
  readonly title: string;
}

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

/** An axis of times, UTC, with `room` milliseconds at both ends. Labels have the parts that differ; the title has the day if there is one. */
export function timeAxis(firstMs: number, lastMs: number, room: number, most = 7): Axis {
  const [fromMs, toMs] = [firstMs - room, lastMs + room];
  const step = TIME_STEPS.find((ms) => (toMs - fromMs) / ms <= most) ?? TIME_STEPS.at(-1)!;
  const [first, last] = [formatDateTime(firstMs), formatDateTime(lastMs)];
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
