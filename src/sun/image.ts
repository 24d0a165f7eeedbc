// The index row of an archived image; pixels and codestream are in the JP2.

export type Size = { readonly width: number; readonly height: number };

export type Circle = { readonly x: number; readonly y: number; readonly radius: number };

export interface ImageGeometry {
  readonly scaleArcsecPerPixel: number;
  /** Plate scale of the header divided by the normalised scale, which is 1 au / distance to the Sun. */
  readonly scaleCorrection: number;
  /** Pixels: NAXIS1, NAXIS2. Where those of the file are not square, as for all that follows, square pixels of their shorter side. */
  readonly width: number;
  readonly height: number;
  /** FITS pixel coordinates of the Sun's centre: origin bottom left, first pixel centre = 1. */
  readonly refPixelX: number;
  readonly refPixelY: number;
  /** CRVAL1, CRVAL2 in the units of the header. */
  readonly offsetX: number;
  readonly offsetY: number;
  /** CROTA in degrees; reported as it is. Pictures are turned by the coordinates of the header. */
  readonly rotationDegrees: number;
  readonly rsunPixels: number;
  /** Observer to Sun in metres. */
  readonly dsunMetres: number;
  /** Order of composition computed from the header. */
  readonly layeringOrder: number;
  /** Header strings of an XRT image, else an empty list. */
  readonly sunCenterOffsetParams: readonly [] | Readonly<Record<'XCEN' | 'YCEN' | 'CDELT1' | 'CDELT2', string>>;
}

export interface ArchivedImage {
  /** Public id: sequence * 16 + shard. The pixels of an id never change. */
  readonly id: number;
  readonly sourceId: number;
  /** DATE-OBS in milliseconds since 1970, UTC. */
  readonly takenAtMs: number;
  /** Base name, unique in the archive. */
  readonly fileName: string;
  /** Object key of the JP2: `jp2/<nickname>/<yyyy>/<mm>/<dd>/<leaf>/<file name>`. */
  readonly key: string;
  readonly byteLength: number;
  /** SHA-256 of the JP2, lower-case hex. */
  readonly sha256: string;
  readonly geometry: ImageGeometry;
}

export type NewImage = Omit<ArchivedImage, 'id'>;

/** An image that is no longer in the archive. Its id and key are never used again. */
export interface WithdrawnImage extends Pick<ArchivedImage, 'id' | 'sourceId' | 'takenAtMs' | 'fileName' | 'key' | 'sha256'> {
  readonly withdrawnAtMs: number;
  /** Id of the image of the same source that has the file name now; null when there is none. */
  readonly replacedBy: number | null;
}

/** A time of the richest day of the sample archive: after its strongest flare. */
export const SAMPLE_TIME_MS = Date.UTC(2024, 4, 10, 7);

/** ORIGIN of images that are no observations ends with this, as in `helioedge sample (synthetic)`. */
const SYNTHETIC = /\(synthetic\)$/i;

export const isSynthetic = (fits: ReadonlyMap<string, string>): boolean => SYNTHETIC.test(fits.get('ORIGIN')?.trim() ?? '');
