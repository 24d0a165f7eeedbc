import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { embeddedEncoder } from '../../../containers/movie/encode/embedded-encoder.ts';
import type { Encoder, VideoSpec } from '../../../containers/movie/encode/encoder.ts';
import { findEncoder } from '../../../containers/movie/encode/ffmpeg-encoder.ts';
import { yuvOf } from '../../support/imaging/yuv-frames.ts';
import { decodeVideos, type ProbedVideo, probeVideo } from '../../support/movies/ffprobe.ts';
import { testFolder } from '../../support/system/test-folder.ts';

const folder = testFolder();

const METADATA = { title: 'AIA 171', description: 'The Sun', comment: 'None', createdAtMs: Date.UTC(2024, 1, 3, 4, 5, 6) };

/** Columns of uniform colour, which survive chroma subsampling. */
const COLOURS = [
  [255, 255, 255],
  [230, 160, 20],
  [20, 60, 200],
  [200, 30, 30],
  [128, 128, 128],
  [0, 0, 0],
] as const;

/** Frame k of a test video: the columns, below a grey bar whose brightness is the frame number. */
function testFrame({ width, height }: { width: number; height: number }, k: number): Uint8Array {
  const rgb = new Uint8Array(width * height * 3);
  for (let i = 0; i < width * height; i++) {
    const column = Math.floor(((i % width) * COLOURS.length) / width);
    const colour = i < (width * height) / 4 ? [40 + k * 3, 40 + k * 3, 40 + k * 3] : COLOURS[column]!;
    rgb.set(colour, i * 3);
  }
  return yuvOf(rgb, width, height);
}

/** Mean of R, G, B of a row of pixels, in which the noise of a codec is small. */
const mean = (rgb: Uint8Array): number => rgb.reduce((sum, value) => sum + value, 0) / rgb.length;

let movies = 0;
async function makeMovie(encoder: Encoder, spec: VideoSpec, segments: readonly number[]): Promise<string> {
  const work = join(folder, `movie-${movies++}`);
  const out = join(work, 'out');
  mkdirSync(out, { recursive: true });
  const names: string[] = [];
  let frame = 0;
  for (const count of segments) {
    const name = `segment-${names.length}`;
    const writer = await encoder.openSegment(spec, work, name);
    for (let i = 0; i < count; i++) await writer.write(testFrame(spec.frame, frame++));
    await writer.close();
    names.push(name);
  }
  await encoder.join(spec, work, names, out);
  return out;
}

const spec = (side: number, frameRate: number, metadata = METADATA): VideoSpec => {
  const size = { width: side, height: side };
  return { frame: size, output: size, frameRate, metadata };
};

const probeAll = (folder: string, files: readonly string[]) => Promise.all(files.map((file) => probeVideo(join(folder, file))));

/** Presentation times in milliseconds, in ascending order. */
function presentationTimes({ packets, ticksPerSecond }: ProbedVideo): number[] {
  return packets.map(({ pts }) => (pts * 1000) / ticksPerSecond).sort((a, b) => a - b);
}

const ENCODERS: readonly (readonly [string, () => Promise<Encoder>, string])[] = [
  ['ffmpeg', () => findEncoder(process.env.FFMPEG_PATH || 'ffmpeg'), 'vp9'],
  ['the embedded encoder', async () => embeddedEncoder(), 'vp8'],
];

