// Frames on their way from one thread to another, in shared memory: a few places that are filled and emptied in turn.

/** Frames that wait: one is read while the next one is written. */
const PLACES = 2;

/** Counters at the start of the memory. */
const WRITTEN = 0;
const TAKEN = 1;
const ENDED = 2;
const COUNTER_BYTES = 12;

export interface FrameChannel {
  readonly memory: SharedArrayBuffer;
  readonly frameBytes: number;
}

export const newFrameChannel = (frameBytes: number): FrameChannel => ({
  memory: new SharedArrayBuffer(COUNTER_BYTES + PLACES * frameBytes),
  frameBytes,
});

const counters = ({ memory }: FrameChannel) => new Int32Array(memory, 0, 3);
const place = ({ memory, frameBytes }: FrameChannel, count: number) =>
  new Uint8Array(memory, COUNTER_BYTES + (count % PLACES) * frameBytes, frameBytes);

/** Puts a frame in if there is room for it. */
export function offer(channel: FrameChannel, frame: Uint8Array): boolean {
  const counts = counters(channel);
  const written = Atomics.load(counts, WRITTEN);
  if (written - Atomics.load(counts, TAKEN) >= PLACES) return false;
  place(channel, written).set(frame);
  Atomics.store(counts, WRITTEN, written + 1);
  Atomics.notify(counts, WRITTEN);
  return true;
}

/** No frame will follow. */
export function endFrames(channel: FrameChannel): void {
  const counts = counters(channel);
  Atomics.store(counts, ENDED, 1);
  // The reader sleeps on this counter: it has to look different.
  Atomics.add(counts, WRITTEN, 1);
  Atomics.notify(counts, WRITTEN);
}

/** Reads the frames as one stream of bytes; waits, blocking its thread, where there are none. `taken`: after each frame. */
export function frameReader(channel: FrameChannel, taken: () => void): (into: Uint8Array) => number {
  const counts = counters(channel);
  let frames = 0;
  let at = 0;
  return (into) => {
    for (;;) {
      const written = Atomics.load(counts, WRITTEN);
      if (frames < written - Atomics.load(counts, ENDED)) break;
      if (Atomics.load(counts, ENDED) === 1) return 0;
      Atomics.wait(counts, WRITTEN, written);
    }
    const part = place(channel, frames).subarray(at, at + into.length);
    into.set(part);
    at += part.length;
    if (at === channel.frameBytes) {
      at = 0;
      frames += 1;
      Atomics.store(counts, TAKEN, frames);
      taken();
    }
    return part.length;
  };
}
