// Sample images whose laws are known, and what independent code says of their pixels.
import { archivePath } from '../../../demo/image-file.ts';
import { readBoxes } from '../../../src/jp2/boxes.ts';
import { greyBytes } from '../../../src/jp2/decode.ts';
import { indexJp2 } from '../../../src/jp2/sidecar.ts';
import { decodeFrom } from '../imaging/decode.ts';
import { openjpegDecode } from '../jp2/openjpeg.ts';
import { sampleFile } from '../sample-files.ts';

export const NOON = Date.UTC(2024, 4, 10, 12);
export const SIZE = 512;
export const [AIA_171, AIA_193, HMI, LASCO_C2] = [10, 11, 19, 4] as const;

export interface SampleShot {
  readonly sourceId: number;
  readonly timeMs: number;
  /** Pixels of a side. Unset: SIZE. */
  readonly size?: number;
}

export const SHOTS: readonly SampleShot[] = [AIA_171, HMI, LASCO_C2].map((sourceId) => ({ sourceId, timeMs: NOON }));

export const nameOf = (sourceId: number, timeMs = NOON) => archivePath({ sourceId, timeMs, size: SIZE }).split('/').at(-1)!;

/** The bytes of a sample image as the decoder of the service has them for the whole file at once, row by row from the top. */
export async function decodedSample(sourceId: number, timeMs = NOON): Promise<Uint8Array> {
  const jp2 = await sampleFile({ sourceId, timeMs, size: SIZE });
  return greyBytes(decodeFrom(jp2, indexJp2(jp2), 0)[0]!);
}

/** Bytes of a sample image as OpenJPEG decodes them, some of them rounded to the next level. */
export async function openjpegSample(sourceId: number, timeMs = NOON): Promise<Uint8Array> {
  const jp2 = await sampleFile({ sourceId, timeMs, size: SIZE });
  const { codestream } = readBoxes(jp2);
  return openjpegDecode(jp2.subarray(codestream.start, codestream.end), 0).samples;
}

/** The law of AIA 171, written down again. */
export const valueOf171 = (byte: number, within = 0.5) => 5 + (1 + (39 * (byte + within)) / 255.9999) ** 2;
