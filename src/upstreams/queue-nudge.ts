/** Sends a message that work may be waiting; its content tells the consumer the kind of work. */
export class QueueNudge {
  readonly #queue: Pick<Queue, 'send'>;
  readonly #message: object;

  constructor(queue: Pick<Queue, 'send'>, message: object) {
    this.#queue = queue;
    this.#message = message;
  }

  async nudge(): Promise<void> {
    await this.#queue.send(this.#message);
  }
}
