// State of JPIP channels.
import type { ForgottenBin, Portion, WantedBins } from '../domain/jpip/ledger.ts';

/** The logical target of a JPIP channel; `tid` changes with its content. */
export interface ChannelTarget {
  readonly name: string;
  readonly tid: string;
}

export interface ChannelPlan {
  readonly portions: readonly Portion[];
  /** False when the budget ended the plan. */
  readonly isWhole: boolean;
  /** Groups of bins (metadata, codestreams) that the client has completely. */
  readonly wholeGroups: number;
}

/** The cache model of every JPIP channel. Channels are created on first use and expire when idle. */
export interface JpipChannels {
  /** Plans at most `budget` bytes of `wish` and records them as sent; null when the channel belongs to another target. */
  plan(id: string, target: ChannelTarget, wish: readonly WantedBins[], budget: number): Promise<ChannelPlan | null>;
  forget(id: string, bins: readonly ForgottenBin[]): Promise<void>;
  /** False when the channel belongs to another target. */
  close(id: string, targetName: string): Promise<boolean>;
}
