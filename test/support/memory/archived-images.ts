// A small archive: AIA 171 every minute, one LASCO C2, one XRT and one old EIT image.
import type { ArchivedImage } from '../../../src/sun/image.ts';

export const NOW_MS = Date.UTC(2024, 0, 31, 12);

const XML =
  "<meta><fits><TELESCOP>SDO/AIA</TELESCOP><NOTE>it's</NOTE>\n<CDELT1>0.6</CDELT1></fits><helioviewer></helioviewer></meta>";

/** Bytes with an XML header, different for each image; not a valid JPEG 2000 file. */
export function jp2Bytes(id: number): Uint8Array {
  const header = new TextEncoder().encode(`....jP  ${XML}`);
  return Uint8Array.from({ length: 1000 }, (_, i) => header[i] ?? (i * 7 + id) % 256);
}

export function archivedImage(
  id: number,
  sourceId: number,
  takenAt: string,
  overrides: Partial<ArchivedImage> = {},
): ArchivedImage {
  const fileName = `image_${id}.jp2`;
  return {
    id,
    sourceId,
    takenAtMs: Date.parse(takenAt),
    fileName,
    key: `jp2/AIA/2024/01/01/171/${fileName}`,
    byteLength: 1000,
    sha256: id.toString(16).padStart(64, '0').split('').reverse().join(''),
    geometry: {
      scaleArcsecPerPixel: 0.6083466737042187,
      scaleCorrection: 0.9862797742389285,
      width: 4096,
      height: 4096,
      refPixelX: 2048.5,
      refPixelY: 2048.5,
      offsetX: 0,
      offsetY: 0,
      rotationDegrees: 0,
      rsunPixels: 1577.4636,
      dsunMetres: 151678940000,
      layeringOrder: 1,
      sunCenterOffsetParams: [],
    },
    ...overrides,
  };
}

export const IMAGES: readonly ArchivedImage[] = [
  archivedImage(16, 0, '2009-05-01T00:00:00Z'),
  archivedImage(26, 10, '2024-01-01T00:00:00Z'),
  archivedImage(42, 10, '2024-01-01T00:01:00Z'),
  archivedImage(58, 10, '2024-01-01T00:02:00.500Z'),
  archivedImage(74, 10, '2024-01-31T11:00:00Z'),
  archivedImage(20, 4, '2024-01-01T06:00:00Z'),
  archivedImage(22, 38, '2024-01-02T00:00:00Z'),
];
