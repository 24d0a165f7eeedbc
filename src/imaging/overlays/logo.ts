// The mark of the service: a Sun with the edge that it comes from, and the name in letters of one stroke.

/** Diameter of the round mark in its own units. */
export const MARK_SIZE = 44;
export const LOGO_SIZE = { width: 206, height: 44 } as const;

const SUN =
  '<radialGradient id="sun" cx="0.42" cy="0.38" r="0.68"><stop offset="0" stop-color="#fff1b8"/>' +
  '<stop offset="0.45" stop-color="#ffc53d"/><stop offset="1" stop-color="#f0731a"/></radialGradient>';

/** The limb that runs past the disc, from the upper right round below it. */
const EDGE = 'M32.4 7.9A17.5 17.5 0 0 1 7 31';

/** Round mark in a square of MARK_SIZE. The dark ground keeps it visible on bright images. */
export const MARK_SVG =
  `<defs>${SUN}</defs><circle cx="22" cy="22" r="21.5" fill="#000" fill-opacity="0.5"/>` +
  '<circle cx="20.5" cy="20.5" r="11.5" fill="url(#sun)"/>' +
  `<path d="${EDGE}" fill="none" stroke="#fff" stroke-width="2.8" stroke-linecap="round"/>`;

/** Letters around a baseline at y = 30: x-height 14, ascenders to 8. Each starts at its own x = 0. */
const H = 'm0 8v22m0-7.5a6 6.5 0 0 1 12 0v7.5';
const E = 'm0 23h14a7 7 0 1 0-2.05 4.95';
const L = 'm0 8v22';
const I = 'm0 16v14m0-19.6v-.01';
const O = 'm0 23a7 7 0 1 1 14 0a7 7 0 1 1-14 0';
const D = `${O}m14-15v22`;
const G = `${O}m14-7v15a7 7 0 0 1-12.6 4.2`;

const word = (letters: readonly (readonly [string, number])[]) => letters.map(([path, x]) => `M${x} 0${path}`).join('');

const HELIO = word([
  [H, 0],
  [E, 18.2],
  [L, 38.4],
  [I, 47],
  [O, 54],
]);
const EDGE_WORD = word([
  [E, 73.6],
  [D, 93.2],
  [G, 113.6],
  [E, 134],
]);

const letters = (path: string, attributes: string) => `<path d="${path}" ${attributes}/>`;

/** Mark and name in a box of LOGO_SIZE. */
export const LOGO_SVG =
  `${MARK_SVG}<g transform="translate(54 0)" fill="none" stroke-linecap="round" stroke-linejoin="round">` +
  letters(HELIO + EDGE_WORD, 'stroke="#000" stroke-opacity="0.55" stroke-width="5.4"') +
  letters(HELIO, 'stroke="#fff" stroke-width="2.9"') +
  `${letters(EDGE_WORD, 'stroke="#ffc53d" stroke-width="2.9"')}</g>`;
