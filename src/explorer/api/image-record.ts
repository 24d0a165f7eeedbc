import type { Body } from '../../../clients/typescript/operations.ts';

export type Placed = Readonly<Pick<Body<'getClosestImage'>, 'width' | 'height' | 'scale' | 'refPixelX' | 'refPixelY'>>;

export interface ImageRecord extends Placed, Readonly<Pick<Body<'getClosestImage'>, 'id' | 'name' | 'scaleCorrection' | 'dsun'>> {
  /** ISO 8601. */
  readonly takenAt: string;
  /** Image time minus requested time. */
  readonly distanceSeconds: number;
}
