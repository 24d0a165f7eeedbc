// Budgets of what visitors store, which keep one client from filling a database, or from using up what all share.
import { isoDay } from '../../sun/time.ts';
import { BUDGET_RETRY_SECONDS, BUDGETS, type Budget, type BudgetName } from '../limits/admission.ts';
import type { Clock } from '../ports/timing.ts';
import { hmacSha256Hex } from '../util/bytes.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../util/durations.ts';
import { Failure } from '../util/errors.ts';
import { ipv6Network } from '../util/networks.ts';
import { Service } from '../util/service.ts';
import type { D1Charges } from './d1-charges.ts';
import { refusals } from './rate-limit.ts';

/** Deletes some of what has not been used for long when the budget of all is used up. @returns how much, in the unit of its budget */
export type MakeRoom = () => Promise<number>;

interface Expense {
  readonly budget: BudgetName;
  /** Network address. */
  readonly client: string;
  /** In the unit of the budget. */
  readonly amount: number;
  readonly makeRoom?: MakeRoom | undefined;
}

export class Budgets extends Service<{
  readonly charges: D1Charges;
  readonly clock: Clock;
  /** Key of the hashes under which clients are stored, known to the service alone. */
  readonly secret: string;
  /** BUDGETS unless given. */
  readonly budgets?: Readonly<Record<BudgetName, Budget>>;
}> {
  readonly #budgets = this.ports.budgets ?? BUDGETS;
  /** Refused clients, whose repeated requests cost no query. */
  readonly #refusals = refusals(this.ports.clock);

  /** Charges an expense. @returns the budget that does not have it: that of the client, or that of all clients together */
  async charge({ budget, client, amount, makeRoom }: Expense): Promise<'charged' | 'client' | 'all'> {
    const { charges, clock, secret } = this.ports;
    const nowMs = clock();
    const hour = Math.floor(nowMs / HOUR_MS);
    const refusable = refusableAs({ budget, client });
    if (this.#refusals.secondsLeft(refusable, amount) !== null) return 'client';
    const clients = await clientHashes(client, secret, [nowMs, nowMs - DAY_MS]);
    const charge = { budget, clients, hour, amount };
    const outcome = await charges.charge(charge, this.#budgets[budget]);
    if (outcome === 'client') {
      const restOfHourSeconds = Math.ceil(((hour + 1) * HOUR_MS - nowMs) / SECOND_MS);
      this.#refusals.add(refusable, Math.min(BUDGET_RETRY_SECONDS, restOfHourSeconds), amount);
    }
    if (outcome !== 'all' || !makeRoom) return outcome;
    const deleted = await makeRoom();
    if (deleted === 0) return outcome;
    await charges.refund({ budget, hour, amount: deleted });
    return charges.charge(charge, this.#budgets[budget]);
  }

  /** Charges an expense. @throws Failure `rate-limited` for the budget of the client, `storage-full` for that of all clients */
  async spend(expense: Expense): Promise<void> {
    const outcome = await this.charge(expense);
    if (outcome === 'charged') return;
    const { subject } = this.#budgets[expense.budget];
    if (outcome === 'client') {
      const sentence = `This address has used up its hourly or daily budget of ${subject}. Try again later.`;
      const retryAfterSeconds = this.#refusals.secondsLeft(refusableAs(expense), expense.amount) ?? BUDGET_RETRY_SECONDS;
      throw new Failure('rate-limited', sentence, { retryAfterSeconds });
    }
    throw new Failure('storage-full', `This service has used up its daily budget of ${subject}. Try again later.`, {
      retryAfterSeconds: BUDGET_RETRY_SECONDS,
    });
  }
}

/** Key of the refusals of a client that has used up a budget. */
const refusableAs = ({ budget, client }: Pick<Expense, 'budget' | 'client'>) => `${budget} ${networkOf(client)}`;

/** The client of an address in limits that last longer than a minute: an IPv4 address, or the /48 of an IPv6 address. */
const networkOf = (address: string): string => (address.includes(':') ? ipv6Network(address, 3) : address);

/** Hashes of the network of a client on the UTC days of `timesMs`, each once. They change every day, so that clients cannot be tracked. */
export async function clientHashes(address: string, secret: string, timesMs: readonly number[]): Promise<string[]> {
  const days = new Set(timesMs.map(isoDay));
  return Promise.all([...days].map((day) => hmacSha256Hex(secret, `${day} ${networkOf(address)}`)));
}
