// Seeds of the faults: those of FAULT_SEEDS, such as 7 or 1-50, else one.
import type { TestProject } from 'vitest/node';

const USUAL = [1];

declare module 'vitest' {
  interface ProvidedContext {
    faultSeeds: readonly number[];
  }
}

export default function provideFaultSeeds(project: TestProject): void {
  const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(process.env.FAULT_SEEDS ?? '') ?? [];
  const seeds = from === undefined ? USUAL : Array.from({ length: Number(to) - Number(from) + 1 }, (_, i) => Number(from) + i);
  project.provide('faultSeeds', seeds);
}
