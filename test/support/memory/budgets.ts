import { Budgets } from '../../../src/platform/admission/budgets.ts';
import { BUDGETS, type Budget, type BudgetName } from '../../../src/platform/limits/admission.ts';
import type { Databases } from '../../../src/platform/storage/databases.ts';

export type BudgetLimits = Partial<Record<BudgetName, Budget>>;

interface Choices {
  readonly clock?: () => number;
  /** In place of some of the usual limits. */
  readonly limits?: BudgetLimits;
}

/** Budgets that a test with hundreds of requests does not use up. */
export function ampleBudgetsIn(databases: Pick<Databases, 'main'>): Budgets {
  const ample = Object.entries(BUDGETS).map(([name, { subject }]) => [
    name,
    { clientHour: 1e15, clientDay: 1e15, allDay: 1e15, subject },
  ]);
  return budgetsIn(databases, { clock: Date.now, limits: Object.fromEntries(ample) });
}

/** Budgets over the visitors' database. */
export function budgetsIn({ main }: Pick<Databases, 'main'>, { clock = () => 0, limits = {} }: Choices = {}): Budgets {
  return new Budgets({ databases: { main }, clock, secret: 'a-secret-of-tests', budgets: { ...BUDGETS, ...limits } });
}
