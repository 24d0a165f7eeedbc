// A reporter of vitest that keeps the results, and ends a run that no longer makes progress, which the time limit of a test does not: a
// test may block its process, and vitest may wait without end for a process of workerd whose last message was lost.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule, TestSpecification } from 'vitest/node';
import { projectRoot } from '../../src/cli/command.ts';

/** Exceeds the longest test file several times, also on a busy machine. */
const STALL_MS = 10 * 60_000;
/** From the end of the last test file to the end of vitest: its processes stop within seconds. */
const CLOSE_MS = 20_000;

/** Environment variable with the file of the report. */
export const REPORT_VARIABLE = 'TEST_REPORT';

export interface TestReport {
  readonly files: readonly {
    /** Path from the root of the project. */
    readonly name: string;
    readonly seconds: number;
    /** Whether it could not be loaded, or a hook outside of its tests failed. */
    readonly isBroken: boolean;
    readonly tests: readonly { readonly title: string; readonly state: 'passed' | 'failed' | 'skipped' | 'pending' }[];
  }[];
  /** Errors outside of all tests. */
  readonly unhandledErrors: number;
}

export default class TestReporter implements Reporter {
  readonly #running = new Set<string>();
  readonly #ended: TestModule[] = [];
  #expected = 0;
  #timer: NodeJS.Timeout | undefined;

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#expected = specifications.length;
  }

  onTestModuleStart({ moduleId }: TestModule): void {
    this.#running.add(relative(projectRoot, moduleId));
    this.#expectProgress();
  }

  onTestModuleEnd(module: TestModule): void {
    this.#running.delete(relative(projectRoot, module.moduleId));
    this.#ended.push(module);
    this.#expectProgress();
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    clearTimeout(this.#timer);
    this.#write(modules, unhandledErrors.length);
  }

  #expectProgress(): void {
    clearTimeout(this.#timer);
    const hasAll = this.#ended.length === this.#expected;
    this.#timer = setTimeout(() => (hasAll ? this.#endWithAll() : this.#endStalled()), hasAll ? CLOSE_MS : STALL_MS);
  }

  #endStalled(): never {
    console.error(`No test file has begun or ended for ${STALL_MS / 60_000} minutes. Running: ${[...this.#running].join(', ')}`);
    process.exit(1);
  }

  /** Vitest prints failures when it ends, which it does not here. */
  #endWithAll(): never {
    console.error(`All test files have ended, but not vitest within ${CLOSE_MS / 1000} seconds. It is ended with their results.`);
    for (const module of this.#ended) {
      for (const { message } of module.errors()) console.error(`${module.relativeModuleId}: ${message}`);
      for (const test of module.children.allTests('failed')) {
        for (const { message } of test.result().errors ?? [])
          console.error(`${module.relativeModuleId}: ${test.fullName}: ${message}`);
      }
    }
    this.#write(this.#ended, 0);
    process.exit(this.#ended.every((module) => module.ok()) ? 0 : 1);
  }

  #write(modules: readonly TestModule[], unhandledErrors: number): void {
    const files = modules.map((module) => ({
      name: relative(projectRoot, module.moduleId),
      seconds: module.diagnostic().duration / 1000,
      isBroken: module.errors().length > 0 || (!module.ok() && [...module.children.allTests('failed')].length === 0),
      tests: [...module.children.allTests()].map((test) => ({ title: test.fullName, state: test.result().state })),
    }));
    const report: TestReport = { files, unhandledErrors };
    writeFileSync(process.env[REPORT_VARIABLE]!, JSON.stringify(report));
  }
}
