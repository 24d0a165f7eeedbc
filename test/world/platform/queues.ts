// Queues by wrangler.toml: at least once, in no order, with retries and queues of dead letters.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Caller } from '../calls.ts';
import type { Scheduler } from '../scheduler.ts';

interface Producer {
  readonly binding: string;
  readonly queue: string;
}

interface Consumer {
  readonly queue: string;
  readonly max_batch_size?: number;
  readonly max_batch_timeout?: number;
  readonly max_retries?: number;
  readonly retry_delay?: number;
  readonly dead_letter_queue?: string;
}

const wrangler = readFileSync(resolve(import.meta.dirname, '../../../wrangler.toml'), 'utf8');
/** The tables of a name, whose values are texts and numbers as JSON has them: the parser of wrangler takes a second to load. */
const tables = <T>(name: string) =>
  [...wrangler.matchAll(new RegExp(`^\\[\\[queues\\.${name}\\]\\]\\n((?:\\w+ = .*\\n)+)`, 'gm'))].map(
    ([, lines = '']) =>
      Object.fromEntries([...lines.matchAll(/^(\w+) = (.*)$/gm)].map(([, key, value]) => [key, JSON.parse(value!)])) as T,
  );
const producers = new Map(tables<Producer>('producers').map(({ binding, queue }) => [binding, queue]));
const consumers = new Map(tables<Consumer>('consumers').map((each) => [each.queue, each]));

/** Days for which a queue keeps a message. */
const RETENTION_MS = 4 * 86_400_000;
const DEFAULTS = { size: 10, timeoutSeconds: 5, retries: 3 };
const DEAD = /-dead$/;

interface Message {
  readonly id: string;
  readonly body: unknown;
  readonly sentAtMs: number;
  attempts: number;
  dueAtMs: number;
}

/** Consumes a batch in an isolate: true when it ended well, false when it failed or its isolate ended. */
export type Deliver = (batch: MessageBatch) => Promise<boolean>;

export class Queues {
  readonly #messages = new Map<string, Message[]>();
  readonly #scheduler: Scheduler;
  readonly #deliver: Deliver;
  readonly #isLost: (body: unknown) => boolean;
  #sent = 0;
  /** Messages that were kept for longer than the platform keeps them. */
  expired = 0;
  /** Whether a message is gone once it has been handed over. */
  acknowledgesFirst = false;
  /** Whether dead letters are thrown away. */
  dropsDeadLetters = false;
  /** Whether a message of which the consumer asks for another attempt has none. */
  forgetsRetries = false;

  constructor(scheduler: Scheduler, deliver: Deliver, isLost: (body: unknown) => boolean) {
    this.#scheduler = scheduler;
    this.#deliver = deliver;
    this.#isLost = isLost;
  }

  /** Messages that wait, but for those of queues of dead letters. */
  get waiting(): number {
    return [...this.#messages].filter(([name]) => !DEAD.test(name)).reduce((sum, [, each]) => sum + each.length, 0);
  }

  bodies(): string[] {
    return [...this.#messages].flatMap(([name, each]) =>
      each.map(({ body, attempts }) => `${name} ${attempts} ${JSON.stringify(body)}`),
    );
  }

  binding(name: string, caller: Caller): Queue {
    const queue = producers.get(name)!;
    const errorOf = () => new Error('Queue send failed: Internal Server Error');
    const sendBatch = (given: Iterable<MessageSendRequest>, { delaySeconds = 0 }: QueueSendBatchOptions = {}) => {
      const bodies = [...given].map(({ body }) => structuredClone(body));
      const times = (count: number) => () => {
        for (let time = 0; time < count; time += 1) for (const body of bodies) this.send(queue, body, delaySeconds);
      };
      return caller.call('queue', `send ${name}`, errorOf, 1, times(1), times(2));
    };
    return {
      sendBatch,
      send: (body: unknown, options = {}) => sendBatch([{ body } as MessageSendRequest], options),
    } as unknown as Queue;
  }

  send(queue: string, body: unknown, delaySeconds = 0): void {
    if (this.#isLost(body)) return;
    this.#sent += 1;
    const { nowMs } = this.#scheduler;
    this.#add(queue, { id: `message-${this.#sent}`, body, sentAtMs: nowMs, attempts: 1, dueAtMs: nowMs + 1000 * delaySeconds });
  }

  #add(queue: string, message: Message): void {
    const waiting = this.#messages.get(queue) ?? [];
    this.#messages.set(queue, waiting);
    waiting.push(message);
    const { max_batch_timeout: timeout = DEFAULTS.timeoutSeconds, max_batch_size: size } = consumers.get(queue)!;
    const waitMs = size === 1 ? 0 : 1000 * timeout * this.#scheduler.random();
    this.#scheduler.at(
      Math.max(message.dueAtMs, this.#scheduler.nowMs) + waitMs,
      `deliver ${queue}`,
      () => void this.#take(queue),
    );
  }

  async #take(queue: string): Promise<void> {
    const { random, nowMs } = this.#scheduler;
    const waiting = this.#messages.get(queue)!;
    const due = waiting.filter(({ dueAtMs }) => dueAtMs <= nowMs);
    if (due.length === 0) return;
    // Any of them, in any order.
    const { max_batch_size: size = DEFAULTS.size } = consumers.get(queue)!;
    const batch = Array.from({ length: Math.min(size, due.length) }, () => due.splice(Math.floor(random() * due.length), 1)[0]!);
    this.#messages.set(
      queue,
      waiting.filter((each) => !batch.includes(each)),
    );
    const settled = new Map<Message, { readonly delaySeconds: number } | 'done'>();
    const messages = batch.map((message) => ({
      id: message.id,
      timestamp: new Date(message.sentAtMs),
      attempts: message.attempts,
      body: structuredClone(message.body),
      ack: () => void settled.set(message, 'done'),
      retry: ({ delaySeconds = consumers.get(queue)!.retry_delay ?? 0 }: QueueRetryOptions = {}) =>
        void settled.set(message, { delaySeconds }),
    }));
    if (this.acknowledgesFirst) for (const each of batch) settled.set(each, 'done');
    const isGood = await this.#deliver({ queue, messages } as unknown as MessageBatch);
    for (const message of batch) {
      const outcome = isGood ? (settled.get(message) ?? 'done') : this.acknowledgesFirst ? 'done' : 'failed';
      if (outcome !== 'done' && !this.forgetsRetries)
        this.#again(queue, message, outcome === 'failed' ? (consumers.get(queue)!.retry_delay ?? 0) : outcome.delaySeconds);
    }
  }

  #again(queue: string, message: Message, delaySeconds: number): void {
    const { max_retries: retries = DEFAULTS.retries, dead_letter_queue: dead } = consumers.get(queue)!;
    const { nowMs } = this.#scheduler;
    const isOver = message.attempts > retries;
    if (nowMs - message.sentAtMs > RETENTION_MS) this.expired += 1;
    else if (!isOver) this.#add(queue, { ...message, attempts: message.attempts + 1, dueAtMs: nowMs + 1000 * delaySeconds });
    else if (dead !== undefined && !this.dropsDeadLetters) this.send(dead, message.body);
  }
}
