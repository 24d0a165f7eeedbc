// Small bar charts as SVG in a page, without scripts and without styles of their own.
import { escapeHtml } from '../../util/markup.ts';

const HEIGHT = 20;
const BAR = 4;
/** Height of the lowest bar. */
const LEAST = 1.5;

/** A bar for each day; a day without images has a low bar of another colour. */
export function chart(name: string, counts: readonly number[]): string {
  const most = Math.max(1, ...counts);
  const filled = counts.filter((count) => count > 0).length;
  const bars = counts.map((count, i) => {
    const height = count > 0 ? Math.max(LEAST, (HEIGHT * count) / most) : LEAST;
    const box = `x="${BAR * i}" y="${(HEIGHT - height).toFixed(1)}" width="${BAR - 1}" height="${height.toFixed(1)}"`;
    return `<rect${count > 0 ? '' : ' class="none"'} ${box}/>`;
  });
  const label = `${name}: images on ${filled} of ${counts.length} days, at most ${Math.max(0, ...counts)} a day`;
  const box = `0 0 ${BAR * Math.max(1, counts.length)} ${HEIGHT}`;
  return `<svg role="img" aria-label="${escapeHtml(label)}" viewBox="${box}" preserveAspectRatio="none">${bars.join('')}</svg>`;
}
