// The encoder of a machine without ffmpeg: @ffmpeg/core, about a fifth as fast. Its VP9 crashes, so that WebM is VP8.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { MOVIE_FILES } from '../../../src/domain/movies/formats.ts';
import { type Codecs, joinArguments, listFile, listText, segmentArguments } from './arguments.ts';
import { type EmbeddedMessage, type EmbeddedRun, FRAMES_DEVICE, WORK_FOLDER } from './embedded-thread.ts';
import { ENCODINGS, type Encoder, segmentFile } from './encoder.ts';
import { endFrames, type FrameChannel, newFrameChannel, offer } from './frame-channel.ts';
import { checkSegmentName, type FrameSink, segmentWriter } from './segment-writer.ts';
import { troubleOf } from './trouble.ts';
import { Watchdog } from './watchdog.ts';

/** Milliseconds in which it has always done something: what is left after the last frame of 3840 x 2160 takes it a minute. */
const STALL_MS = 300_000;

const CODECS: Codecs = { x264Preset: 'superfast', webm: 'vp8', threads: 1 };
const VIDEO_FILES = Object.keys(MOVIE_FILES).filter((name) => name.startsWith('movie'));

/** The thread of one run. */
class EmbeddedProcess {
  readonly #worker: Worker;
  readonly #watchdog: Watchdog;
  readonly #ended: Promise<void>;
  #trouble: 'stalled' | 'aborted' | null = null;
  #moved: () => void = () => {};

  constructor(run: EmbeddedRun, stallMs: number) {
    this.#worker = new Worker(join(import.meta.dirname, 'embedded-thread.ts'), { workerData: run });
    this.#watchdog = new Watchdog(stallMs, () => this.#terminate('stalled'));
    this.#ended = new Promise((resolve, reject) => {
      const failed = (log: string, cause?: unknown) => reject(troubleOf(this.#trouble ?? 'died', log, { stallMs, cause }));
      this.#worker.on('message', (message: EmbeddedMessage) => {
        this.#watchdog.moved();
        this.#moved();
        if (message.kind === 'moved') return;
        if (message.isWell) resolve();
        else failed(message.log);
        void this.#worker.terminate();
      });
      this.#worker.on('error', (cause) => failed('', cause));
      this.#worker.on('exit', () => {
        this.#watchdog.stop();
        failed('');
      });
    });
    this.#ended.catch(() => {}); // Who calls next is told.
  }

  /** Resolves when the thread says something; rejects when it ends badly. */
  next(): Promise<void> {
    const moved = new Promise<void>((resolve) => {
      this.#moved = resolve;
    });
    return this.#watchdog.during(Promise.race([moved, this.#ended]));
  }

  end(): Promise<void> {
    return this.#watchdog.during(this.#ended);
  }

  async kill(): Promise<void> {
    await this.#terminate('aborted');
  }

  #terminate(trouble: 'stalled' | 'aborted'): Promise<unknown> {
    this.#trouble ??= trouble;
    return this.#worker.terminate();
  }
}

function sink(thread: EmbeddedProcess, channel: FrameChannel): FrameSink {
  return {
    async write(frame) {
      while (!offer(channel, frame)) await thread.next();
    },
    finish() {
      endFrames(channel);
      return thread.end();
    },
    kill: () => thread.kill(),
  };
}

const filesIn = (folder: string, names: readonly string[]) => names.map((name) => ({ name, path: join(folder, name) }));

export function embeddedEncoder({ stallMs = STALL_MS }: { readonly stallMs?: number } = {}): Encoder {
  return {
    name: 'embedded',
    description: 'embedded ffmpeg (@ffmpeg/core): H.264, VP8',
    async openSegment(spec, folder, segment) {
      checkSegmentName(segment);
      const frames = newFrameChannel(spec.frame.width * spec.frame.height * 3);
      const run: EmbeddedRun = {
        arguments: segmentArguments(spec, FRAMES_DEVICE, WORK_FOLDER, segment, CODECS),
        inputs: [],
        outputs: filesIn(
          folder,
          ENCODINGS.map((encoding) => segmentFile(segment, encoding)),
        ),
        frames,
      };
      return segmentWriter(spec, folder, segment, sink(new EmbeddedProcess(run, stallMs), frames));
    },
    async join(spec, folder, segments, out) {
      segments.forEach(checkSegmentName);
      for (const encoding of ENCODINGS) await writeFile(join(folder, listFile(encoding)), listText(encoding, segments));
      const inputs = ENCODINGS.flatMap((encoding) => [
        listFile(encoding),
        ...segments.map((segment) => segmentFile(segment, encoding)),
      ]);
      const run: EmbeddedRun = {
        arguments: joinArguments(spec, WORK_FOLDER, WORK_FOLDER),
        inputs: filesIn(folder, inputs),
        outputs: filesIn(out, VIDEO_FILES),
        frames: null,
      };
      await new EmbeddedProcess(run, stallMs).end();
    },
  };
}
