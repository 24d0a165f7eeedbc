// Thread that runs the WebAssembly ffmpeg once, blocked by it, and the channel through which it reads its frames meanwhile.
import { readFileSync, writeFileSync } from 'node:fs';
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';

/** Messages with a frame each, or null for the end, and the counts of those sent and read, in shared memory. */
export type FrameChannel = { readonly port: MessagePort; readonly counts: Int32Array };

export const SENT = 0;
export const READ = 1;

/** Reads the frames as one stream of bytes; 0 at its end. Blocks its thread while there is none. Calls `frameRead` after each. */
function frameReader({ port, counts }: FrameChannel, frameRead: () => void): (into: Uint8Array) => number {
  let frame: Uint8Array | null = new Uint8Array(0);
  let at = 0;
  return (into) => {
    if (frame && at === frame.length) {
      // Does not wait where more have been sent than were read.
      Atomics.wait(counts, SENT, Atomics.load(counts, READ));
      frame = receiveMessageOnPort(port)!.message as Uint8Array | null;
      at = 0;
    }
    if (!frame) return 0;
    const chunk = frame.subarray(at, at + into.length);
    into.set(chunk);
    at += chunk.length;
    if (at === frame.length) {
      Atomics.add(counts, READ, 1);
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
