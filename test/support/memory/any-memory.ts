import { memoryLimits } from '../../../src/config/limits/memory.ts';
import { MemoryBudget } from '../../../src/util/memory-budget.ts';

/** A budget with the usual limits. */
export const anyMemory = () => new MemoryBudget(memoryLimits());
