// Overlays other than events.
import { badParameter } from '../errors.ts';
import { RECIPE_LIMITS } from './limits.ts';

export interface ScaleIndicator {
  /** The Earth to scale, or a bar labelled in kilometres. */
  readonly type: 'earth' | 'scalebar';
  /**
   * Top left corner of the indicator in arcseconds from the Sun's centre, y UPWARD (north), unlike the y of a region. Null
   * for the bottom left corner of the picture.
   */
  readonly position: { readonly x: number; readonly y: number } | null;
}

export interface Overlays {
  /** Logo, names of the layers and observation times of their images. */
  readonly watermark: boolean;
  readonly scale: ScaleIndicator | null;
  /** Markers of shared movies. */
  readonly movieIcons: boolean;
  /** Heliographic grid of the Sun and its limb, as the observer of the lowest layer sees them. */
  readonly grid: boolean;
}

/** Overlay parameters of screenshots and movies. */
export interface OverlayParameters {
  readonly watermark?: boolean | undefined;
  readonly scale?: boolean | undefined;
  readonly scaleType?: string | undefined;
  readonly scaleX?: number | undefined;
  readonly scaleY?: number | undefined;
  readonly movieIcons?: boolean | undefined;
  readonly grid?: boolean | undefined;
}

const SCALE_TYPES = ['earth', 'scalebar'] as const;
/** The third value of scaleType: no indicator. */
const DISABLED = 'disabled';

function coordinate(name: string, value: number): number {
  const most = RECIPE_LIMITS.coordinateArcsec;
  if (Math.abs(value) <= most) return value + 0;
  throw badParameter(name, `arcseconds from -${most} to ${most}`, value);
}

/** Validates all four parameters, also when `scale` is off. */
function scaleIndicator({
  scale = false,
  scaleType = 'earth',
  scaleX = 0,
  scaleY = 0,
}: OverlayParameters): ScaleIndicator | null {
  const type = SCALE_TYPES.find((name) => name === scaleType);
  if (!type && scaleType !== DISABLED) throw badParameter('scaleType', `${SCALE_TYPES.join(', ')} or ${DISABLED}`, scaleType);
  const position = { x: coordinate('scaleX', scaleX), y: coordinate('scaleY', scaleY) };
  if (!scale || !type) return null;
  // Clients send 0, 0 for the default position.
  return { type, position: position.x === 0 && position.y === 0 ? null : position };
}

/**
 * Overlays of a request; only the watermark is on by default.
 * @throws Failure naming scaleType, scaleX or scaleY
 */
export function parseOverlays(parameters: OverlayParameters): Overlays {
  const { watermark = true, movieIcons = false, grid = false } = parameters;
  return { watermark, scale: scaleIndicator(parameters), movieIcons, grid };
}
