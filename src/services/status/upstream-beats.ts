// Heartbeats of upstreams that the service asks when clients need them: the video host, the blog of the news, the shortener.
import { STATUS } from '../../config/limits/status.ts';
import type { Clock, Log } from '../../ports/timing.ts';
import type { D1StatusRegister } from '../../storage/status/d1-status-register.ts';
import { traceOf } from '../../util/causes.ts';

interface Ports {
  readonly register: Pick<D1StatusRegister, 'beat'>;
  readonly clock: Clock;
  readonly log: Log;
}

const NO_RESPONSE = 'The upstream did not respond as expected.';

/** Notes every failure, and a success each `STATUS.beatMs` or after a failure, because an upload alone makes hundreds of requests. */
export class UpstreamBeats {
  readonly #ports: Ports;
  /** Times of the last noted successes. */
  readonly #noted = new Map<string, number>();

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /**
   * Runs a request to an upstream and notes whether it succeeded.
   * @param isGood whether a result counts as a success; unset: always
   * @throws the failure of the request
   */
  async watch<T>(name: string, request: () => Promise<T>, isGood: (result: T) => boolean = () => true): Promise<T> {
    try {
      const result = await request();
      await this.#note(name, isGood(result));
      return result;
    } catch (error) {
      await this.#note(name, false);
      throw error;
    }
  }

  async #note(name: string, isGood: boolean): Promise<void> {
    const { register, clock, log } = this.#ports;
    const nowMs = clock();
    if (isGood && nowMs - (this.#noted.get(name) ?? Number.NEGATIVE_INFINITY) < STATUS.beatMs) return;
    if (isGood) this.#noted.set(name, nowMs);
    else this.#noted.delete(name);
    // A status that cannot be noted does not fail the request.
    await register
      .beat(name, isGood ? null : NO_RESPONSE)
      .catch((error: unknown) => log({ heartbeat: name, failed: traceOf(error) }));
  }
}
