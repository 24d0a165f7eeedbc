// A movie by the tools of the original service, frame by frame: opj_decompress cuts and reduces the image, ImageMagick applies the
// colour table, resizes and saves a PNG, ffmpeg encodes the PNGs in the same three encodings.
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { colourTable } from '../../../src/picture/colour/palette.ts';
import { rgbPng } from '../../../src/picture/encode/png.ts';

const run = promisify(execFile);

/** Debian's ImageMagick; another program may have its short name. */
const CONVERT = '/usr/bin/convert';
const FRAME = { width: 1280, height: 720 };
/** Pixels of the frame that the image of 2048 pixels, 1.2 arcseconds each, covers at 3.4 arcseconds a pixel. */
const IMAGE_WIDTH = 723;
const TABLE = 'SDO_AIA_171';
const FONT = join(import.meta.dirname, '../../../node_modules/dejavu-fonts-ttf/ttf/DejaVuSans.ttf');

const runs = (program: string, option: string, says: string): boolean =>
  spawnSync(program, [option], { encoding: 'utf8' }).stdout?.includes(says) ?? false;

export const hasOriginalTools = (): boolean =>
  runs(CONVERT, '-version', 'ImageMagick') &&
  runs('opj_decompress', '-h', 'opj_decompress') &&
  runs('ffmpeg', '-version', 'ffmpeg');

/** Makes mp4, hq.mp4 and webm of the images in an empty `folder`, which is removed afterwards. */
export async function originalMovie(jp2s: readonly Uint8Array[], folder: string): Promise<void> {
  await mkdir(folder);
  const path = (name: string) => join(folder, name);
  const table = rgbPng(256, 1);
  await table.write(colourTable(TABLE), 1);
  await writeFile(path('table.png'), await table.finish());
  const extent = ['-background', 'black', '-gravity', 'center', '-extent', `${FRAME.width}x${FRAME.height}`];
  const caption = ['-font', FONT, ...'-fill white -gravity southeast -annotate +10+10'.split(' '), 'AIA 171 2024-05-10 00:00:00'];
  for (const [i, jp2] of jp2s.entries()) {
    await writeFile(path('image.jp2'), jp2);
    await run('opj_decompress', ['-i', path('image.jp2'), '-o', path('image.pgm'), '-r', '1', '-quiet']);
    const coloured = [path('image.pgm'), path('table.png'), '-clut', '-resize', `${IMAGE_WIDTH}x`, ...extent, ...caption];
    await run(CONVERT, [...coloured, path(`frame${i}.png`)]);
  }
  const matrix = ['-vf', 'scale=out_color_matrix=bt709:out_range=tv', '-pix_fmt', 'yuv420p'];
  const h264 = (crf: string) => [...matrix, '-c:v', 'libx264', '-preset', 'veryfast', '-crf', crf];
  const vp9 = [...matrix, ...'-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -row-mt 1 -crf 30 -b:v 0'.split(' ')];
  const input = ['-y', '-loglevel', 'error', '-nostdin', '-framerate', '15', '-i', path('frame%d.png')];
  await run('ffmpeg', [...input, ...h264('20'), path('a.mp4'), ...h264('15'), path('b.mp4'), ...vp9, path('c.webm')]);
  await rm(folder, { recursive: true });
}
