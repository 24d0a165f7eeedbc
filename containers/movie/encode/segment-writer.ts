// What all segment writers have in common: frames of the right size, and no files left by what went wrong.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ENCODINGS, type SegmentWriter, segmentFile, type VideoSpec } from './encoder.ts';
import { EncoderError } from './encoder-error.ts';

/** A run of an encoder that reads frames. */
export interface FrameSink {
  write(frame: Uint8Array): Promise<void>;
  finish(): Promise<void>;
  /** Ends the run at once. Never rejects. */
  kill(): Promise<void>;
}

/** Names of segments go into lists that ffmpeg parses. */
const SEGMENT_NAME = /^[\w-]+$/;

export function checkSegmentName(segment: string): void {
  if (!SEGMENT_NAME.test(segment)) throw new RangeError(`Expected letters, digits and dashes for the segment, got ${segment}.`);
}

export function segmentWriter({ frame: size }: VideoSpec, folder: string, segment: string, sink: FrameSink): SegmentWriter {
  const frameBytes = size.width * size.height * 3;
  let frames = 0;
  let isOver = false;

  const giveUp = async () => {
    isOver = true;
    await sink.kill();
    await Promise.all(ENCODINGS.map((encoding) => rm(join(folder, segmentFile(segment, encoding)), { force: true })));
  };
  const orGiveUp = async (work: () => Promise<void>) => {
    if (isOver) throw new EncoderError('aborted', 'The video encoder was stopped.');
    try {
      await work();
    } catch (error) {
      await giveUp();
      throw error;
    }
  };

  return {
    async write(frame) {
      if (frame.length !== frameBytes) throw new RangeError(`Expected ${frameBytes} bytes for a frame, got ${frame.length}.`);
      await orGiveUp(() => sink.write(frame));
      frames++;
    },
    close: () =>
      orGiveUp(async () => {
        if (frames === 0) throw new EncoderError('died', 'Expected at least one frame for the video, got none.');
        await sink.finish();
        isOver = true;
      }),
    async abort() {
      if (!isOver) await giveUp();
    },
  };
}
