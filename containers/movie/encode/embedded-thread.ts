// ffmpeg as WebAssembly: one run in a thread of its own, since it blocks. It knows files in memory only.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { type FrameChannel, frameReader } from './frame-channel.ts';

/** What one run is given. Paths in `inputs` and `outputs` are of the machine; names are in `/work` of the run. */
export interface EmbeddedRun {
  readonly arguments: readonly string[];
  readonly inputs: readonly { readonly name: string; readonly path: string }[];
  readonly outputs: readonly { readonly name: string; readonly path: string }[];
  /** The frames that `/frames` reads. */
  readonly frames: FrameChannel | null;
}

/** What it says: that something moved, and at the end how it went. */
export type EmbeddedMessage =
  | { readonly kind: 'moved' }
  | { readonly kind: 'ended'; readonly isWell: boolean; readonly log: string };

/** Where a run has its files. */
export const WORK_FOLDER = '/work';
export const FRAMES_DEVICE = '/frames';

/** The parts of the Emscripten module that are used. */
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

async function loadCore(): Promise<FfmpegCore> {
  // The module is made for browsers and asks for these two.
  Object.assign(globalThis, { self: globalThis, location: { href: import.meta.url } });
  const resolve = createRequire(import.meta.url).resolve;
  const { default: create } = await import('@ffmpeg/core' as string);
  return create({ wasmBinary: readFileSync(resolve('@ffmpeg/core/wasm')) });
}

function mountFrames({ FS }: FfmpegCore, channel: FrameChannel, moved: () => void): void {
  const read = frameReader(channel, moved);
  const device = FS.makedev(80, 1);
  FS.registerDevice(device, {
    open() {},
    close() {},
    read: (_stream: unknown, buffer: Uint8Array, offset: number, length: number) =>
      read(buffer.subarray(offset, offset + length)),
  });
  FS.mkdev(FRAMES_DEVICE, 0o444, device);
}

async function run(job: EmbeddedRun, say: (message: EmbeddedMessage) => void): Promise<void> {
  const log: string[] = [];
  const moved = () => say({ kind: 'moved' });
  const core = await loadCore();
  core.setLogger(({ message }) => {
    log.push(message);
    if (log.length > LOG_LINES) log.shift();
    moved();
  });
  core.FS.mkdir(WORK_FOLDER);
  for (const { name, path } of job.inputs) core.FS.writeFile(`${WORK_FOLDER}/${name}`, readFileSync(path));
  if (job.frames) mountFrames(core, job.frames, moved);
  const code = core.exec('-hide_banner', '-nostats', '-loglevel', 'error', ...job.arguments);
  if (code === 0) {
    for (const { name, path } of job.outputs) {
      writeFileSync(path, core.FS.readFile(`${WORK_FOLDER}/${name}`));
      core.FS.unlink(`${WORK_FOLDER}/${name}`);
      moved();
    }
  }
  say({ kind: 'ended', isWell: code === 0, log: log.join('\n') });
}

if (parentPort) {
  const port = parentPort;
  const say = (message: EmbeddedMessage) => port.postMessage(message);
  run(workerData as EmbeddedRun, say).catch((error) => say({ kind: 'ended', isWell: false, log: String(error) }));
}
