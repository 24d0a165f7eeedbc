// One channel of a colour table as a function of the 8-bit sample: a formula, or linear interpolation between knots.

/** Maps 0..255 to any number; the table takes its floor and clamps it. */
export type Formula = (sample: number) => number;

/** A formula, or knots `sample,value` separated by spaces, from sample 0 to 255. */
export type Channel = Formula | string;

const clamp = (value: number) => Math.min(255, Math.max(0, value));

/** From 0 at `start` to 255 at `start + width`. */
export function ramp(start: number, width: number): Formula {
  return (i) => clamp(((i - start) * 255) / width);
}

export const identity: Formula = (i) => i;
export const squared: Formula = (i) => (i * i) / 255;
export const root: Formula = (i) => Math.sqrt(255 * i);

/** `formula` rounded to the nearest integer instead of down. */
export function rounded(formula: Formula): Formula {
  return (i) => formula(i) + 0.5;
}

function between(knots: string): Formula {
  const points = knots.split(' ').map((knot) => knot.split(',').map(Number) as [number, number]);
  return rounded((i) => {
    const after = Math.max(
      1,
      points.findIndex(([sample]) => sample >= i),
    );
    const [x0, y0] = points[after - 1]!;
    const [x1, y1] = points[after]!;
    return y0 + ((y1 - y0) * (i - x0)) / (x1 - x0);
  });
}

/** The 256 values of a channel. */
export function channelValues(channel: Channel): Uint8Array {
  const formula = typeof channel === 'string' ? between(channel) : channel;
  return Uint8Array.from({ length: 256 }, (_, i) => Math.floor(clamp(formula(i))));
}
