// The visible ring of a coronagraph image, between the occulter and the edge of the field. Radii and centres were measured
// on images of the nominal size and scale with the image.
import { findSource } from './catalogue/sources.ts';
import type { ImageGeometry } from './image.ts';
import { sunCentre } from './pixel-grid.ts';

/** Image coordinates and radius in pixels. */
export interface Circle {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

export interface Ring {
  /** Edge of the occulter. */
  readonly inner: Circle;
  /** Edge of the field. */
  readonly outer: Circle;
  /** Width in pixels over which the edges fade; 0 for sharp edges. */
  readonly softness: number;
  /** Whether downloads of the whole image are masked too. Those of LASCO are not, as in the original service. */
  readonly masksDownloads: boolean;
}

/** Offsets from the anchor and radii in pixels of an image that is `nominal` pixels wide. */
interface Shape {
  readonly nominal: number;
  /** Centre of the ring: the Sun or the image centre. */
  readonly anchor: 'sun' | 'image';
  readonly inner: readonly [dx: number, dy: number, radius: number];
  readonly outer: readonly [dx: number, dy: number, radius: number];
  readonly softness: number;
}

/** The mask of KCor was made at 1024 pixels and is applied stretched to 1040. */
const KCOR_STRETCH = 1040 / 1024;

const SHAPES: Readonly<Record<string, Shape>> = {
  'LASCO C2': { nominal: 1024, anchor: 'sun', inner: [0, 0, 194], outer: [0, 0, 620], softness: 0 },
  'LASCO C3': { nominal: 1024, anchor: 'sun', inner: [0, 0, 79], outer: [0, 0, 519], softness: 0 },
  'COSMO KCor': {
    nominal: 1024,
    anchor: 'sun',
    inner: [-1 * KCOR_STRETCH, -1 * KCOR_STRETCH, 187.4 * KCOR_STRETCH],
    outer: [-0.5 * KCOR_STRETCH, 1.5 * KCOR_STRETCH, 496.5 * KCOR_STRETCH],
    softness: 2,
  },
  'COR1-A': { nominal: 2048, anchor: 'image', inner: [0, 0, 387], outer: [0, 0, 1151], softness: 0 },
  'COR1-B': { nominal: 2048, anchor: 'image', inner: [2, 27, 383], outer: [0, 0, 1090], softness: 0 },
  'COR2-A': { nominal: 2048, anchor: 'image', inner: [0, 0, 178], outer: [0, 0, 1041], softness: 0 },
  'COR2-B': { nominal: 2048, anchor: 'image', inner: [19, 28, 216], outer: [-5, -2, 1043], softness: 0 },
};

const LASCO = /^LASCO/;

/** The visible ring of an image; null for instruments without an occulter. */
export function occulterRing(sourceId: number, geometry: ImageGeometry): Ring | null {
  const nickname = findSource(sourceId)?.nickname ?? '';
  const shape = SHAPES[nickname];
  if (!shape) return null;
  const scale = geometry.width / shape.nominal;
  const anchor = shape.anchor === 'sun' ? sunCentre(geometry) : { x: geometry.width / 2, y: geometry.height / 2 };
  const circle = ([dx, dy, radius]: readonly [number, number, number]): Circle => ({
    x: anchor.x + dx * scale,
    y: anchor.y + dy * scale,
    radius: radius * scale,
  });
  return {
    inner: circle(shape.inner),
    outer: circle(shape.outer),
    softness: shape.softness * scale,
    masksDownloads: !LASCO.test(nickname),
  };
}

const PUNCH = 'PUNCH';

/** Pixels without data in PUNCH mosaics are exactly black and are rendered transparent. */
export const isBlackTransparent = (sourceId: number): boolean => findSource(sourceId)?.nickname === PUNCH;
