import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { embeddedEncoder } from '../../../containers/movie/encode/embedded-encoder.ts';
import { ffmpegEncoder, findEncoder } from '../../../containers/movie/encode/ffmpeg-encoder.ts';
import { yuv420Bytes } from '../../../src/picture/raster/compose.ts';
import { MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { isRunning } from '../../support/commands.ts';
import { testFolder } from '../../support/system/test-folder.ts';

const folder = testFolder();

const SIZE = { width: 640, height: 640 };
const SPEC = { frame: SIZE, output: SIZE, frameRate: 15, metadata: { title: '', description: '', comment: '', createdAtMs: 0 } };
const FRAME = new Uint8Array(yuv420Bytes(SIZE.width, SIZE.height));

let scripts = 0;
/** A shell script that stands in for ffmpeg and writes its process id to `pid`. */
function fakeFfmpeg(lines: string) {
  const work = join(folder, `fake-${scripts++}`);
  mkdirSync(join(work, 'segments'), { recursive: true });
  const path = join(work, 'ffmpeg');
  writeFileSync(path, `#!/bin/sh\necho $$ > ${work}/pid\n${lines}\n`);
  chmodSync(path, 0o755);
  return { path, segments: join(work, 'segments'), pid: () => Number(readFileSync(join(work, 'pid'), 'utf8')) };
}

/** Writes a segment of 20 frames. */
async function encodeWith(path: string, segments: string, stallMs = 60_000) {
  const writer = await ffmpegEncoder(path, '0', stallMs).openSegment(SPEC, segments, 'segment');
  for (let i = 0; i < 20; i++) await writer.write(FRAME);
  await writer.close();
}

describe('an ffmpeg process', () => {
  // The clock of the watchdog stands still, so that a slow start on a busy machine is no stall.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  it.each([
    ['at the start', 'exit 1'],
    ['in the middle', 'head -c 3000000 > /dev/null; echo partial > segment.mp4; echo oh >&2; exit 3'],
    ['at the end', 'cat > /dev/null; exit 1'],
    ['because of a signal', 'head -c 2000000 > /dev/null; kill -SEGV $$'],
  ])('fails the segment with a sentence for users and leaves no files when it dies %s', async (_, script) => {
    const { path, segments, pid } = fakeFfmpeg(script.replaceAll('segment.mp4', '"$0".mp4'));
    writeFileSync(join(segments, 'segment.hq.mp4'), 'half a file');
    await expect(encodeWith(path, segments)).rejects.toMatchObject({
      name: 'EncoderError',
      failure: 'died',
      message: 'The video encoder stopped unexpectedly.',
    });
    expect(readdirSync(segments)).toEqual([]);
    expect(isRunning(pid())).toBe(false);
  });

  it('leaves its error output for the log', async () => {
    const { path, segments } = fakeFfmpeg('echo "a reason in /some/path" >&2; cat > /dev/null; exit 1');
    await expect(encodeWith(path, segments)).rejects.toMatchObject({ log: expect.stringContaining('a reason in /some/path') });
  });

  it('fails the segment as disk-full when it reports a full disk', async () => {
    const { path, segments } = fakeFfmpeg('cat > /dev/null; echo "av_write_frame(): No space left on device" >&2; exit 228');
    await expect(encodeWith(path, segments)).rejects.toMatchObject({
      failure: 'disk-full',
      message: 'The video encoder ran out of disk space.',
    });
  });

  it('fails the segment as disk-full when it writes to a full device', async () => {
    const segments = mkdtempSync(join(folder, 'full-'));
    symlinkSync('/dev/full', join(segments, 'segment.hq.mp4'));
    await expect(encodeWith('ffmpeg', segments)).rejects.toMatchObject({ failure: 'disk-full' });
    expect(readdirSync(segments)).toEqual([]);
  });

  it.each([
    ['does not read its input', 'touch hung; exec sleep 100'],
    ['reads its input and does not exit', 'cat > /dev/null; touch hung; exec sleep 100'],
    ['leaves a child process that holds its pipes', 'sleep 3 & touch hung; exec sleep 100'],
  ])('ends as stalled when it %s', async (_, script) => {
    const hung = join(folder, `hung-${scripts}`);
    const { path, segments, pid } = fakeFfmpeg(script.replace('hung', hung));
    const encoding = expect(encodeWith(path, segments, 400)).rejects.toMatchObject({ failure: 'stalled' });
    do await sleep(5);
    while (!existsSync(hung));
    vi.advanceTimersByTime(500);
    await encoding;
    expect(isRunning(pid())).toBe(false);
  });

  it('does not count as stalled while it is idle', async () => {
    const segments = mkdtempSync(join(folder, 'idle-'));
    const writer = await ffmpegEncoder('ffmpeg', '0', 800).openSegment(SPEC, segments, 'segment');
    await writer.write(FRAME);
    vi.advanceTimersByTime(MINUTE_MS);
    await writer.write(FRAME);
    await writer.close();
    expect(readdirSync(segments).sort()).toEqual(['segment.hq.mp4', 'segment.mp4', 'segment.webm']);
  });

  it('ends before abort resolves', async () => {
    const { path, segments, pid } = fakeFfmpeg('head -c 614400 > /dev/null; exec sleep 100');
    const writer = await ffmpegEncoder(path, '0', MINUTE_MS).openSegment(SPEC, segments, 'segment');
    await writer.write(FRAME);
    await writer.abort();
    expect(isRunning(pid())).toBe(false);
  });

  it('fails the segment when it cannot be started, and the joining of segments when it dies', async () => {
    await expect(encodeWith(join(folder, 'nothing'), folder)).rejects.toMatchObject({ failure: 'died' });
    const { path, segments } = fakeFfmpeg('exit 1');
    const joined = ffmpegEncoder(path, '0', MINUTE_MS).join(SPEC, segments, ['segment'], segments);
    await expect(joined).rejects.toMatchObject({ failure: 'died' });
    await expect(embeddedEncoder().join(SPEC, segments, ['segment'], segments)).rejects.toMatchObject({ failure: 'died' });
  });

  it('gets no frames of the wrong size', async () => {
    const writer = await ffmpegEncoder('ffmpeg', '0', MINUTE_MS).openSegment(SPEC, folder, 'segment');
    await expect(writer.write(new Uint8Array(7))).rejects.toThrow('The frame has 7 bytes, not 614400.');
    await writer.abort();
  });
});

