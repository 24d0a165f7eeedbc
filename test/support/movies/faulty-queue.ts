// A queue that loses, duplicates and reverses messages.
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds in which messages are collected into a batch. */
const BATCH_MS = 300;
/** Probabilities that a message is lost, and that it is delivered twice. */
const LOST = 0.3;
const TWICE = 0.4;

export class FaultyQueue {
  /** Numbers of faults so far. */
  readonly counts = { lost: 0, twice: 0, reversed: 0 };
  #sent = 0;
  readonly #random: () => number;
  readonly #consume: (batch: MessageBatch) => Promise<void>;
  #messages: Message[] = [];
  #delivery: Promise<void> | null = null;

  constructor(random: () => number, consume: (batch: MessageBatch) => Promise<void>) {
    this.#random = random;
    this.#consume = consume;
  }

  async send(body: unknown): Promise<void> {
    const id = String(this.#sent++);
    this.#messages.push({ id, body, ack: () => undefined } as Message);
    this.#delivery ??= this.#deliver();
  }

  async #deliver(): Promise<void> {
    await sleep(BATCH_MS);
    const gathered = this.#messages;
    this.#messages = [];
    this.#delivery = null;
    const kept = gathered.filter(() => this.#random() >= LOST);
    const messages = kept.flatMap((message) => (this.#random() < TWICE ? [message, message] : [message])).reverse();
    this.counts.lost += gathered.length - kept.length;
    this.counts.twice += messages.length - kept.length;
    this.counts.reversed += Number(kept.length > 1);
    // A failed batch is not redelivered, so the cron has to recover.
    if (messages.length > 0) await this.#consume({ queue: 'jobs', messages } as unknown as MessageBatch).catch(() => undefined);
  }
}
