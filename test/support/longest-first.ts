// The order of test files. Vitest takes projects by name and files by size; the last ones then keep one core alone.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Projects whose files take long, or start a runtime, before that of many short files, whose end keeps all cores busy. They often wait, so
 * that a file of world runs beside each, which never does. The files of a project follow each other, because they share processes.
 */
const ORDER = [/more-histories/, /^e2e/, /histories/, /^worker/, /^node-world/, /^node-replacing/, /./];

const place = ({ project, moduleId }: TestSpecification) =>
  ORDER.findIndex((kind) => kind.test(`${project.name} ${moduleId.split('/test/').at(-1)}`));

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}
