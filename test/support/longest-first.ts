// The order of test files. Vitest takes projects by name and files by size; the last ones then keep one core alone.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Projects whose files take long, or start a runtime, before that of many short files, whose end keeps all cores busy. */
const ORDER = ['e2e', 'worker', 'node-world', 'node-replacing', 'node'];

const place = ({ project }: TestSpecification) => ORDER.indexOf(project.name);

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}
