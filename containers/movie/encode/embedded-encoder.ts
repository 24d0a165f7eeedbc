// Encoder for machines without ffmpeg: @ffmpeg/core in WebAssembly, about a fifth as fast. WebM is VP8, because its VP9 crashes.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { MOVIE_FILES } from '../../../src/movies/movie.ts';
import { Watchdog } from '../watchdog.ts';
import { type EmbeddedMessage, type EmbeddedRun, FRAMES_DEVICE, READ, SENT, WORK_FOLDER } from './embedded-thread.ts';
import type { Codecs, Encoder, EncoderFailure, FrameSink } from './encoder.ts';
import { ENCODINGS, EncoderError, joinArguments, segmentArguments, segmentFile, segmentWriter, writeLists } from './encoder.ts';

/** Beside this module: as TypeScript here, bundled in `build/movie`. */
const PROGRAM = join(import.meta.dirname, `embedded-thread${extname(import.meta.filename)}`);
/** Milliseconds without progress after which a run is stopped: finishing a video of 3840 x 2160 takes a minute. */
const STALL_MS = 300_000;

const CODECS: Codecs = { x264Preset: 'superfast', webm: 'vp8', threads: 1 };
const VIDEO_FILES = Object.keys(MOVIE_FILES).filter((name) => name.startsWith('movie'));

/** The constructor with bytes, which the types of workerd exclude. */
const Module = WebAssembly.Module as unknown as new (bytes: Uint8Array) => WebAssembly.Module;

let core: WebAssembly.Module | undefined;

/** The code of ffmpeg, compiled once for all threads. */
function compiledCore(): WebAssembly.Module {
  core ??= new Module(readFileSync(createRequire(import.meta.url).resolve('@ffmpeg/core/wasm')));
  return core;
}

/** Starts a run, which is stopped after `stallMs` without progress. */
function startEmbedded(run: EmbeddedRun, stallMs: number) {
  const worker = new Worker(PROGRAM, { workerData: run, transferList: run.frames ? [run.frames.port] : [] });
  let terminatedFor: EncoderFailure | null = null;
  let progressed = () => {};
  const terminate = async (reason: EncoderFailure): Promise<void> => {
    terminatedFor ??= reason;
    await worker.terminate();
  };
  const watchdog = new Watchdog(stallMs, () => void terminate('stalled'));
  const ended = new Promise<void>((resolve, reject) => {
    const failed = (log: string, cause?: unknown) => reject(new EncoderError(terminatedFor ?? 'died', { log, cause, stallMs }));
    worker.on('message', (message: EmbeddedMessage) => {
      watchdog.kick();
      progressed();
      if (message.kind === 'progress') return;
      if (message.isSuccess) resolve();
      else failed(message.log);
      void worker.terminate();
    });
    worker.on('error', (cause) => failed('', cause));
    worker.on('exit', () => {
      watchdog.stop();
      failed('');
    });
  });
  ended.catch(() => {}); // The next call of a method rejects with this error.
  return {
    /** Resolves at the next message of the thread. */
    progress(): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      progressed = resolve;
      return watchdog.during(Promise.race([promise, ended]));
    },
    end: () => watchdog.during(ended),
    kill: () => terminate('aborted'),
  };
}

/** Frames that are sent before they are read: one is read while the next one is written. */
const SLOTS = 2;

function frameSink(run: ReturnType<typeof startEmbedded>, port: MessagePort, counts: Int32Array): FrameSink {
  const send = (frame: Uint8Array | null) => {
    port.postMessage(frame, frame ? [frame.buffer as ArrayBuffer] : []);
    Atomics.add(counts, SENT, 1);
    Atomics.notify(counts, SENT);
  };
  return {
    async write(frame) {
      while (Atomics.load(counts, SENT) - Atomics.load(counts, READ) >= SLOTS) await run.progress();
      send(frame.slice());
    },
    finish() {
      send(null);
      return run.end();
    },
    kill: () => run.kill(),
  };
}

const filesIn = (folder: string, names: readonly string[]) => names.map((name) => ({ name, path: join(folder, name) }));

export function embeddedEncoder({ stallMs = STALL_MS }: { readonly stallMs?: number } = {}): Encoder {
  return {
    name: 'embedded',
    description: 'embedded ffmpeg (@ffmpeg/core): H.264, VP8',
    async openSegment(spec, folder, segment) {
      const { port1, port2 } = new MessageChannel();
      const counts = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
      const outputs = ENCODINGS.map((encoding) => segmentFile(segment, encoding));
      const run: EmbeddedRun = {
        core: compiledCore(),
        arguments: segmentArguments(spec, FRAMES_DEVICE, WORK_FOLDER, segment, CODECS),
        inputs: [],
        outputs: filesIn(folder, outputs),
        frames: { port: port2, counts },
      };
      return segmentWriter(spec, folder, segment, frameSink(startEmbedded(run, stallMs), port1, counts));
    },
    async join(spec, folder, segments, out) {
      const run: EmbeddedRun = {
        core: compiledCore(),
        arguments: joinArguments(spec, WORK_FOLDER, WORK_FOLDER),
        inputs: filesIn(folder, await writeLists(folder, segments)),
        outputs: filesIn(out, VIDEO_FILES),
        frames: null,
      };
      await startEmbedded(run, stallMs).end();
    },
  };
}
