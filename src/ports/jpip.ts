// State of JPIP channels.
import type { MessagePlan, RequestedBins, UndeliveredBin } from '../domain/jpip/cache-model.ts';

/** The logical target of a JPIP channel; `tid` changes with its content. */
export interface ChannelTarget {
  readonly name: string;
  readonly tid: string;
}

export interface ChannelPlan extends MessagePlan {
  /** Number of bin groups (metadata, codestreams) that the client holds completely. */
  readonly completeGroups: number;
}

/** The cache models of the JPIP channels. Channels are created on first use and expire when idle. */
export interface JpipChannels {
  /** Plans messages of at most `budget` bytes and adds them to the cache model; null for a channel of another target. */
  plan(id: string, target: ChannelTarget, requested: readonly RequestedBins[], budget: number): Promise<ChannelPlan | null>;
  /** Subtracts bytes that were not delivered from the cache model. */
  subtract(id: string, bins: readonly UndeliveredBin[]): Promise<void>;
  /** False for a channel of another target. */
  close(id: string, targetName: string): Promise<boolean>;
}
