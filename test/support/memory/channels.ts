// JPIP channels without a Durable Object.
import { type ForgottenBin, planPortions, SentBins, type WantedBins } from '../../../src/domain/jpip/ledger.ts';
import type { ChannelPlan, ChannelTarget, JpipChannels } from '../../../src/ports/jpip.ts';

interface Channel {
  readonly target: ChannelTarget;
  readonly groups: Map<number, SentBins>;
  readonly whole: Set<number>;
}

export class MemoryChannels implements JpipChannels {
  readonly channels = new Map<string, Channel>();

  async plan(id: string, target: ChannelTarget, wish: readonly WantedBins[], budget: number): Promise<ChannelPlan | null> {
    const channel = this.channels.get(id) ?? { target, groups: new Map(), whole: new Set() };
    if (channel.target.name !== target.name) return null;
    this.channels.set(id, channel);
    const sent = (group: number): SentBins => {
      const known = channel.groups.get(group) ?? new SentBins();
      channel.groups.set(group, known);
      return known;
    };
    const plan = planPortions(wish, sent, budget);
    for (const { group, binsInAll } of wish) if (sent(group).completeCount === binsInAll) channel.whole.add(group);
    return { ...plan, wholeGroups: channel.whole.size };
  }

  async forget(id: string, bins: readonly ForgottenBin[]): Promise<void> {
    const channel = this.channels.get(id);
    for (const { group, bin, from } of bins) {
      channel?.groups.get(group)?.forget(bin, from);
      channel?.whole.delete(group);
    }
  }

  async close(id: string, targetName: string): Promise<boolean> {
    const channel = this.channels.get(id);
    if (channel && channel.target.name !== targetName) return false;
    this.channels.delete(id);
    return true;
  }
}
