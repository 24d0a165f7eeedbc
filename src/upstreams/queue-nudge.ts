/** Says through the queue that there may be work; the consumer knows by the message of which kind. */
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
