// Ids of JPIP channels, signed so that an id that a client invents makes no Durable Object.
import { hmacSha256Hex, randomHex } from '../../util/bytes.ts';

const RANDOM_BYTES = 12;
/** Hexadecimal digits of the signature: an invented id is taken for ours with a probability of 2^-64. */
const SIGNATURE_DIGITS = 16;

export class ChannelIds {
  readonly #secret: string;

  /** `secret`: known to all isolates of the service. */
  constructor(secret: string) {
    this.#secret = secret;
  }

  /** A new id of 40 hexadecimal digits. */
  async next(): Promise<string> {
    const random = randomHex(RANDOM_BYTES);
    return random + (await this.#signature(random));
  }

  async isOurs(id: string): Promise<boolean> {
    const random = id.slice(0, 2 * RANDOM_BYTES);
    return id === random + (await this.#signature(random));
  }

  async #signature(random: string): Promise<string> {
    return (await hmacSha256Hex(this.#secret, `channel ${random}`)).slice(0, SIGNATURE_DIGITS);
  }
}
