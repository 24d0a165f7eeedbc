// Ids of JPIP channels, signed with the hour of their issue: neither an invented id nor one of long ago makes a Durable Object.
import { JPIP } from '../../platform/limits/jpx.ts';
import type { Clock } from '../../platform/ports/timing.ts';
import { hmacSha256Hex, randomHex } from '../../platform/util/bytes.ts';
import { HOUR_MS } from '../../platform/util/durations.ts';

/** Hexadecimal digits of the hour since 1970. */
const HOUR_DIGITS = 6;
const RANDOM_BYTES = 9;
const SIGNED_DIGITS = HOUR_DIGITS + 2 * RANDOM_BYTES;
/** Hexadecimal digits of the signature: an invented id is taken for ours with a probability of 2^-64. */
const SIGNATURE_DIGITS = 16;

export class ChannelIds {
  readonly #secret: string;
  readonly #clock: Clock;

  /** `secret`: known to all isolates of the service. */
  constructor(secret: string, clock: Clock) {
    this.#secret = secret;
    this.#clock = clock;
  }

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
    return Math.floor(this.#clock() / HOUR_MS);
  }

  async #signature(signed: string): Promise<string> {
    return (await hmacSha256Hex(this.#secret, `channel ${signed}`)).slice(0, SIGNATURE_DIGITS);
  }
}
