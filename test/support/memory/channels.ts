// JPIP channels without a Durable Object.
import { CacheModel, planMessages, type UndeliveredBin } from '../../../src/domain/jpip/cache-model.ts';
import { binsOfMessages, RepeatedWindows } from '../../../src/domain/jpip/repeated-windows.ts';
import type { ChannelPlan, ChannelRequest, ChannelTarget, JpipChannels } from '../../../src/ports/jpip.ts';

interface Channel {
  readonly target: ChannelTarget;
  readonly groups: Map<number, CacheModel>;
  readonly complete: Set<number>;
  readonly windows: RepeatedWindows;
}

export class MemoryChannels implements JpipChannels {
  readonly channels = new Map<string, Channel>();

  async plan(id: string, target: ChannelTarget, { window, requested, budget }: ChannelRequest): Promise<ChannelPlan | null> {
    const channel = this.channels.get(id) ?? {
      target,
      groups: new Map(),
      complete: new Set(),
      windows: new RepeatedWindows(),
    };
    if (channel.target.name !== target.name) return null;
    this.channels.set(id, channel);
    const modelOf = (group: number): CacheModel => {
      const known = channel.groups.get(group) ?? new CacheModel();
      channel.groups.set(group, known);
      return known;
    };
    for (const { group, bin, from } of channel.windows.undelivered(window)) modelOf(group).subtract(bin, from);
    const plan = planMessages(requested, modelOf, budget);
    channel.windows.sent(window, binsOfMessages(plan.messages, requested), plan.isComplete);
    for (const { group, binsInGroup } of requested) if (modelOf(group).completeCount === binsInGroup) channel.complete.add(group);
    return { ...plan, completeGroups: channel.complete.size };
  }

  async subtract(id: string, bins: readonly UndeliveredBin[]): Promise<void> {
    const channel = this.channels.get(id);
    for (const { group, bin, from } of bins) {
      channel?.groups.get(group)?.subtract(bin, from);
      channel?.complete.delete(group);
    }
  }

  async close(id: string, targetName: string): Promise<boolean> {
    const channel = this.channels.get(id);
    if (channel && channel.target.name !== targetName) return false;
    this.channels.delete(id);
    return true;
  }
}
