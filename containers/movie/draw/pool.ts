// Pool of drawing threads. A thread that dies or gets stuck is replaced, and the frame that it was drawing fails.
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { Service } from '../../../src/platform/util/service.ts';
import { ServiceUnavailable } from '../service.ts';
import { Watchdog } from '../watchdog.ts';
import type { DrawMessage, DrawRequest, DrawSetup } from './thread.ts';

/** Pixels in the requested format, or the reason why the frame cannot be drawn, which is for the log. */
export type DrawResult = { readonly pixels: Uint8Array<ArrayBuffer> } | { readonly error: string };

interface DrawPoolOptions {
  readonly threads: number;
  readonly setup: DrawSetup;
  readonly program?: string;
  /** Milliseconds without a message after which a thread counts as stuck. */
  readonly stuckMs?: number;
}

type PendingFrame = { readonly request: DrawRequest; resolve(result: DrawResult): void; reject(error: unknown): void };

/** Beside this module: as TypeScript here, bundled in `build/movie`. */
const PROGRAM = join(import.meta.dirname, `thread${extname(import.meta.filename)}`);
const STUCK_MS = MINUTE_MS;
/** Requests that a thread works on at once: one image is decoded while others are read. */
const MAX_IN_FLIGHT = 3;

/** One thread, replaced when it fails, and the queue of its requests. */
class DrawSlot extends Service<{
  readonly start: () => Worker;
  readonly stuckMs: number;
  readonly takeBuffer: () => Uint8Array<ArrayBuffer> | undefined;
}> {
  /** Frames, the oldest first; the thread has the first `#sent`. */
  readonly #frames: PendingFrame[] = [];
  #sent = 0;
  #thread: Worker | null = null;
  #watchdog: Watchdog | undefined;

  add(frame: PendingFrame): void {
    this.#frames.push(frame);
    this.#send();
  }

  #send(): void {
    for (; this.#sent < Math.min(MAX_IN_FLIGHT, this.#frames.length); this.#sent += 1) {
      const { request } = this.#frames[this.#sent]!;
      const reused = this.ports.takeBuffer();
      const thread = this.#runningThread();
      if (reused) thread.postMessage({ ...request, reused }, [reused.buffer]);
      else thread.postMessage(request);
    }
    this.#watchdog?.expect(this.#sent);
  }

  #runningThread(): Worker {
    if (this.#thread) return this.#thread;
    const thread = this.ports.start();
    this.#thread = thread;
    this.#watchdog = new Watchdog(this.ports.stuckMs, () => this.#replace(thread, 'the thread is stuck'));
    thread.on('message', (message: DrawMessage) => thread === this.#thread && this.#receive(message));
    thread.on('error', (error) => this.#replace(thread, `the thread died: ${(error as Error).message}`));
    thread.on('exit', (code) => this.#replace(thread, `the thread ended with ${code}`));
    return thread;
  }

  #receive(message: DrawMessage): void {
    this.#watchdog?.kick();
    if (message.kind === 'alive') return;
    const place = this.#frames.findIndex(({ request }) => request.id === message.id);
    const frame = this.#frames[place];
    if (!frame) return;
    this.#frames.splice(place, 1);
    this.#sent -= 1;
    if (message.kind === 'drawn') frame.resolve({ pixels: message.pixels });
    else if (message.kind === 'failed') frame.resolve({ error: message.reason });
    else frame.reject(new ServiceUnavailable(message.reason));
    this.#send();
  }

  /** The oldest request is taken for the cause and fails; a new thread gets the others. */
  #replace(thread: Worker, reason: string): void {
    if (thread !== this.#thread) return;
    void this.#terminate();
    if (this.#sent > 0) this.#frames.shift()?.resolve({ error: reason });
    this.#sent = 0;
    this.#send();
  }

  async #terminate(): Promise<void> {
    this.#watchdog?.stop();
    const thread = this.#thread;
    this.#thread = null;
    await thread?.terminate();
  }

  async close(): Promise<void> {
    this.#sent = 0;
    for (const { reject } of this.#frames.splice(0)) reject(new Error('The drawing pool was closed.'));
    await this.#terminate();
  }
}

export class DrawPool {
  readonly threads: number;
  readonly #slots: DrawSlot[];
  /** Buffers of frames that have been consumed, for the next ones. */
  readonly #buffers: Uint8Array<ArrayBuffer>[] = [];
  #requests = 0;

  constructor({ threads, setup, program = PROGRAM, stuckMs = STUCK_MS }: DrawPoolOptions) {
    const start = () => new Worker(program, { workerData: setup });
    this.threads = threads;
    const takeBuffer = () => this.#buffers.pop();
    this.#slots = Array.from({ length: threads }, () => new DrawSlot({ start, stuckMs, takeBuffer }));
  }

  /** Takes back the buffer of a frame, so that a thread can draw into it instead of into new memory. */
  reuse(pixels: Uint8Array<ArrayBuffer>): void {
    if (this.#buffers.length < this.threads * MAX_IN_FLIGHT) this.#buffers.push(pixels);
    // Frees the memory immediately, because hundreds of megabytes would await the garbage collector.
    else pixels.buffer.transfer(0);
  }

  /** Draws a frame on thread `thread` modulo `threads`, started when needed. @throws ServiceUnavailable when images cannot be fetched */
  draw(request: Omit<DrawRequest, 'id' | 'reused'>, thread: number): Promise<DrawResult> {
    return new Promise((resolve, reject) => {
      this.#requests += 1;
      const slot = this.#slots[thread % this.threads] as DrawSlot;
      slot.add({ request: { ...request, id: this.#requests }, resolve, reject });
    });
  }

  /** Rejects all pending frames. The pool may be used again; it then starts new threads. */
  async close(): Promise<void> {
    this.#buffers.length = 0;
    await Promise.all(this.#slots.map((slot) => slot.close()));
  }
}
