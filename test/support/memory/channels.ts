// JPIP channels without a Durable Object.
import type { ChannelTarget } from '../../../src/faces/jpip/jpip-channel.ts';
import type { JpipChannels } from '../../../src/faces/jpip/response.ts';
import { CacheModel } from '../../../src/jp2/jpip/cache-model.ts';
import type { Answer, ChannelPlan, ChannelRequest, ChannelState } from '../../../src/jp2/jpip/channel.ts';
import { ANSWERED_WINDOWS, Channel } from '../../../src/jp2/jpip/channel.ts';

class MemoryState implements ChannelState {
  readonly #models = new Map<number, CacheModel>();
  readonly #whole = new Set<number>();
  readonly #answers = new Map<string, Answer>();

  model(group: number): CacheModel {
    const model = this.#models.get(group) ?? new CacheModel();
    this.#models.set(group, model);
    return model;
  }

  keepModel(group: number, isWhole: boolean): void {
    if (isWhole) this.#whole.add(group);
    else this.#whole.delete(group);
  }

  wholeGroups(except: ReadonlySet<number>): number {
    return [...this.#whole].filter((group) => !except.has(group)).length;
  }

  answer(window: string): Answer | null {
    return this.#answers.get(window) ?? null;
  }

  keepAnswer(window: string, answer: Answer): void {
    this.#answers.delete(window);
    this.#answers.set(window, answer);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > ANSWERED_WINDOWS && oldest !== undefined) this.#answers.delete(oldest);
  }
}

export class MemoryChannels {
  readonly #channels = new Map<string, { readonly target: ChannelTarget; readonly channel: Channel }>();
  readonly of: JpipChannels = (id) => ({
    plan: async (...step) => this.plan(id, ...step),
    delivered: async (...delivery) => this.delivered(id, ...delivery),
    close: async (targetName) => this.close(id, targetName),
  });

  plan(id: string, target: ChannelTarget, request: ChannelRequest): (ChannelPlan & { readonly cost: number }) | null {
    const known = this.#channels.get(id) ?? { target, channel: new Channel(new MemoryState()) };
    if (known.target.name !== target.name) return null;
    this.#channels.set(id, known);
    return { ...known.channel.plan(request), cost: 0 };
  }

  /** Returns the cost of its rows. */
  delivered(id: string, response: string, sent?: number): number {
    this.#channels.get(id)?.channel.delivered(response, sent);
    return 0;
  }

  close(id: string, targetName: string): boolean {
    const known = this.#channels.get(id);
    if (known && known.target.name !== targetName) return false;
    this.#channels.delete(id);
    return true;
  }
}
