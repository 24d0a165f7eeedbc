// Debian's opj_compress and opj_decompress (libopenjp2-tools), which offer what the npm build does not: tiles, offsets, mode
// switches, POC, ROI, subsampling, tile-parts.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Raster } from '../imaging/rasters.ts';
import { isInstalled, outputOf } from '../programs.ts';
import { inFolderSync } from '../system/in-folder.ts';
import { type PgxImage, readPgx } from './pgx.ts';

/** False where the two programs are not installed. */
export const hasOpj = ['opj_compress', 'opj_decompress'].every(isInstalled);

/** Planar, big-endian when of more than 8 bits: the RAW format of opj_compress. Planes may differ in size. */
function raw({ components, precision }: Raster): Uint8Array {
  const bytesPerSample = precision <= 8 ? 1 : 2;
  const parts = components.map((plane) => {
    const bytes = Buffer.alloc(plane.length * bytesPerSample);
    plane.forEach((sample, i) => {
      if (bytesPerSample === 1) bytes[i] = sample & 0xff;
      else bytes.writeUInt16BE(sample & 0xffff, i * 2);
    });
    return bytes;
  });
  return Buffer.concat(parts);
}

/** Codes with opj_compress. `subsampling` such as `1x1:2x2:2x2`, one for each component. */
export function opjCompress(raster: Raster, options: readonly string[], subsampling = ''): Uint8Array {
  return inFolderSync((folder) => {
    const [from, to] = [join(folder, 'image.raw'), join(folder, 'image.j2k')];
    writeFileSync(from, raw(raster));
    const { width, height, precision, signed, components } = raster;
    const frame = `${width},${height},${components.length},${precision},${signed ? 's' : 'u'}${subsampling && `@${subsampling}`}`;
    outputOf('opj_compress', ['-i', from, '-o', to, '-F', frame, ...options]);
    return new Uint8Array(readFileSync(to));
  });
}

/** Decodes with opj_decompress: one image for each component. */
export function opjDecompress(stream: Uint8Array, reduce = 0): PgxImage[] {
  return inFolderSync((folder) => {
    const [from, to] = [join(folder, 'image.j2k'), join(folder, 'image.pgx')];
    writeFileSync(from, stream);
    const planes = (): string[] =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.pgx'))
        .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
    outputOf('opj_decompress', ['-i', from, '-o', to, '-r', String(reduce)]);
    return planes().map((name) => readPgx(readFileSync(join(folder, name))));
  });
}
