// Movie workers: the loop of the real ones. Drawing and encoding are stand-ins, whose files have a line for each frame with its images.
import { readFile, writeFile } from 'node:fs/promises';
import { WorkLoop } from '../../containers/movie/build-movie.ts';
import type { DrawPool, DrawResult } from '../../containers/movie/draw/pool.ts';
import type { DrawRequest } from '../../containers/movie/draw/thread.ts';
import { ENCODINGS, type Encoder, EncoderError, segmentFile, segmentWriter } from '../../containers/movie/encode/encoder.ts';
import { ServiceClient, ServiceConnection } from '../../containers/movie/service.ts';
import { frameBytes } from '../../src/archive/drawing/frame-renderer.ts';
import { Calls } from './calls.ts';
import { DISK, formatDisk } from './platform/disk.ts';
import { type Life, never, type Scheduler } from './scheduler.ts';
import type { World } from './world.ts';

const WORKERS = 2;
/** Milliseconds of work after which a segment is stored. */
const SEGMENT_MS = 300;
/** Longest drawing of a frame. */
const DRAWING_MS = 900;

interface Running {
  readonly token: string;
  readonly life: Life;
  readonly loop: WorkLoop;
}

const LINE_END = '\n';

/** A line for a frame, in as many bytes as a frame has. */
function pixelsOf({ recipe, images, format }: DrawRequest): Uint8Array<ArrayBuffer> {
  const line = `${recipe.atMs} ${images.map(({ image }) => image?.id ?? 'none').join()}${LINE_END}`;
  const pixels = new Uint8Array(frameBytes(format, recipe));
  pixels.set(new TextEncoder().encode(line).subarray(0, pixels.length));
  return pixels;
}

const lineOf = (pixels: Uint8Array) => new TextDecoder().decode(pixels.subarray(0, pixels.indexOf(10) + 1));

function poolOf(scheduler: Scheduler, life: Life): DrawPool {
  const draw = async (request: DrawRequest): Promise<DrawResult> => {
    await new Promise<void>((drawn) => scheduler.at(scheduler.nowMs + scheduler.random() * DRAWING_MS, 'draw', drawn, life));
    return life.isAlive ? { pixels: pixelsOf(request) } : never();
  };
  return { threads: 1, draw, reuse: () => undefined, close: async () => undefined } as unknown as DrawPool;
}

const FAILURES = ['died', 'disk-full', 'stalled'] as const;

/** An encoder that a fault of its kind ends, with its worker where that ends. */
const encoderOf = (calls: Calls): Encoder => ({
  name: 'ffmpeg',
  description: 'frames as lines',
  openSegment: async (spec, folder, segment) => {
    const lines: string[] = [];
    return segmentWriter(spec, folder, segment, {
      write: async (frame) => void lines.push(lineOf(frame)),
      finish: async () => {
        const kind = calls.fault('encoder');
        if (kind === 'end') return calls.end();
        if (kind) throw new EncoderError(calls.pick(FAILURES));
        for (const encoding of ENCODINGS) await writeFile(`${folder}/${segmentFile(segment, encoding)}`, lines.join(''));
      },
      kill: async () => undefined,
    });
  },
  join: async (_spec, folder, segments, out) => {
    const outputs = { mp4: ['movie.mp4', 'movie.flv'], hq: ['movie-hq.mp4'], webm: ['movie.webm'] };
    for (const encoding of ENCODINGS) {
      const parts = await Promise.all(segments.map((segment) => readFile(`${folder}/${segmentFile(segment, encoding)}`, 'utf8')));
      for (const name of outputs[encoding]) await writeFile(`${out}/${name}`, parts.join(''));
    }
  },
});

export class MovieWorkers {
  readonly #world: World;
  readonly #running: (Running | null)[] = Array.from({ length: WORKERS }, () => null);
  readonly #lives = new Map<string, Life>();
  #starts = 0;

  constructor(world: World) {
    this.#world = world;
    formatDisk();
  }

  /** The worker that sends requests to a host name, which is its own. */
  lifeOf(host: string): Life | null {
    return this.#lives.get(host) ?? null;
  }

  /** Wakes a worker, which starts when it does not run. */
  async wake(number: number): Promise<Response> {
    await this.#world.scheduler.turn(`wake movie-${number}`);
    // A container that was started with another token refuses the call, and is stopped.
    const running = this.#running[number - 1];
    if (running && running.token !== this.#world.movieToken) {
      running.loop.stop();
      this.#running[number - 1] = null;
      return new Response(null, { status: 401 });
    }
    this.#running[number - 1] ??= this.#start(number);
    this.#running[number - 1]!.loop.wake();
    return new Response(null, { status: 202 });
  }

  /** Ends a worker between two of its awaits. */
  kill(number = this.#world.scheduler.below(WORKERS)): void {
    const running = this.#running[number];
    if (!running) return;
    this.#world.fault('kill worker');
    this.#world.scheduler.kill(running.life);
    this.#running[number] = null;
  }

  /** Tells a worker to end, as a deployment does: it hands back its movie. */
  end(): void {
    const number = this.#world.scheduler.below(WORKERS);
    this.#running[number]?.loop.stop();
    this.#running[number] = null;
  }

  #start(number: number): Running {
    this.#starts += 1;
    const host = `worker-${this.#starts}.internal`;
    const life: Life = { name: `movie-${number}`, isAlive: true };
    this.#lives.set(host, life);
    const { scheduler, logged, movieToken: token } = this.#world;
    const service = new ServiceClient(new ServiceConnection({ url: `http://${host}`, token }));
    const context = {
      service,
      pool: poolOf(scheduler, life),
      encoder: encoderOf(
        new Calls(
          scheduler,
          life,
          'encoder',
          this.#world,
          () => this.#running[number - 1]?.life === life && this.kill(number - 1),
        ),
      ),
      segmentMs: SEGMENT_MS,
      log: (line: string) => void logged.push(`movie-${number}: ${line}`),
    };
    const loop = new WorkLoop({ context, name: `movie-${number}`, workFolder: `${DISK}/${this.#starts}`, pollMs: 0 });
    void loop.run();
    return { life, loop, token };
  }
}
