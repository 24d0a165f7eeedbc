import { memoryLimits } from '../../../src/platform/limits/memory.ts';
import { MemoryBudget } from '../../../src/platform/util/memory-budget.ts';

/** A budget with the usual limits. */
export const anyMemory = () => new MemoryBudget(memoryLimits());
