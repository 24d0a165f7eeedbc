// The budget of a client for records of JPX files: each range of times makes one, which stays for a year.
import { JPX_RECORDS } from '../../config/limits/jpx.ts';
import { Failure } from '../../domain/errors.ts';
import type { JpxCharges } from '../../ports/jpx.ts';
import type { Clock } from '../../ports/timing.ts';
import { clientHashes } from '../client-hashes.ts';

interface Ports {
  readonly charges: JpxCharges;
  readonly clock: Clock;
  /** Key of the hashes under which clients are stored, known to the service alone. */
  readonly clientSecret: string;
}

export class JpxBudget {
  readonly #ports: Ports;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** @throws Failure `rate-limited` when the budget of the client is used up */
  async charge(client: string, bytes: number): Promise<void> {
    const { charges, clock, clientSecret } = this.#ports;
    const atMs = clock();
    const sinceMs = atMs - JPX_RECORDS.periodMs;
    const clients = await clientHashes(client, clientSecret, [atMs, sinceMs]);
    if (await charges.charge({ clients, atMs, bytes }, { sinceMs, bytes: JPX_RECORDS.clientBytes })) return;
    const frames = Math.round(JPX_RECORDS.clientBytes / JPX_RECORDS.frameBytes / 1000) * 1000;
    const sentence = `An address can make new JPX files of about ${frames} frames in an hour. Try again later.`;
    throw new Failure('rate-limited', sentence, { retryAfterSeconds: JPX_RECORDS.retryAfterSeconds });
  }
}
