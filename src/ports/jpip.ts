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

export interface ChannelRequest {
  /** Text that is equal for requests for the same window. */
  readonly window: string;
  readonly requested: readonly RequestedBins[];
  /** Bytes of the response, message headers included. */
  readonly budget: number;
}

/** The cache models of the JPIP channels. Channels are created on first use and expire when idle. */
export interface JpipChannels {
  /**
   * Plans messages and adds them to the cache model; null for a channel of another target. A window that is requested again
   * after it was done is sent again, because its response has not arrived.
   */
  plan(id: string, target: ChannelTarget, request: ChannelRequest): Promise<ChannelPlan | null>;
  /** Subtracts bytes that were not delivered from the cache model. */
  subtract(id: string, bins: readonly UndeliveredBin[]): Promise<void>;
  /** False for a channel of another target. */
  close(id: string, targetName: string): Promise<boolean>;
}
