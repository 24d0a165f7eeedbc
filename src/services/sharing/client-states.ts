// Views of the web client, stored by the hash of their content: the same view has one link.
import { CLIENT_STATES } from '../../config/limits/sharing.ts';
import { Failure } from '../../domain/errors.ts';
import { canonicalJson } from '../../domain/sharing/client-state.ts';
import type { ImmutableObjects, ObjectStore } from '../../ports/objects.ts';
import type { ClientStateRegister } from '../../ports/sharing.ts';
import type { Clock } from '../../ports/timing.ts';
import { clientStateKey } from '../../storage/keys.ts';
import { sha256Hex } from '../../util/digest.ts';
import { RateLimiter } from '../../util/rate-limiter.ts';

interface ClientStatePorts {
  readonly register: ClientStateRegister;
  readonly objects: Pick<ObjectStore, 'head' | 'readAll'> & Pick<ImmutableObjects, 'create'>;
  readonly clock: Clock;
}

const KEY = /^[0-9a-f]{64}$/;
const JSON_TYPE = 'application/json; charset=utf-8';
const RETRY_AFTER_SECONDS = 60;

export class ClientStates {
  readonly #ports: ClientStatePorts;
  readonly #limits: { readonly [K in keyof typeof CLIENT_STATES]: number };
  readonly #rateLimiter: RateLimiter;

  constructor(ports: ClientStatePorts, limits: { readonly [K in keyof typeof CLIENT_STATES]: number } = CLIENT_STATES) {
    this.#ports = ports;
    this.#limits = limits;
    this.#rateLimiter = new RateLimiter(limits.newBytesPerMinute, ports.clock);
  }

  /**
   * Stores a view; returns its key, 64 hexadecimal digits.
   * @throws Failure `body-too-large`, `bad-parameter` for a view nested too deeply, `rate-limited`, `states-full`
   */
  async save(state: object): Promise<string> {
    const { stateBytes, depth, count } = this.#limits;
    const bytes = new TextEncoder().encode(canonicalJson(state, depth));
    if (bytes.byteLength > stateBytes) {
      throw new Failure('body-too-large', `Expected at most ${stateBytes} bytes for the shared view, got ${bytes.byteLength}.`);
    }
    const { register, objects, clock } = this.#ports;
    const key = await sha256Hex(bytes);
    if (await objects.head(clientStateKey(key))) return key;
    if (!this.#rateLimiter.take(bytes.byteLength)) {
      const sentence = 'Too many views are being shared. Try again in a minute.';
      throw new Failure('rate-limited', sentence, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    if (!(await register.register(key, clock(), count))) {
      throw new Failure('states-full', 'This service cannot store any more shared views.');
    }
    await objects.create(clientStateKey(key), bytes, JSON_TYPE);
    return key;
  }

  /** The canonical JSON of a view; null for an unknown key. */
  async find(key: string): Promise<string | null> {
    const bytes = KEY.test(key) ? await this.#ports.objects.readAll(clientStateKey(key)) : null;
    return bytes && new TextDecoder().decode(bytes);
  }
}