describe.each(ENCODERS)('a movie made by %s', (name, makeEncoder, webm) => {
  const cases: (readonly [number, readonly number[]])[] = [
    [30, [1]],
    [12.5, [10, 31, 7]],
  ];
  if (name === 'ffmpeg') cases.push([1, [3, 1]], [14.286, [13, 15]]);
  /** One for all tests, because finding it starts a process. */
  const encoder = makeEncoder();

  it.each(cases)('shows every frame once, evenly spaced: %d frames per second, segments of %j', async (frameRate, segments) => {
    const count = segments.reduce((sum, n) => sum + n);
    const out = await makeMovie(await encoder, spec(64, frameRate), segments);
    const files = ['movie.mp4', 'movie-hq.mp4', 'movie.webm', 'movie.flv'];
    for (const [i, video] of (await probeAll(out, files)).entries()) {
      const file = files[i]!;
      expect([file, video.codec, video.width, video.height, video.pixelFormat]).toEqual([
        file,
        file === 'movie.webm' ? webm : 'h264',
        64,
        64,
        'yuv420p',
      ]);
      expect([video.frames, video.packets.length], file).toEqual([count, count]);
      const decodedAt = video.packets.map(({ dts }) => dts);
      expect(new Set(decodedAt).size).toBe(count);
      expect(decodedAt).toEqual([...decodedAt].sort((a, b) => a - b));
      expect(video.packets.every(({ pts, dts }) => pts >= dts)).toBe(true);

      const isExact = file.endsWith('.mp4');
      const times = presentationTimes(video);
      const tolerance = isExact ? 1e-6 : 1.01;
      const worst = Math.max(...times.map((ms, k) => Math.abs(ms - times[0]! - (k * 1000) / frameRate)));
      expect(worst, file).toBeLessThan(tolerance);
      if (isExact) expect(video.durationSeconds).toBeCloseTo(count / frameRate, 3);
      if (file !== 'movie.flv') expect(times[0], file).toBe(0);

      const keys = video.packets.flatMap(({ isKey, pts }) => (isKey ? [pts / video.ticksPerSecond] : []));
      expect(keys.every((at, i) => i === 0 || at - keys[i - 1]! <= 2.002)).toBe(true);
      expect(count / frameRate - keys.at(-1)! + keys[0]!).toBeLessThanOrEqual(2.1 + 1 / frameRate);
    }
    for (const file of ['movie.mp4', 'movie-hq.mp4']) {
      const bytes = readFileSync(join(out, file));
      expect(bytes.indexOf('moov')).toBeGreaterThan(0);
      expect(bytes.indexOf('moov')).toBeLessThan(bytes.indexOf('mdat'));
    }
  });

  it('shows its frames in order and in their colours, centred on black, and carries metadata of any characters', async () => {
    const metadata = {
      title: '-y "AIA 171" = \'Sun\'; $(touch x) \\ %s',
      description: 'α Ω 太阳 🌞\nsecond line\n\n#; [fourth]',
      comment: '-i=/etc/passwd,a=b&c=<d>',
      createdAtMs: METADATA.createdAtMs,
    };
    const [frame, output, left] = [{ width: 192, height: 96 }, { width: 256, height: 96 }, 32];
    const out = await makeMovie(await encoder, { frame, output, frameRate: 15, metadata }, [6, 5]);
    const files = ['movie.mp4', 'movie-hq.mp4', 'movie.webm'];
    const [probed, pixels] = await Promise.all([probeAll(out, files), decodeVideos(files.map((file) => join(out, file)))]);
    for (const [i, { codec, colour, tags }] of probed.entries()) {
      const file = files[i]!;
      // VP8 decoders assume BT.601.
      expect(colour.slice(0, 2), file).toEqual(['tv', codec === 'vp8' ? 'smpte170m' : 'bt709']);
      const tolerance = codec === 'vp8' ? 8 : 5;
      const decoded = pixels[i]!;
      const frameBytes = output.width * output.height * 3;
      expect(decoded.length).toBe(11 * frameBytes);
      for (let k = 0; k < 11; k++) {
        const pixel = (x: number) => {
          const at = k * frameBytes + (60 * output.width + x) * 3;
          return [...decoded.subarray(at, at + 3)];
        };
        COLOURS.forEach((colour, column) => {
          const seen = pixel(left + column * 32 + 16);
          const worst = Math.max(...seen.map((value, c) => Math.abs(value - colour[c]!)));
          expect(worst, `${file}, frame ${k}, ${colour} seen as ${seen}`).toBeLessThanOrEqual(tolerance);
        });
        expect(Math.max(...[4, 20, 236, 252].flatMap(pixel)), `${file}, frame ${k}`).toBeLessThanOrEqual(tolerance);
        const row = k * frameBytes + (10 * output.width + left) * 3;
        const bar = mean(decoded.subarray(row, row + frame.width * 3));
        expect(Math.abs(bar - 40 - k * 3), `${file}, frame ${k}`).toBeLessThanOrEqual(2);
      }
      const { title, artist, description, comment, creation_time: created } = tags;
      expect({ title, artist, description, comment }, file).toEqual({
        title: metadata.title,
        artist: 'helioedge',
        description: metadata.description,
        comment: metadata.comment,
      });
      expect(Date.parse(created!), file).toBe(METADATA.createdAtMs);
    }
  });

  it('leaves no files of an aborted segment', async () => {
    const work = mkdtempSync(join(folder, 'aborted-'));
    const writer = await (await encoder).openSegment(spec(64, 15), work, 'segment');
    await writer.write(testFrame({ width: 64, height: 64 }, 0));
    await writer.abort();
    await writer.abort();
    expect(readdirSync(work)).toEqual([]);
    await expect(writer.write(testFrame({ width: 64, height: 64 }, 1))).rejects.toMatchObject({ failure: 'aborted' });
  });
});
