// Threads that draw frames. One that dies or hangs is replaced, and the frame that it was at is given up.
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ServiceUnavailable } from '../service/connection.ts';
import type { DrawOrder, DrawReport, DrawSetup } from './messages.ts';

/** Pixels, R G B of each; or, for the log, why the frame cannot be drawn. */
export type Drawn = { readonly pixels: Uint8Array<ArrayBuffer> } | { readonly damage: string };

export interface DrawPoolOptions {
  readonly threads: number;
  readonly setup: DrawSetup;
  /** The program of a thread. */
  readonly program?: string;
  /** Milliseconds without a word after which a thread counts as stuck. */
  readonly stuckMs?: number;
}

interface Waiting {
  readonly order: DrawOrder;
  resolve(drawn: Drawn): void;
  reject(error: unknown): void;
}

const PROGRAM = join(import.meta.dirname, 'thread.ts');
const STUCK_MS = 60_000;
/** Frames under way in one thread: one is decoded while others are read. */
const UNDER_WAY = 3;

/** The threads were closed before the frame was drawn. */
class PoolClosed extends Error {
  override readonly name = 'PoolClosed';
}

/** One thread, or the next one in its place, with its orders in their order. */
class DrawSlot {
  readonly #start: () => Worker;
  readonly #stuckMs: number;
  readonly #queue: Waiting[] = [];
  /** In the order in which they were sent. */
  #underWay: Waiting[] = [];
  #thread: Worker | null = null;
  #heardAt = 0;
  #watch: NodeJS.Timeout | undefined;

  constructor(start: () => Worker, stuckMs: number) {
    this.#start = start;
    this.#stuckMs = stuckMs;
  }

  add(waiting: Waiting): void {
    this.#queue.push(waiting);
    this.#send();
  }

  #send(): void {
    while (this.#underWay.length < UNDER_WAY) {
      const next = this.#queue.shift();
      if (!next) break;
      this.#underWay.push(next);
      this.#running().postMessage(next.order);
    }
  }

  #running(): Worker {
    if (this.#thread) return this.#thread;
    const thread = this.#start();
    this.#thread = thread;
    this.#heardAt = performance.now();
    thread.on('message', (report: DrawReport) => thread === this.#thread && this.#hear(report));
    thread.on('error', (error) => this.#replace(thread, `the thread died: ${(error as Error).message}`));
    thread.on('exit', (code) => this.#replace(thread, `the thread ended with ${code}`));
    this.#watch = setInterval(() => {
      if (this.#underWay.length === 0) this.#heardAt = performance.now();
      else if (performance.now() - this.#heardAt > this.#stuckMs) this.#replace(thread, 'the thread is stuck');
    }, this.#stuckMs / 10).unref();
    return thread;
  }

  #hear(report: DrawReport): void {
    this.#heardAt = performance.now();
    if (report.kind === 'alive') return;
    const waiting = this.#underWay.find(({ order }) => order.id === report.id);
    if (!waiting) return;
    this.#underWay = this.#underWay.filter((other) => other !== waiting);
    if (report.kind === 'drawn') waiting.resolve({ pixels: report.pixels });
    else if (report.kind === 'damaged') waiting.resolve({ damage: report.why });
    else waiting.reject(new ServiceUnavailable(report.why));
    this.#send();
  }

  /** Its first frame is taken for the one that did it; the others are drawn again. */
  #replace(thread: Worker, why: string): void {
    if (thread !== this.#thread) return;
    void this.#drop();
    const [first, ...others] = this.#underWay;
    this.#underWay = [];
    this.#queue.unshift(...others);
    first?.resolve({ damage: why });
    this.#send();
  }

  async #drop(): Promise<void> {
    clearInterval(this.#watch);
    const thread = this.#thread;
    this.#thread = null;
    await thread?.terminate();
  }

  async close(): Promise<void> {
    const waiting = [...this.#underWay, ...this.#queue.splice(0)];
    this.#underWay = [];
    for (const { reject } of waiting) reject(new PoolClosed('The drawing was given up.'));
    await this.#drop();
  }
}

export class DrawPool {
  readonly threads: number;
  readonly #slots: DrawSlot[];
  #orders = 0;

  constructor({ threads, setup, program = PROGRAM, stuckMs = STUCK_MS }: DrawPoolOptions) {
    const start = () => new Worker(program, { workerData: setup });
    this.threads = threads;
    this.#slots = Array.from({ length: threads }, () => new DrawSlot(start, stuckMs));
  }

  /**
   * Draws a frame on the thread of that number, modulo how many there are; threads start when they are first needed.
   * @throws ServiceUnavailable when its images cannot be had
   */
  draw(order: Omit<DrawOrder, 'id'>, thread: number): Promise<Drawn> {
    return new Promise((resolve, reject) => {
      this.#orders += 1;
      const slot = this.#slots[thread % this.threads] as DrawSlot;
      slot.add({ order: { ...order, id: this.#orders }, resolve, reject });
    });
  }

  /** Gives up everything under way. The next order starts new threads. */
  async close(): Promise<void> {
    await Promise.all(this.#slots.map((slot) => slot.close()));
  }
}
