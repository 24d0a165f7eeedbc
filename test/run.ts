// npm test and npm run test:browser: runs the vitest projects together, and sums up.
//
//   npm test -- [node|worker|e2e|browser ...] [vitest arguments, such as the path of a test file]
//
// Without names: every project that needs no browser. A line `failed: ...` names each test that failed. The last line is
// `N passed, N failed`, with `, N skipped` where tests were.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { projectRoot } from '../src/cli/settings.ts';
import { onInterrupt } from '../src/util/interrupt.ts';

const IN_FOLDERS_OF_THEIR_OWN = ['worker', 'e2e', 'browser'];
const PROJECTS = ['node', ...IN_FOLDERS_OF_THEIR_OWN];

/** The fields of vitest's JSON report that are used. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly success: boolean;
  /** One entry a file. */
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

const args = process.argv.slice(2);
const named = args.filter((arg) => PROJECTS.includes(arg));
const vitestArguments = args.filter((arg) => !PROJECTS.includes(arg) && arg !== '--');
const projects = named.length > 0 ? named : PROJECTS.filter((project) => project !== 'browser');

const folder = await mkdtemp(join(tmpdir(), 'helioedge-test-'));
let report: Report | null = null;
try {
  report = await run();
} catch (error) {
  console.error((error as Error).message);
} finally {
  await rm(folder, { recursive: true, force: true });
}
const { numPassedTests: passed = 0, numPendingTests = 0, numTodoTests = 0 } = report ?? {};
const failed = (report?.numFailedTests ?? 0) + failuresOutsideTests();
const skipped = numPendingTests + numTodoTests;
// Again at the end, where a long log is read first.
for (const { name, assertionResults } of report?.testResults ?? []) {
  for (const { status, fullName } of assertionResults) {
    if (status === 'failed') console.log(`failed: ${relative(projectRoot, name)}: ${fullName}`);
  }
}
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed > 0 ? 1 : 0;

/** The report of one vitest process over all projects, or null when it ended without one. */
async function run(): Promise<Report | null> {
  const file = join(folder, 'report.json');
  const vitest = join(projectRoot, 'node_modules', 'vitest', 'vitest.mjs');
  const selection = projects.flatMap((project) => ['--project', project]);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', vitest, 'run', ...selection, ...reporters, ...vitestArguments],
    { cwd: projectRoot, stdio: ['ignore', 'inherit', 'inherit'] },
  );
  onInterrupt(() => child.kill('SIGINT'));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const parsed = await readFile(file, 'utf8').then(
    (text) => JSON.parse(text) as Report,
    () => null,
  );
  return parsed && { ...parsed, success: parsed.success && code === 0 };
}

function projectOf(path: string): string {
  const folderName = relative(projectRoot, path).split('/')[1] ?? '';
  return IN_FOLDERS_OF_THEIR_OWN.includes(folderName) ? folderName : 'node';
}

/** Whether a test of the project passed or failed. */
function hasRun({ testResults }: Report, project: string): boolean {
  return testResults.some(
    ({ name, assertionResults }) =>
      projectOf(name) === project && assertionResults.some(({ status }) => status === 'passed' || status === 'failed'),
  );
}

/**
 * Failures that no test reports: a crash, a file that does not load, or a project that ran no test. With arguments for vitest a
 * project may have no test, but one at least must run.
 */
function failuresOutsideTests(): number {
  if (!report) {
    console.error('vitest ended without a report');
    return 1;
  }
  const ran = report;
  const idle = projects.filter((project) => !hasRun(ran, project));
  const missing = vitestArguments.length === 0 ? idle : idle.length === projects.length ? ['any project'] : [];
  for (const project of missing) console.error(`no test ran in ${project}`);
  const failedElsewhere = missing.length === 0 && !ran.success && ran.numFailedTests === 0;
  if (failedElsewhere) console.error('vitest failed outside of its tests');
  return missing.length + (failedElsewhere ? 1 : 0);
}
