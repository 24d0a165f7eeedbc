// The drawings of `drawings/*.svg` as markup for overlays.
import { drawings } from '#overlay-assets';
import { decimal, type FrameSize, type Overlay } from './svg.ts';

/** Size of a drawing in its own units, and its elements without the root. */
export interface Drawing extends FrameSize {
  readonly markup: string;
}

const ROOT = /^\s*<svg [^>]*viewBox="[-\d.]+ [-\d.]+ ([\d.]+) ([\d.]+)"[^>]*>(.*)<\/svg>\s*$/s;

function parse(document: string): Drawing {
  const [, width, height, markup] = ROOT.exec(document) ?? [];
  if (markup === undefined) throw new Error('Expected an SVG document with a viewBox for a drawing of the overlays.');
  const compact = markup
    .replace(/<!--.*?-->|<title>.*?<\/title>/gs, '')
    .replace(/>\s+</g, '><')
    .trim();
  return { width: Number(width), height: Number(height), markup: compact };
}

/** Round mark of the service. */
export const MARK = parse(drawings.mark);

const NAME = parse(drawings.name);

/** Mark and name of the service. */
export const LOGO: Drawing = { ...NAME, markup: MARK.markup + NAME.markup };

const EARTH = parse(drawings.earth);
const MOON = parse(drawings.moon);

/** An Earth of exactly this diameter around a centre, in pixels. */
export function earthElement(centreX: number, centreY: number, diameterPx: number): string {
  const transform = `translate(${decimal(centreX)} ${decimal(centreY)}) scale(${diameterPx / EARTH.width})`;
  return `<g transform="${transform}">${EARTH.markup}</g>`;
}

/** Diameter of the moon in the sky of the eclipse image, arcseconds. */
const MOON_ARCSEC = 1920;

/** The opaque moon of the eclipse image, in the middle of the frame: 128 pixels across at 15 arcseconds per pixel. */
export function moon(frame: FrameSize, scaleArcsecPerPixel: number): Overlay {
  const diameter = Math.round(MOON_ARCSEC / scaleArcsecPerPixel);
  const x = Math.round(frame.width / 2 + 1 - diameter / 2);
  const y = Math.round(frame.height / 2 + 1 - diameter / 2);
  const transform = `scale(${diameter / MOON.width}) translate(${MOON.width / 2} ${MOON.height / 2})`;
  return { x, y, width: diameter, height: diameter, svg: `<g transform="${transform}">${MOON.markup}</g>` };
}
