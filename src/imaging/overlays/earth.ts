// A small Earth: coarse outlines of the continents, seen from above the Gulf of Guinea.
import { decimal } from './svg.ts';

/** Longitude and latitude in degrees below the observer. */
const VIEW = { longitude: 12, latitude: 14 };

/** Longitudes east and latitudes north of coasts, in degrees, drawn by hand. */
const CONTINENTS: readonly (readonly number[])[] = [
  // Africa
  [
    -6, 36, 3, 37, 10, 37, 11, 33.5, 20, 31, 25, 32, 32, 31.3, 34, 27.5, 37, 21, 39, 15.5, 43, 11.5, 51, 11.8, 47.5, 4, 41.5, -2,
    39, -6.5, 40.5, -14.5, 35, -20, 35.3, -24, 32.5, -28.5, 27, -33.7, 20, -34.8, 18, -32.5, 15, -26.5, 12, -17.5, 13.5, -10, 9.5,
    -1, 9.5, 4, 4.5, 6.3, -2, 5, -8, 4.5, -13, 8.5, -17, 14.5, -16.5, 20.5, -13, 27.5, -9.5, 31.5,
  ],
  // Europe and western Asia
  [
    -9, 37, -9, 43, -1.5, 43.5, -1.5, 46.5, -4.5, 48.5, 2, 51, 8, 54, 9, 57, 11, 54, 20, 54.8, 24, 59, 29, 60, 22, 61, 24, 65, 18,
    62, 15, 56, 10.5, 59, 6, 58.5, 5, 62, 13, 66.5, 20, 70, 28, 71, 40, 67.5, 60, 69, 75, 72, 100, 76, 112, 68, 112, 58, 112, 48,
    112, 40, 112, 32, 112, 25, 100, 21, 90, 22, 80, 15, 77, 8, 72, 20, 67, 24.5, 57, 25.5, 50, 30, 48, 30, 51.5, 25, 56.5, 26,
    59.5, 22.5, 55, 17.5, 45, 12.8, 43, 14, 39, 21, 35, 28, 35, 32, 36, 36.5, 30, 36.5, 27, 38, 26.5, 40.5, 23, 40.5, 23.5, 37.5,
    21.5, 37, 19.5, 41.5, 13.5, 45.5, 16, 41.5, 18.3, 40, 15.8, 38, 11, 42.5, 8, 44, 3.5, 43.3, 0, 39.5, -2, 37, -5.5, 36,
  ],
  // Britain, Iceland, Madagascar
  [-5.5, 50, 1.3, 51.2, 0, 53.5, -3, 58.5, -5.5, 58, -3, 54.5, -5, 52],
  [-22, 64, -14, 65, -16, 66.5, -23, 66],
  [49.5, -12.5, 50, -16, 47, -25, 44, -24, 44.5, -17],
  // South America
  [
    -50, 0, -44, -2.5, -35, -6, -37, -12, -39, -17, -41, -22, -48, -26, -53, -34, -62, -39, -72, -46, -72, -18, -78, -5, -76, 8,
    -62, 10.5, -52, 5,
  ],
];
const GREENLAND: readonly number[] = [-45, 60, -22, 70, -18, 77, -30, 83, -60, 82, -55, 70];

const radians = (degrees: number) => (degrees * Math.PI) / 180;

/** Orthographic projection onto the unit disc, y down; what is behind the limb comes to lie on it. */
function project(longitude: number, latitude: number): readonly [number, number] {
  const [east, north, tilt] = [longitude - VIEW.longitude, latitude, VIEW.latitude].map(radians) as [number, number, number];
  const x = Math.cos(north) * Math.sin(east);
  const y = Math.cos(tilt) * Math.sin(north) - Math.sin(tilt) * Math.cos(north) * Math.cos(east);
  const depth = Math.sin(tilt) * Math.sin(north) + Math.cos(tilt) * Math.cos(north) * Math.cos(east);
  const toLimb = depth < 0 ? 1 / Math.hypot(x, y) : 1;
  return [x * toLimb, -y * toLimb];
}

/** A closed outline through the middles of its sides, rounded at the points. */
function outline(coast: readonly number[]): string {
  const points = Array.from({ length: coast.length / 2 }, (_, i) => project(coast[2 * i]!, coast[2 * i + 1]!));
  const at = (i: number) => points[i % points.length]!;
  const middle = (i: number) => `${decimal(50 * (at(i)[0] + at(i + 1)[0]))} ${decimal(50 * (at(i)[1] + at(i + 1)[1]))}`;
  const curves = points.map((_, i) => `Q${decimal(100 * at(i + 1)[0])} ${decimal(100 * at(i + 1)[1])} ${middle(i + 1)}`);
  return `M${middle(0)}${curves.join('')}Z`;
}

const GRADIENTS =
  '<radialGradient id="sea" cx="0.38" cy="0.34" r="0.72"><stop offset="0" stop-color="#5aa9e6"/>' +
  '<stop offset="0.6" stop-color="#1f6fb8"/><stop offset="1" stop-color="#0d3b75"/></radialGradient>' +
  '<radialGradient id="shade" cx="0.38" cy="0.34" r="0.75"><stop offset="0.55" stop-color="#000" stop-opacity="0"/>' +
  '<stop offset="1" stop-color="#001028" stop-opacity="0.55"/></radialGradient>';

let drawing: string | null = null;

/** Nothing is clipped to the disc: resvg cannot draw a clipped group that lies outside of the piece it draws. */
function drawEarth(): string {
  const land = CONTINENTS.map(outline).join('');
  return (
    `<defs>${GRADIENTS}</defs><circle r="100" fill="url(#sea)"/>` +
    `<path d="${land}" fill="#6fa55a" stroke="#c9c07a" stroke-width="1.5"/>` +
    `<path d="${outline(GREENLAND)}" fill="#eef4f8"/><circle r="100" fill="url(#shade)"/>`
  );
}

/** An Earth of exactly that diameter around a centre, all in pixels. */
export function earthElement(centreX: number, centreY: number, diameterPx: number): string {
  drawing ??= drawEarth();
  return `<g transform="translate(${decimal(centreX)} ${decimal(centreY)}) scale(${diameterPx / 200})">${drawing}</g>`;
}