it('the embedded encoder fails the segment as disk-full when it cannot write its files', async () => {
  const segments = mkdtempSync(join(folder, 'embedded-full-'));
  symlinkSync('/dev/full', join(segments, 'segment.webm'));
  const writer = await embeddedEncoder().openSegment(SPEC, segments, 'segment');
  await writer.write(FRAME);
  await expect(writer.close()).rejects.toMatchObject({ failure: 'disk-full' });
  expect(readdirSync(segments)).toEqual([]);
});

it('the embedded encoder ends when it stalls', async () => {
  const segments = mkdtempSync(join(folder, 'embedded-stall-'));
  const writer = await embeddedEncoder({ stallMs: 4 }).openSegment(SPEC, segments, 'segment');
  const writing = async () => {
    for (let i = 0; i < 20; i++) await writer.write(FRAME);
  };
  await expect(writing()).rejects.toMatchObject({ failure: 'stalled' });
  expect(readdirSync(segments)).toEqual([]);
});

it('the encoder that is selected prefers ffmpeg, described by its version and codecs', async () => {
  const encoder = await findEncoder('ffmpeg');
  expect(encoder.name).toBe('ffmpeg');
  expect(encoder.description).toMatch(/^ffmpeg \d[\w.]+: H\.264, VP9$/);
});

it.each([
  ['does not exist', ''],
  ['lacks VP9', `echo ' V....D libx264    H.264'`],
  ['is not ffmpeg', 'exit 7'],
])('the encoder that is selected falls back to the embedded one if the program at the path of ffmpeg %s', async (_, script) => {
  const path = script ? fakeFfmpeg(script).path : join(folder, 'nothing');
  const encoder = await findEncoder(path);
  expect([encoder.name, encoder.description]).toEqual(['embedded', 'embedded ffmpeg (@ffmpeg/core): H.264, VP8']);
});
