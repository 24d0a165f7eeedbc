// Scale indicators: an Earth at the scale of the picture, or a bar with its length in kilometres.
import { earthElement } from './drawings.ts';
import { textWidth } from './font.ts';
import type { Box, FrameSize, Overlay } from './svg.ts';
import { textElement } from './text.ts';

export type ScaleKind = 'earth' | 'scalebar';

/** Diameter of Earth at the Sun as seen from 1 au, drawn: 2/109.1 of the Sun's radius of 959.705 arcseconds. */
const EARTH_ARCSEC = (2 / 109.1) * 959.705;
/** Kilometres per arcsecond at the Sun, from its radius in both units. */
const KM_PER_ARCSEC = 695_500 / 959.705;

const TITLE_PX = 16;
const BAR_PX = 50;

/** Diameter of Earth in whole pixels; 0 where it is below half a pixel. */
export function earthDiameterPixels(scaleArcsecPerPixel: number): number {
  return Math.round(EARTH_ARCSEC / scaleArcsecPerPixel);
}

/** Kilometres at the Sun below the bar of 50 pixels: to the thousand, and to two digits below ten thousand. */
function barKilometres(scaleArcsecPerPixel: number): number {
  const kilometres = BAR_PX * scaleArcsecPerPixel * KM_PER_ARCSEC;
  return kilometres < 10_000 ? Number(kilometres.toPrecision(2)) : Math.round(kilometres / 1000) * 1000;
}

/** `22,000 km`. */
export function barLabel(scaleArcsecPerPixel: number): string {
  const [whole, fraction] = String(barKilometres(scaleArcsecPerPixel)).split('.');
  const grouped = whole!.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${grouped}${fraction ? `.${fraction}` : ''} km`;
}

function frameOf(width: number, height: number, title: string): string {
  const x = Math.round((width - textWidth(title, 10)) / 2);
  return (
    `<rect width="${width}" height="${height}" fill="#000" fill-opacity="0.4"/>` +
    `<rect width="${width}" height="${TITLE_PX}" fill="#333"/>` +
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" fill="none" stroke="#888"/>` +
    textElement(title, x, 12, { sizePx: 10, outlinePx: 0, outlineOpacity: 0 })
  );
}

interface Drawing extends FrameSize {
  readonly svg: string;
}

function earthDrawing(scaleArcsecPerPixel: number): Drawing {
  const diameter = earthDiameterPixels(scaleArcsecPerPixel);
  const width = Math.max(95, diameter + 22);
  const height = Math.max(82, diameter + 22);
  // The disc starts on a whole pixel, so that its diameter is exact.
  const left = Math.floor((width - diameter) / 2);
  const top = TITLE_PX + Math.floor((height - TITLE_PX - diameter) / 2);
  const disc = diameter < 1 ? '' : earthElement(left + diameter / 2, top + diameter / 2, diameter);
  return { width, height, svg: frameOf(width, height, 'Earth Scale') + disc };
}

function barDrawing(scaleArcsecPerPixel: number): Drawing {
  const label = barLabel(scaleArcsecPerPixel);
  const labelWidth = textWidth(label, 9);
  const width = Math.max(73, Math.ceil(labelWidth) + 10);
  const left = Math.floor((width - BAR_PX) / 2);
  const bar = `<path d="M${left} 40h${BAR_PX}v6h-1v-2.5h-${BAR_PX - 2}v2.5h-1z" fill="#fff"/>`;
  const text = textElement(label, (width - labelWidth) / 2, 32, { sizePx: 9, outlinePx: 2, outlineOpacity: 0.5 });
  return { width, height: 56, svg: frameOf(width, 56, 'Bar Scale') + text + bar };
}

/** Position of the picture: arcseconds of its upper left corner (x to the west, y down), and its scale. */
export interface View {
  readonly leftArcsec: number;
  readonly topArcsec: number;
  readonly scaleArcsecPerPixel: number;
}

/** Upper left corner of the indicator from scaleX and scaleY (arcseconds, y to the north); null, the default place, for 0, 0. */
export function scalePlace(scaleX: number, scaleY: number, view: View): { readonly x: number; readonly y: number } | null {
  if (scaleX === 0 && scaleY === 0) return null;
  const x = Math.round((scaleX - view.leftArcsec) / view.scaleArcsecPerPixel);
  return { x, y: Math.round((-scaleY - view.topArcsec) / view.scaleArcsecPerPixel) };
}

/** Earth or bar with its upper left corner at `place`, or in the lower left corner of the frame. */
export function scaleOverlay(
  kind: ScaleKind,
  frame: FrameSize,
  scaleArcsecPerPixel: number,
  place: Pick<Box, 'x' | 'y'> | null,
): Overlay {
  const drawing = kind === 'earth' ? earthDrawing(scaleArcsecPerPixel) : barDrawing(scaleArcsecPerPixel);
  return { ...drawing, ...(place ?? { x: -1, y: frame.height - drawing.height }) };
}
