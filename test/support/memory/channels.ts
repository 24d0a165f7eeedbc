// JPIP channels without a Durable Object.
import type { JpipChannels } from '../../../src/faces/jpip/channel-ids.ts';
import type { ChannelTarget } from '../../../src/faces/jpip/jpip-channel.ts';
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

export class MemoryChannels implements JpipChannels {
  readonly #channels = new Map<string, { readonly target: ChannelTarget; readonly channel: Channel }>();

  async plan(id: string, target: ChannelTarget, request: ChannelRequest): Promise<ChannelPlan | null> {
    const known = this.#channels.get(id) ?? { target, channel: new Channel(new MemoryState()) };
    if (known.target.name !== target.name) return null;
    this.#channels.set(id, known);
    return known.channel.plan(request);
  }

  async delivered(id: string, response: string, sent?: number): Promise<undefined> {
    this.#channels.get(id)?.channel.delivered(response, sent);
  }

  async close(id: string, targetName: string): Promise<boolean> {
    const known = this.#channels.get(id);
    if (known && known.target.name !== targetName) return false;
    this.#channels.delete(id);
    return true;
  }
}
