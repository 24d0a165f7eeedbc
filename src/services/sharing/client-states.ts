// Views of the web client, stored by the hash of their content: the same view has one link.
import { CLIENT_STATES } from '../../config/limits/sharing.ts';
import { Failure } from '../../domain/errors.ts';
import { canonicalJson } from '../../domain/sharing/client-state.ts';
import type { ImmutableObjects, ObjectStore } from '../../ports/objects.ts';
import type { ClientStateRegister } from '../../ports/sharing.ts';
import type { Clock } from '../../ports/timing.ts';
import { clientStateKey } from '../../storage/keys.ts';
import { sha256Hex } from '../../util/digest.ts';
import { DAY_MS } from '../../util/durations.ts';
import { RateLimiter } from '../../util/rate-limiter.ts';

interface ClientStatePorts {
  readonly register: ClientStateRegister;
  readonly objects: Pick<ObjectStore, 'head' | 'readAll' | 'delete'> & Pick<ImmutableObjects, 'create'>;
  readonly clock: Clock;
}

const KEY = /^[0-9a-f]{64}$/;
const JSON_TYPE = 'application/json; charset=utf-8';
const RETRY_AFTER_SECONDS = 60;
/** Of a service that stores no more new views in this day. */
const FULL_RETRY_SECONDS = 3600;

/** Deletes views that have not been used for long, the objects first; returns their number. */
export async function sweepClientStates({ register, objects, clock }: ClientStatePorts): Promise<number> {
  const unusedSinceMs = clock() - CLIENT_STATES.unusedMs;
  const keys = await register.unused(unusedSinceMs);
  await Promise.all(keys.map((key) => objects.delete(clientStateKey(key))));
  if (keys.length > 0) await register.delete(keys, unusedSinceMs);
  return keys.length;
}

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
    const { stateBytes, depth, newBytesPerDay: maxBytes, rowBytes } = this.#limits;
    const bytes = new TextEncoder().encode(canonicalJson(state, depth));
    if (bytes.byteLength > stateBytes) {
      throw new Failure('body-too-large', `Expected at most ${stateBytes} bytes for the shared view, got ${bytes.byteLength}.`);
    }
    const { register, objects, clock } = this.#ports;
    const key = await sha256Hex(bytes);
    const view = { bytes: bytes.byteLength + rowBytes, sinceMs: clock() - DAY_MS, maxBytes };
    if (await objects.head(clientStateKey(key))) {
      await register.register(key, clock(), view);
      return key;
    }
    if (!this.#rateLimiter.take(bytes.byteLength)) {
      const sentence = 'Too many views are being shared. Try again in a minute.';
      throw new Failure('rate-limited', sentence, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    if (!(await register.register(key, clock(), view))) {
      const sentence = 'This service cannot store any more new shared views today. Try again later.';
      throw new Failure('states-full', sentence, { retryAfterSeconds: FULL_RETRY_SECONDS });
    }
    await objects.create(clientStateKey(key), bytes, JSON_TYPE);
    return key;
  }

  /** The canonical JSON of a view; null for an unknown key. */
  async find(key: string): Promise<string | null> {
    const { objects, register, clock } = this.#ports;
    const bytes = KEY.test(key) ? await objects.readAll(clientStateKey(key)) : null;
    if (!bytes) return null;
    await register.use(key, clock());
    return new TextDecoder().decode(bytes);
  }
}
