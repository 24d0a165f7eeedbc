import type { ForgottenBin, WantedBins } from '../../domain/jpip/ledger.ts';
import type { ChannelPlan, ChannelTarget, JpipChannels } from '../../ports/jpip.ts';
import type { JpipChannel } from './jpip-channel.ts';

/** The channels by name: one Durable Object for each. */
export class DurableChannels implements JpipChannels {
  readonly #namespace: DurableObjectNamespace<JpipChannel>;

  /** `namespace`: the binding of the class JpipChannel, whose type is not known where bindings are declared. */
  constructor(namespace: DurableObjectNamespace) {
    this.#namespace = namespace as DurableObjectNamespace<JpipChannel>;
  }

  #channel(id: string): DurableObjectStub<JpipChannel> {
    return this.#namespace.get(this.#namespace.idFromName(id));
  }

  async plan(id: string, target: ChannelTarget, wish: readonly WantedBins[], budget: number): Promise<ChannelPlan | null> {
    return this.#channel(id).plan(target, wish, budget);
  }

  async forget(id: string, bins: readonly ForgottenBin[]): Promise<void> {
    await this.#channel(id).forget(bins);
  }

  async close(id: string, targetName: string): Promise<boolean> {
    return this.#channel(id).close(targetName);
  }
}
