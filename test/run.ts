// npm test and npm run test:browser: builds what is stale in build/, runs the vitest projects and sums up.
//
//   npm test -- [node|worker|e2e|browser ...] [vitest arguments, such as the path of a test file]
//
// Without names: every project that needs no browser. The last line is `N passed, N failed`, with `, N skipped` when there are.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildStaleArtefacts } from '../src/cli/build/artefacts.ts';
import { onInterrupt } from '../src/cli/interrupt.ts';
import { projectRoot } from '../src/cli/settings.ts';

const PROJECTS = ['node', 'worker', 'e2e', 'browser'];
const WITHOUT_BROWSER = PROJECTS.filter((project) => project !== 'browser');

/** What is read of vitest's JSON report. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly numFailedTestSuites: number;
  readonly success: boolean;
}

interface Sum {
  passed: number;
  failed: number;
  skipped: number;
}

const args = process.argv.slice(2);
const named = args.filter((arg) => PROJECTS.includes(arg));
const passedOn = args.filter((arg) => !PROJECTS.includes(arg) && arg !== '--');
const projects = named.length > 0 ? named : WITHOUT_BROWSER;

const folder = await mkdtemp(join(tmpdir(), 'helioedge-test-'));
const sum: Sum = { passed: 0, failed: 0, skipped: 0 };
try {
  await buildStaleArtefacts((line) => console.log(line));
  for (const project of projects) add(sum, project, await runProject(project));
} catch (error) {
  console.error((error as Error).message);
  sum.failed += 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
if (sum.passed + sum.failed === 0) {
  console.error('no test ran');
  sum.failed = 1;
}
console.log(`${sum.passed} passed, ${sum.failed} failed${sum.skipped > 0 ? `, ${sum.skipped} skipped` : ''}`);
process.exitCode = sum.failed > 0 ? 1 : 0;

/** The report of one project, or null when vitest ended without one. */
async function runProject(project: string): Promise<Report | null> {
  const file = join(folder, `${project}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const vitest = join(projectRoot, 'node_modules', 'vitest', 'vitest.mjs');
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', vitest, 'run', '--project', project, ...reporters, ...passedOn],
    { cwd: projectRoot, stdio: ['ignore', 'inherit', 'inherit'] },
  );
  onInterrupt(() => child.kill('SIGINT'));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const report = await readFile(file, 'utf8').then(
    (text) => JSON.parse(text) as Report,
    () => null,
  );
  return report && { ...report, success: report.success && code === 0 };
}

/**
 * A project that crashed, ran no test or failed outside of its tests counts as one failure. Where vitest got arguments, they
 * may well leave a project without tests.
 */
function add(total: Sum, project: string, report: Report | null): void {
  const ran = report ? report.numPassedTests + report.numFailedTests : 0;
  const leftOut = report !== null && ran === 0 && report.numFailedTestSuites === 0 && passedOn.length > 0;
  const failed = report?.numFailedTests ?? 0;
  const failedOtherwise = failed === 0 && !leftOut && (ran === 0 || !report?.success);
  if (failedOtherwise) console.error(`${project}: ${ran === 0 ? 'no test ran' : 'failed outside of its tests'}`);
  total.passed += report?.numPassedTests ?? 0;
  total.failed += failed + (failedOtherwise ? 1 : 0);
  total.skipped += (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0);
}
