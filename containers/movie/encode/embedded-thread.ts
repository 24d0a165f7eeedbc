// Thread that runs the WebAssembly ffmpeg once, blocked by it, and the ring buffer in shared memory through which it reads its frames.
import { readFileSync, writeFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

/** Frames in the buffer: one is read while the next one is written. */
const SLOTS = 2;

/** Counters at the start of the memory: frames written, frames read, and one more than those written once these are all. */
const WRITTEN = 0;
const READ = 1;
const ENDED = 2;
const COUNTER_BYTES = 12;

export type FrameChannel = { readonly memory: SharedArrayBuffer; readonly frameBytes: number };

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

export function endFrames(channel: FrameChannel): void {
  const counts = counters(channel);
  Atomics.store(counts, ENDED, Atomics.load(counts, WRITTEN) + 1);
  // A waiting reader only wakes when this counter changes.
  Atomics.add(counts, WRITTEN, 1);
  Atomics.notify(counts, WRITTEN);
}

/** Reads the frames as one stream of bytes; 0 at its end. Blocks its thread while the buffer is empty. Calls `frameRead` after each. */
function frameReader(channel: FrameChannel, frameRead: () => void): (into: Uint8Array) => number {
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

/** `path` is on the machine's disk, `name` in `WORK_FOLDER` of the run. */
export interface EmbeddedRun {
  /** Compiled @ffmpeg/core/wasm. */
  readonly core: WebAssembly.Module;
  readonly arguments: readonly string[];
  readonly inputs: readonly { readonly name: string; readonly path: string }[];
  readonly outputs: readonly { readonly name: string; readonly path: string }[];
  readonly frames: FrameChannel | null;
}

export type EmbeddedMessage =
  | { readonly kind: 'progress' }
  | { readonly kind: 'ended'; readonly isSuccess: boolean; readonly log: string };

/** Paths in the file system of a run. */
export const WORK_FOLDER = '/work';
export const FRAMES_DEVICE = '/frames';

interface FfmpegCore {
  exec(...commandArguments: string[]): number;
  setLogger(logger: (line: { message: string }) => void): void;
  FS: {
    mkdir(path: string): void;
    makedev(major: number, minor: number): number;
    registerDevice(device: number, operations: object): void;
    mkdev(path: string, mode: number, device: number): void;
    readFile(path: string): Uint8Array;
    writeFile(path: string, bytes: Uint8Array): void;
    unlink(path: string): void;
  };
}

const LOG_LINES = 40;

async function loadCore(module: WebAssembly.Module): Promise<FfmpegCore> {
  // The module is built for browsers and reads these two globals.
  Object.assign(globalThis, { self: globalThis, location: { href: import.meta.url } });
  const { default: create } = await import('@ffmpeg/core' as string);
  const instantiateWasm = (imports: WebAssembly.Imports, use: (instance: WebAssembly.Instance) => void) => {
    const instance = new WebAssembly.Instance(module, imports);
    use(instance);
    return instance.exports;
  };
  return create({ instantiateWasm });
}

function mountFrames({ FS }: FfmpegCore, channel: FrameChannel, progressed: () => void): void {
  const read = frameReader(channel, progressed);
  const device = FS.makedev(80, 1);
  FS.registerDevice(device, {
    open() {},
    close() {},
    read: (_stream: unknown, buffer: Uint8Array, offset: number, length: number) =>
      read(buffer.subarray(offset, offset + length)),
  });
  FS.mkdev(FRAMES_DEVICE, 0o444, device);
}

async function run(settings: EmbeddedRun, send: (message: EmbeddedMessage) => void): Promise<void> {
  const log: string[] = [];
  const progressed = () => send({ kind: 'progress' });
  const core = await loadCore(settings.core);
  core.setLogger(({ message }) => {
    log.push(message);
    if (log.length > LOG_LINES) log.shift();
    progressed();
  });
  core.FS.mkdir(WORK_FOLDER);
  for (const { name, path } of settings.inputs) core.FS.writeFile(`${WORK_FOLDER}/${name}`, readFileSync(path));
  if (settings.frames) mountFrames(core, settings.frames, progressed);
  const code = core.exec('-hide_banner', '-nostats', '-loglevel', 'error', ...settings.arguments);
  if (code === 0)
    for (const { name, path } of settings.outputs) {
      writeFileSync(path, core.FS.readFile(`${WORK_FOLDER}/${name}`));
      core.FS.unlink(`${WORK_FOLDER}/${name}`);
      progressed();
    }
  send({ kind: 'ended', isSuccess: code === 0, log: log.join('\n') });
}

if (parentPort) {
  const port = parentPort;
  const send = (message: EmbeddedMessage) => port.postMessage(message);
  run(workerData as EmbeddedRun, send).catch((error) => send({ kind: 'ended', isSuccess: false, log: String(error) }));
}
