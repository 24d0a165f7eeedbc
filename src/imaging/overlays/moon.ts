// The moon of the eclipse image, in front of the Sun and therefore dark.
import type { FrameSize, Overlay } from './svg.ts';

/** Diameter of the moon in the sky of the eclipse image, arcseconds. */
const DIAMETER_ARCSEC = 1920;

const SHADING =
  '<radialGradient id="grey" cx="0.44" cy="0.4" r="0.62"><stop offset="0" stop-color="#454443"/>' +
  '<stop offset="0.75" stop-color="#383736"/><stop offset="1" stop-color="#222120"/></radialGradient>';

/** Centre, radii and turn of the dark plains on a disc of radius 100, drawn after the near side with north up. */
const MARIA: readonly (readonly [number, number, number, number, number])[] = [
  [-58, 2, 24, 46, 12], // Oceanus Procellarum
  [-30, -46, 27, 23, 0], // Imbrium
  [16, -41, 17, 15, 0], // Serenitatis
  [34, -14, 21, 16, 20], // Tranquillitatis
  [62, -26, 10, 13, 8], // Crisium
  [58, 8, 11, 18, -18], // Fecunditatis
  [37, 17, 9, 9, 0], // Nectaris
  [-22, 24, 20, 14, -10], // Nubium
  [-46, 34, 11, 10, 0], // Humorum
  [4, -74, 48, 6, 0], // Frigoris
  [-2, 0, 12, 7, 0], // Vaporum and Medii
];

/** Centre and radius of bright craters: Tycho, Copernicus, Kepler, Aristarchus, Proclus, Langrenus. */
const CRATERS: readonly (readonly [number, number, number])[] = [
  [-14, 66, 5],
  [-33, -15, 5],
  [-60, -13, 3],
  [-68, -40, 2.6],
  [71, -27, 2],
  [84, 14, 3],
];

/** Angles in degrees and lengths of the rays of Tycho. */
const RAYS: readonly (readonly [number, number])[] = [
  [-118, 70],
  [-82, 84],
  [-52, 110],
  [-20, 62],
  [38, 34],
  [172, 44],
];

function drawMoon(): string {
  const maria = MARIA.map(
    ([x, y, rx, ry, turn]) => `<ellipse transform="translate(${x} ${y}) rotate(${turn})" rx="${rx}" ry="${ry}"/>`,
  ).join('');
  const craters = CRATERS.map(([x, y, r]) => `<circle cx="${x}" cy="${y}" r="${r}"/>`).join('');
  const rays = RAYS.map(
    ([angle, length]) => `<path transform="translate(-14 66) rotate(${angle})" d="M0-1.2L${length} 0L0 1.2z"/>`,
  );
  return (
    `<defs>${SHADING}<filter id="soft" x="-0.2" y="-0.2" width="1.4" height="1.4"><feGaussianBlur stdDeviation="3.2"/></filter>` +
    '<clipPath id="disc"><circle r="100"/></clipPath></defs><circle r="100" fill="url(#grey)"/>' +
    `<g clip-path="url(#disc)"><g fill="#1c1b1b" fill-opacity="0.75" filter="url(#soft)">${maria}</g>` +
    `<g fill="#5b5956" fill-opacity="0.35">${rays.join('')}</g><g fill="#5b5956" fill-opacity="0.8">${craters}</g></g>`
  );
}

/** An opaque moon in the middle of the frame: 128 pixels across at 15 arcseconds per pixel. */
export function moon(frame: FrameSize, scaleArcsecPerPixel: number): Overlay {
  const diameter = Math.round(DIAMETER_ARCSEC / scaleArcsecPerPixel);
  const x = Math.round(frame.width / 2 + 1 - diameter / 2);
  const y = Math.round(frame.height / 2 + 1 - diameter / 2);
  const svg = `<g transform="scale(${diameter / 200}) translate(100 100)">${drawMoon()}</g>`;
  return { x, y, width: diameter, height: diameter, svg };
}
