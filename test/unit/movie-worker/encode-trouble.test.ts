import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { embeddedEncoder } from '../../../containers/movie/encode/embedded-encoder.ts';
import { ffmpegEncoder } from '../../../containers/movie/encode/ffmpeg-encoder.ts';
import { findEncoder } from '../../../containers/movie/encode/find-encoder.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'encode-trouble-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SIZE = { width: 640, height: 640 };
const SPEC = {
  frame: SIZE,
  output: SIZE,
  frameRate: 15,
  metadata: { title: '', description: '', comment: '', createdAtMs: 0 },
};
const FRAME = new Uint8Array(SIZE.width * SIZE.height * 3);

let made = 0;
/** A shell script in the place of ffmpeg. It notes its process in `pid`. */
function fakeFfmpeg(lines: string) {
  const work = join(folder, `fake-${made++}`);
  mkdirSync(join(work, 'parts'), { recursive: true });
  const path = join(work, 'ffmpeg');
  writeFileSync(path, `#!/bin/sh\necho $$ > ${work}/pid\n${lines}\n`);
  chmodSync(path, 0o755);
  return { path, parts: join(work, 'parts'), pid: () => Number(readFileSync(join(work, 'pid'), 'utf8')) };
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Writes frames until that fails, then says why. */
async function encodeWith(path: string, parts: string, stallMs = 60_000) {
  const writer = await ffmpegEncoder({ path, version: '0', stallMs }).openSegment(SPEC, parts, 'part');
  for (let i = 0; i < 20; i++) await writer.write(FRAME);
  await writer.close();
}

describe('an ffmpeg that fails', () => {
  it.each([
    ['at once', 'exit 1'],
    ['in the middle', 'head -c 3000000 > /dev/null; echo partial > part.mp4; echo oh >&2; exit 3'],
    ['at the end', 'cat > /dev/null; exit 1'],
    ['by a signal', 'head -c 2000000 > /dev/null; kill -SEGV $$'],
  ])('%s ends the segment with a sentence and leaves no files', async (_, script) => {
    const { path, parts, pid } = fakeFfmpeg(script.replaceAll('part.mp4', '"$0".mp4'));
    writeFileSync(join(parts, 'part.hq.mp4'), 'half a file');
    await expect(encodeWith(path, parts)).rejects.toMatchObject({
      name: 'EncoderError',
      failure: 'died',
      message: 'The video encoder stopped unexpectedly.',
    });
    expect(readdirSync(parts)).toEqual([]);
    expect(isRunning(pid())).toBe(false);
  });

  it('keeps its last words for the log', async () => {
    const { path, parts } = fakeFfmpeg('echo "a reason in /some/path" >&2; cat > /dev/null; exit 1');
    await expect(encodeWith(path, parts)).rejects.toMatchObject({ log: expect.stringContaining('a reason in /some/path') });
  });

  it('because of a full disk says so', async () => {
    const { path, parts } = fakeFfmpeg('cat > /dev/null; echo "av_write_frame(): No space left on device" >&2; exit 228');
    await expect(encodeWith(path, parts)).rejects.toMatchObject({
      failure: 'disk-full',
      message: 'The video encoder ran out of disk space.',
    });
  });

  it('because of a device that is really full says so', async () => {
    const parts = mkdtempSync(join(folder, 'full-'));
    symlinkSync('/dev/full', join(parts, 'part.hq.mp4'));
    await expect(encodeWith('ffmpeg', parts)).rejects.toMatchObject({ failure: 'disk-full' });
    expect(readdirSync(parts)).toEqual([]);
  });

  it.each([
    ['does not read', 'exec sleep 100'],
    ['reads and does not end', 'cat > /dev/null; exec sleep 100'],
    ['leaves a child that holds its pipes', 'sleep 3 & exec sleep 100'],
  ])('that %s is killed after a while', async (_, script) => {
    const { path, parts, pid } = fakeFfmpeg(script);
    await expect(encodeWith(path, parts, 400)).rejects.toMatchObject({ failure: 'stalled' });
    expect(isRunning(pid())).toBe(false);
  });

  it('is not taken for dead while nothing is asked of it', async () => {
    const parts = mkdtempSync(join(folder, 'idle-'));
    const writer = await ffmpegEncoder({ path: 'ffmpeg', version: '0', stallMs: 800 }).openSegment(SPEC, parts, 'part');
    await writer.write(FRAME);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await writer.write(FRAME);
    await writer.close();
    expect(readdirSync(parts).sort()).toEqual(['part.hq.mp4', 'part.mp4', 'part.webm']);
  });

  it('or is given up is gone when that resolves', async () => {
    const { path, parts, pid } = fakeFfmpeg('head -c 1228800 > /dev/null; exec sleep 100');
    const writer = await ffmpegEncoder({ path, version: '0' }).openSegment(SPEC, parts, 'part');
    await writer.write(FRAME);
    await writer.abort();
    expect(isRunning(pid())).toBe(false);
  });

  it('is not there at all: the segment fails, and nothing else', async () => {
    await expect(encodeWith(join(folder, 'nothing'), folder)).rejects.toMatchObject({ failure: 'died' });
  });

  it('refuses frames of the wrong size', async () => {
    const writer = await ffmpegEncoder({ path: 'ffmpeg', version: '0' }).openSegment(SPEC, folder, 'part');
    await expect(writer.write(new Uint8Array(7))).rejects.toThrow('Expected 1228800 bytes for a frame, got 7.');
    await writer.abort();
  });

  it('has joining fail with a sentence', async () => {
    const { path, parts } = fakeFfmpeg('exit 1');
    const joined = ffmpegEncoder({ path, version: '0' }).join(SPEC, parts, ['part'], parts);
    await expect(joined).rejects.toMatchObject({ failure: 'died' });
    await expect(embeddedEncoder().join(SPEC, parts, ['part'], parts)).rejects.toMatchObject({ failure: 'died' });
  });
});

describe('the embedded encoder', () => {
  it('that finds its disk full says so', async () => {
    const parts = mkdtempSync(join(folder, 'embedded-full-'));
    symlinkSync('/dev/full', join(parts, 'part.webm'));
    const writer = await embeddedEncoder().openSegment(SPEC, parts, 'part');
    await writer.write(FRAME);
    await expect(writer.close()).rejects.toMatchObject({ failure: 'disk-full' });
    expect(readdirSync(parts)).toEqual([]);
  });

  it('that stands still is stopped', async () => {
    const parts = mkdtempSync(join(folder, 'embedded-stall-'));
    const writer = await embeddedEncoder({ stallMs: 4 }).openSegment(SPEC, parts, 'part');
    const writing = async () => {
      for (let i = 0; i < 20; i++) await writer.write(FRAME);
    };
    await expect(writing()).rejects.toMatchObject({ failure: 'stalled' });
    expect(readdirSync(parts)).toEqual([]);
  });
});

describe('the encoder of a machine', () => {
  it('is ffmpeg with its version and codecs', async () => {
    const encoder = await findEncoder('ffmpeg');
    expect(encoder.name).toBe('ffmpeg');
    expect(encoder.description).toMatch(/^ffmpeg \d[\w.]+: H\.264, VP9$/);
  });

  it.each([
    ['is not there', ''],
    ['lacks VP9', `echo ' V....D libx264    H.264'`],
    ['is not ffmpeg', 'exit 7'],
  ])('is the embedded one where what FFMPEG_PATH names %s', async (_, script) => {
    const path = script ? fakeFfmpeg(script).path : join(folder, 'nothing');
    const encoder = await findEncoder(path);
    expect([encoder.name, encoder.description]).toEqual(['embedded', 'embedded ffmpeg (@ffmpeg/core): H.264, VP8']);
  });
});
