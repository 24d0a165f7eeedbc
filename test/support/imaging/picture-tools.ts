// Debian's dwebp (webp) and djpeg (libjpeg-turbo-progs): independent readers of the pictures that the encoders write.
import { isInstalled, outputOf } from '../programs.ts';

/** False where the programs are not installed. */
export const hasDwebp = isInstalled('dwebp');
export const hasDjpeg = isInstalled('djpeg');

/** R, G, B, A of each pixel of a WebP file, row by row. */
export function readWebp(file: Uint8Array) {
  const pam = outputOf('dwebp', ['-quiet', '-pam', '-o', '-', '--', '-'], file);
  const header = /^P7\nWIDTH (\d+)\nHEIGHT (\d+)\nDEPTH (\d+)\n[\s\S]*?ENDHDR\n/.exec(pam.subarray(0, 200).toString('latin1'));
  if (!header) throw new Error(`Expected a PAM picture of dwebp, got ${pam.subarray(0, 40).toString('latin1')}`);
  const [width, height, depth] = header.slice(1).map(Number) as [number, number, number];
  return { width, height, depth, bytes: new Uint8Array(pam.subarray(header[0].length)) };
}

/** Samples of a JPEG file: grey, or R, G, B of each pixel. `depth`: bytes a pixel. */
export function readJpeg(file: Uint8Array) {
  const pnm = outputOf('djpeg', ['-pnm', '-dct', 'int'], file);
  const header = /^P([56])\n(\d+) (\d+)\n255\n/.exec(pnm.subarray(0, 100).toString('latin1'));
  if (!header) throw new Error(`Expected a PNM picture of djpeg, got ${pnm.subarray(0, 40).toString('latin1')}`);
  const [type, width, height] = header.slice(1).map(Number) as [number, number, number];
  return { width, height, depth: type === 5 ? 1 : 3, bytes: new Uint8Array(pnm.subarray(header[0].length)) };
}
