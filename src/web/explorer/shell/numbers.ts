// Numbers and durations as text.

const UNITS = [
  ['y', 31_557_600],
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const;

/** `2 h 15 min`: the two largest units. */
export function durationText(seconds: number): string {
  let rest = Math.round(Math.abs(seconds));
  const parts: string[] = [];
  for (const [name, length] of UNITS) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0 && parts.length < 2) parts.push(`${count} ${name}`);
  }
  return parts.join(' ') || '0 s';
}

/** `2 h 15 min earlier`; nothing below a second. */
export function distanceText(seconds: number): string {
  if (Math.abs(seconds) < 1) return '';
  return `${durationText(seconds)} ${seconds < 0 ? 'earlier' : 'later'}`;
}

/** `2.42″/px`, with three significant digits. */
export function scaleText(arcsecPerPixel: number): string {
  return `${Number(arcsecPerPixel.toPrecision(3))}″/px`;
}

export const fixed = (value: number, digits: number) => {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : text.replace('-', '−');
};
