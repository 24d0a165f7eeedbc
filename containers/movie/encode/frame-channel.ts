// Ring buffer of frames in shared memory, from one writing to one reading thread.

/** Frames in the buffer: one is read while the next one is written. */
const SLOTS = 2;

/**
 * Indices of the counters at the start of the memory: frames written, frames read, and one more than the frames written
 * once these are all.
 */
const WRITTEN = 0;
const READ = 1;
const ENDED = 2;
const COUNTER_BYTES = 12;

export interface FrameChannel {
  readonly memory: SharedArrayBuffer;
  readonly frameBytes: number;
}

export const newFrameChannel = (frameBytes: number): FrameChannel => ({
  memory: new SharedArrayBuffer(COUNTER_BYTES + SLOTS * frameBytes),
  frameBytes,
});

const counters = ({ memory }: FrameChannel) => new Int32Array(memory, 0, 3);
const slot = ({ memory, frameBytes }: FrameChannel, count: number) =>
  new Uint8Array(memory, COUNTER_BYTES + (count % SLOTS) * frameBytes, frameBytes);

/** Writes a frame if there is room; returns whether it did. */
export function offer(channel: FrameChannel, frame: Uint8Array): boolean {
  const counts = counters(channel);
  const written = Atomics.load(counts, WRITTEN);
  if (written - Atomics.load(counts, READ) >= SLOTS) return false;
  slot(channel, written).set(frame);
  Atomics.store(counts, WRITTEN, written + 1);
  Atomics.notify(counts, WRITTEN);
  return true;
}

/** Marks the end of the stream. */
export function endFrames(channel: FrameChannel): void {
  const counts = counters(channel);
  Atomics.store(counts, ENDED, Atomics.load(counts, WRITTEN) + 1);
  // A waiting reader only wakes when this counter changes.
  Atomics.add(counts, WRITTEN, 1);
  Atomics.notify(counts, WRITTEN);
}

/**
 * Reads the frames as one stream of bytes; 0 at its end. Blocks its thread while the buffer is empty.
 * @param frameRead called after each complete frame
 */
export function frameReader(channel: FrameChannel, frameRead: () => void): (into: Uint8Array) => number {
  const counts = counters(channel);
  let frames = 0;
  let at = 0;
  return (into) => {
    for (;;) {
      // In this order, because ENDED is stored before WRITTEN changes for the last time.
      const written = Atomics.load(counts, WRITTEN);
      const ended = Atomics.load(counts, ENDED);
      if (frames < (ended === 0 ? written : ended - 1)) break;
      if (ended !== 0) return 0;
      Atomics.wait(counts, WRITTEN, written);
    }
    const chunk = slot(channel, frames).subarray(at, at + into.length);
    into.set(chunk);
    at += chunk.length;
    if (at === channel.frameBytes) {
      at = 0;
      frames += 1;
      Atomics.store(counts, READ, frames);
      frameRead();
    }
    return chunk.length;
  };
}
