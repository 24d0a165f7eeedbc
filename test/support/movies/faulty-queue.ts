// A queue that keeps no promise: messages are lost, come twice, and come in reversed order.
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds for which messages gather to a batch. */
const BATCH_MS = 150;
/** Chance that a message of a batch is lost, and that one comes once more. */
const LOST = 0.3;
const TWICE = 0.4;

export class FaultyQueue {
  /** What became of the messages. */
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
    // A batch that fails does not come again: the clock has to do.
    if (messages.length > 0) await this.#consume({ queue: 'jobs', messages } as unknown as MessageBatch).catch(() => undefined);
  }
}
