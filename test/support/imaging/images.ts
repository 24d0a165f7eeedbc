// Image records for tests, with made-up but plausible values.
import type { ArchivedImage } from '../../../src/sun/image.ts';
import { IMAGES } from '../memory/archived-images.ts';

export type NewImage = Omit<ArchivedImage, 'id'>;

/** An image of `sourceId` at `takenAtMs`, with made-up values except for those in `changes`. */
export function makeImage(sourceId: number, takenAtMs: number, changes: Partial<NewImage> = {}): NewImage {
  const fileName = changes.fileName ?? `image_${sourceId}_${takenAtMs}.jp2`;
  return {
    sourceId,
    takenAtMs,
    fileName,
    key: `jp2/TEST/2021/06/01/${sourceId}/${fileName}`,
    byteLength: 1_078_180,
    sha256: 'ab'.repeat(32),
    geometry: { ...IMAGES[0]!.geometry, refPixelY: 2047.25, offsetY: -0.5, rsunPixels: 1577.5, dsunMetres: 151_700_000_000.125 },
    ...changes,
  };
}
