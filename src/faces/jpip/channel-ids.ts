// Channels of JPIP: their ids, signed with the hour of their issue, so that neither an invented id nor one of long ago makes a Durable Object.
import type { ChannelPlan, ChannelRequest } from '../../jp2/jpip/channel.ts';
import { JPIP } from '../../platform/limits/jpx.ts';
import type { Clock } from '../../platform/ports/timing.ts';
import { hmacSha256Hex, randomHex } from '../../platform/util/bytes.ts';
import { HOUR_MS } from '../../platform/util/durations.ts';
import { Service } from '../../platform/util/service.ts';
import type { ChannelTarget, JpipChannel } from './jpip-channel.ts';

/** Hexadecimal digits of the hour since 1970. */
const HOUR_DIGITS = 6;
const RANDOM_BYTES = 9;
const SIGNED_DIGITS = HOUR_DIGITS + 2 * RANDOM_BYTES;
/** Hexadecimal digits of the signature: an invented id is taken for ours with a probability of 2^-64. */
const SIGNATURE_DIGITS = 16;

/** `secret`: known to all isolates of the service. */
export class ChannelIds extends Service<{ readonly secret: string; readonly clock: Clock }> {
  /** A new id of 40 hexadecimal digits. */
  async next(): Promise<string> {
    const signed = this.#hour().toString(16).padStart(HOUR_DIGITS, '0') + randomHex(RANDOM_BYTES);
    return signed + (await this.#signature(signed));
  }

  async isValid(id: string): Promise<boolean> {
    const signed = id.slice(0, SIGNED_DIGITS);
    if (id !== signed + (await this.#signature(signed))) return false;
    return this.#hour() - Number.parseInt(signed.slice(0, HOUR_DIGITS), 16) <= JPIP.idHours;
  }

  #hour(): number {
    return Math.floor(this.ports.clock() / HOUR_MS);
  }

  async #signature(signed: string): Promise<string> {
    return (await hmacSha256Hex(this.ports.secret, `channel ${signed}`)).slice(0, SIGNATURE_DIGITS);
  }
}

/** The cache models of the JPIP channels, by id. Channels are created on first use and expire when idle. */
export interface JpipChannels {
  /** Plans a response, lost until it is delivered; null for a channel of another target. `cost`: that of its rows in reads of R2. */
  plan(id: string, target: ChannelTarget, request: ChannelRequest): Promise<(ChannelPlan & { readonly cost?: number }) | null>;
  /** Adds a planned response to the cache model, because all of its first `sent` steps was handed over. Returns the cost of its rows. */
  delivered(id: string, response: string, sent: number): Promise<number | undefined>;
  /** False for a channel of another target. */
  close(id: string, targetName: string): Promise<boolean>;
}

/** @param namespace Of class JpipChannel, whose type is not available where bindings are declared */
export function durableChannels(namespace: DurableObjectNamespace): JpipChannels {
  const channel = (id: string) => (namespace as DurableObjectNamespace<JpipChannel>).getByName(id);
  return {
    plan: async (id, ...step) => channel(id).plan(...step),
    delivered: async (id, ...delivery) => channel(id).delivered(...delivery),
    close: async (id, targetName) => channel(id).close(targetName),
  };
}
