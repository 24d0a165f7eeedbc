// Scale indicators: an Earth at the scale of the picture, or a bar with its length in kilometres.
import { badParameter } from '../../platform/util/errors.ts';
import type { Size } from '../../sun/image.ts';
import { RECIPE_LIMITS } from '../limits.ts';
import { badMember, isNumber, type Members } from '../notation.ts';
import { decimal, type Overlay, type OverlayFrame, type OverlayKit, type OverlayRecord } from './overlay.ts';

export interface ScaleIndicator {
  readonly type: 'earth' | 'scalebar';
  /** Top left corner in arcseconds from the Sun's centre, y UP (unlike a region's); null for the bottom left corner of the picture. */
  readonly position: { readonly x: number; readonly y: number } | null;
}

interface ScaleParameters {
  readonly scale?: boolean | undefined;
  readonly scaleType?: string | undefined;
  readonly scaleX?: number | undefined;
  readonly scaleY?: number | undefined;
}

const TYPES = ['earth', 'scalebar'] as const;
/** The third value of scaleType: no indicator. */
const DISABLED = 'disabled';
/** A literal, because bundlers keep spreads. */
const WORDS = ['earth', 'scalebar', DISABLED] as const;

/** Diameter of Earth at the Sun as seen from 1 au, drawn: 2/109.1 of the Sun's radius of 959.705 arcseconds. */
const EARTH_ARCSEC = (2 / 109.1) * 959.705;
/** Kilometres per arcsecond at the Sun, from its radius in both units. */
const KM_PER_ARCSEC = 695_500 / 959.705;

const TITLE_PX = 16;
const BAR_PX = 50;

function coordinate(name: string, value: number): number {
  const most = RECIPE_LIMITS.coordinateArcsec;
  if (Math.abs(value) <= most) return value + 0;
  throw badParameter(name, `arcseconds from -${most} to ${most}`, value);
}

/** Validates all four parameters, also when `scale` is off. */
function read({ scale = false, scaleType = 'earth', scaleX = 0, scaleY = 0 }: ScaleParameters): ScaleIndicator | null {
  const type = TYPES.find((name) => name === scaleType);
  if (!type && scaleType !== DISABLED) throw badParameter('scaleType', `${TYPES.join(', ')} or ${DISABLED}`, scaleType);
  const position = { x: coordinate('scaleX', scaleX), y: coordinate('scaleY', scaleY) };
  if (!scale || !type) return null;
  // Clients send 0, 0 for the default position.
  return { type, position: position.x === 0 && position.y === 0 ? null : position };
}

function parse(members: Members): ScaleIndicator | null {
  const value = members.get('scale') ?? [DISABLED];
  if (!Array.isArray(value) || (value.length !== 1 && value.length !== 3))
    throw badMember('a type with or without a position as scale', value);
  const [scaleType, scaleX = 0, scaleY = 0] = value;
  if (typeof scaleType !== 'string' || !isNumber(scaleX) || !isNumber(scaleY))
    throw badMember('a type and two numbers as scale', value);
  return read({ scale: true, scaleType, scaleX, scaleY });
}

/** Diameter of Earth in whole pixels; 0 where it is below half a pixel. */
export const earthDiameterPixels = (scaleArcsecPerPixel: number): number => Math.round(EARTH_ARCSEC / scaleArcsecPerPixel);

