// Numbers and times as text.

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
];

/** `2 h 15 min earlier`: the two largest units. */
export function distanceText(seconds) {
  if (Math.abs(seconds) < 1) return 'less than 1 s';
  let rest = Math.abs(seconds);
  const parts = [];
  for (const [name, length] of UNITS) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0 && parts.length < 2) parts.push(`${count} ${name}`);
  }
  return `${parts.join(' ')} ${seconds < 0 ? 'earlier' : 'later'}`;
}

/** `2.42″ per pixel`, with three significant digits. */
export function scaleText(arcsecPerPixel) {
  return `${Number(arcsecPerPixel.toPrecision(3))}″ per pixel`;
}

/** `2024-05-10T12:00:11.000Z` as `2024-05-10 12:00:11 UTC`. */
export function dateText(iso) {
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
}

/** `Sample archive: 123 of 404 images so far` */
export function sampleText({ done, total }) {
  return `Sample archive: ${done} of ${total} images so far`;
}
