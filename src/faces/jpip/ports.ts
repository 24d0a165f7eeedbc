// State of JPIP channels.
import type { ChannelPlan, ChannelRequest } from '../../jp2/jpip/channel.ts';

/** The logical target of a JPIP channel; `tid` changes with its content. */
export interface ChannelTarget {
  readonly name: string;
  readonly tid: string;
}

/** The cache models of the JPIP channels. Channels are created on first use and expire when idle. */
export interface JpipChannels {
  /** Plans a response, lost until it is delivered; null for a channel of another target. `cost`: that of its rows in reads of R2. */
  plan(id: string, target: ChannelTarget, request: ChannelRequest): Promise<(ChannelPlan & { readonly cost?: number }) | null>;
  /** Adds a planned response to the cache model, because all of its first `sent` steps was handed over. Returns the cost of its rows. */
  delivered(id: string, response: string, sent: number): Promise<number | undefined>;
  /** False for a channel of another target. */
  close(id: string, targetName: string): Promise<boolean>;
}
