// Segment writer on top of an encoder run: checks frame sizes and removes the files of a failed segment.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { yuv420Bytes } from '../../../src/imaging/compose.ts';
import { ENCODINGS, EncoderError, type SegmentWriter, segmentFile, type VideoSpec } from './encoder.ts';

/** An encoder run that reads raw frames. */
export interface FrameSink {
  write(frame: Uint8Array): Promise<void>;
  finish(): Promise<void>;
  /** Ends the run immediately. Never rejects. */
  kill(): Promise<void>;
}

export function segmentWriter({ frame: size }: VideoSpec, folder: string, segment: string, sink: FrameSink): SegmentWriter {
  const frameBytes = yuv420Bytes(size.width, size.height);
  let frames = 0;
  let isEnded = false;

  const discard = async () => {
    isEnded = true;
    await sink.kill();
    await Promise.all(ENCODINGS.map((encoding) => rm(join(folder, segmentFile(segment, encoding)), { force: true })));
  };
  const orDiscard = async (work: () => Promise<void>) => {
    if (isEnded) throw new EncoderError('aborted');
    try {
      await work();
    } catch (error) {
      await discard();
      throw error;
    }
  };

  return {
    async write(frame) {
      if (frame.length !== frameBytes) throw new RangeError(`Expected ${frameBytes} bytes for a frame, got ${frame.length}.`);
      await orDiscard(() => sink.write(frame));
      frames++;
    },
    close: () =>
      orDiscard(async () => {
        if (frames === 0) throw new EncoderError('died', { log: 'The segment has no frames.' });
        await sink.finish();
        isEnded = true;
      }),
    async abort() {
      if (!isEnded) await discard();
    },
  };
}
