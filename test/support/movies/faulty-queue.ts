// A queue that loses, duplicates and reverses messages.
/** Messages of a batch, and milliseconds after which a smaller one is delivered. */
const BATCH_MESSAGES = 4;
const BATCH_MS = 2_000;

export class FaultyQueue {
  /** Numbers of faults so far. */
  readonly counts = { lost: 0, twice: 0, reversed: 0 };
  #sent = 0;
  readonly #consume: (batch: MessageBatch) => Promise<void>;
  #messages: Message[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(consume: (batch: MessageBatch) => Promise<void>) {
    this.#consume = consume;
  }

  async send(body: unknown): Promise<void> {
    const id = String(this.#sent++);
    this.#messages.push({ id, body, ack: () => undefined } as Message);
    clearTimeout(this.#timer);
    if (this.#messages.length === BATCH_MESSAGES) await this.#deliver();
    else this.#timer = setTimeout(() => void this.#deliver(), BATCH_MS);
  }

  /** Loses the first message, delivers the second one twice, and reverses their order. */
  async #deliver(): Promise<void> {
    const [lost, twice, ...others] = this.#messages;
    this.#messages = [];
    const messages = [...others.reverse(), ...(twice ? [twice, twice] : [])];
    this.counts.lost += Number(lost !== undefined);
    this.counts.twice += Number(twice !== undefined);
    this.counts.reversed += Number(others.length > 0);
    // A failed batch is not redelivered, so the cron has to recover.
    if (messages.length > 0) await this.#consume({ queue: 'jobs', messages } as unknown as MessageBatch).catch(() => undefined);
  }
}