/** Kilometres at the Sun below the bar of 50 pixels, as `22,000 km`: to the thousand, and to two digits below ten thousand. */
export function barLabel(scaleArcsecPerPixel: number): string {
  const kilometres = BAR_PX * scaleArcsecPerPixel * KM_PER_ARCSEC;
  const rounded = kilometres < 10_000 ? Number(kilometres.toPrecision(2)) : Math.round(kilometres / 1000) * 1000;
  const [whole, fraction] = String(rounded).split('.');
  const grouped = whole!.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${grouped}${fraction ? `.${fraction}` : ''} km`;
}

type Indicator = Omit<Overlay, 'x' | 'y'>;

/** Least pixels of the boxes; a longer label widens that of the bar. */
const BOXES = { earth: { width: 95, height: 82 }, scalebar: { width: 73, height: 56 } } as const;
const EARTH_MARGIN_PX = 22;

/** Pixels of the box of an indicator; of the bar at least. */
export function boxOf(type: ScaleIndicator['type'], scaleArcsecPerPixel: number): Size {
  const { width, height } = BOXES[type];
  if (type === 'scalebar') return { width, height };
  const side = earthDiameterPixels(scaleArcsecPerPixel) + EARTH_MARGIN_PX;
  return { width: Math.max(width, side), height: Math.max(height, side) };
}

function boxed({ width, height }: Size, title: string, contents: string, kit: OverlayKit): Indicator {
  const x = Math.round((width - kit.textWidth(title, 10)) / 2);
  const box =
    `<rect width="${width}" height="${height}" fill="#000" fill-opacity="0.4"/>` +
    `<rect width="${width}" height="${TITLE_PX}" fill="#333"/>` +
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" fill="none" stroke="#888"/>` +
    kit.textElement(title, x, 12, { sizePx: 10, outlinePx: 0, outlineOpacity: 0 });
  return { width, height, svg: box + contents };
}

function earthIndicator({ scaleArcsecPerPixel, kit }: OverlayFrame): Indicator {
  const diameter = earthDiameterPixels(scaleArcsecPerPixel);
  const { width, height } = boxOf('earth', scaleArcsecPerPixel);
  // The disc starts on a whole pixel, so that its diameter is exact.
  const left = Math.floor((width - diameter) / 2);
  const top = TITLE_PX + Math.floor((height - TITLE_PX - diameter) / 2);
  const { earth } = kit.drawings;
  const centre = `translate(${decimal(left + diameter / 2)} ${decimal(top + diameter / 2)})`;
  const disc = `<g transform="${centre} scale(${diameter / earth.width})">${earth.markup}</g>`;
  return boxed({ width, height }, 'Earth Scale', diameter < 1 ? '' : disc, kit);
}

function barIndicator({ scaleArcsecPerPixel, kit }: OverlayFrame): Indicator {
  const label = barLabel(scaleArcsecPerPixel);
  const labelWidth = kit.textWidth(label, 9);
  const { height, width: leastWidth } = boxOf('scalebar', scaleArcsecPerPixel);
  const width = Math.max(leastWidth, Math.ceil(labelWidth) + 10);
  const left = Math.floor((width - BAR_PX) / 2);
  const bar = `<path d="M${left} 40h${BAR_PX}v6h-1v-2.5h-${BAR_PX - 2}v2.5h-1z" fill="#fff"/>`;
  const text = kit.textElement(label, (width - labelWidth) / 2, 32, { sizePx: 9, outlinePx: 2, outlineOpacity: 0.5 });
  return boxed({ width, height }, 'Bar Scale', text + bar, kit);
}

export const SCALE = {
  name: 'scale',
  parameters: {
    scale: { type: 'flag', description: 'Scale indicator.', byDefault: false },
    scaleType: { type: 'choice', description: 'Kind of scale indicator.', words: WORDS },
    scaleX: { type: 'arcsec', description: 'Left side of the scale indicator; 0, 0 for the lower left corner of the picture.' },
    scaleY: { type: 'arcsec', description: 'Upper side of the scale indicator, y upward.' },
  },
  isInV1: true,
  level: 'indicator',
  read,
  print: (indicator: ScaleIndicator | null) => {
    const { type, position } = indicator ?? {};
    return position ? [type, position.x, position.y] : type && [type];
  },
  query: (indicator: ScaleIndicator | null) =>
    indicator ? { scale: true, scaleType: indicator.type, scaleX: indicator.position?.x, scaleY: indicator.position?.y } : {},
  parse,
  draw: ({ type, position }: ScaleIndicator, frame: OverlayFrame) => {
    const indicator = type === 'earth' ? earthIndicator(frame) : barIndicator(frame);
    const corner = position ? frame.pixelAt(position.x, position.y) : { x: -1, y: frame.height - indicator.height };
    return [{ ...indicator, ...corner }];
  },
} as const satisfies OverlayRecord<ScaleIndicator | null>;
