export interface ImageRecord {
  readonly id: number;
  readonly name: string;
  /** Arcseconds per pixel as seen from 1 au. */
  readonly scale: number;
  /** Apparent arcseconds per arcsecond as seen from 1 au. */
  readonly scaleCorrection: number;
  readonly width: number;
  readonly height: number;
  readonly refPixelX: number;
  readonly refPixelY: number;
  /** Metres from the observer to the Sun. */
  readonly dsun: number;
  /** ISO 8601. */
  readonly takenAt: string;
  /** Image time minus requested time. */
  readonly distanceSeconds: number;
}

export type Placed = Pick<ImageRecord, 'width' | 'height' | 'scale' | 'refPixelX' | 'refPixelY'>;
