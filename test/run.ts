// npm test, npm run test:browser and npm run judges: runs the vitest projects together, and sums up.
//
//   npm test -- [node|worker|e2e|browser|judges ...] [vitest arguments, such as the path of a test file]
//
// Without names: every project that needs neither a browser nor packages of others. A line `failed: ...` names each test that failed. The last line is
// `N passed, N failed`, with `, N skipped` where tests were.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildStaleArtefacts } from '../src/cli/build/artefacts.ts';
import { projectRoot } from '../src/cli/command.ts';
import { onInterrupt } from '../src/platform/util/interrupt.ts';
import { REPORT_VARIABLE, type TestReport } from './support/test-report.ts';

const IN_FOLDERS_OF_THEIR_OWN = ['worker', 'e2e', 'browser', 'judges'];
/** Run by scripts of their own. */
const APART = ['browser', 'judges'];
/** Files whose time is printed after a run of whole projects. */
const SLOWEST = 10;
const PROJECTS = ['node', ...IN_FOLDERS_OF_THEIR_OWN];

const args = process.argv.slice(2);
const named = args.filter((arg) => PROJECTS.includes(arg));
const vitestArguments = args.filter((arg) => !PROJECTS.includes(arg) && arg !== '--');
const projects = named.length > 0 ? named : PROJECTS.filter((project) => !APART.includes(project));

const folder = await mkdtemp(join(tmpdir(), 'helioedge-test-'));
let report: TestReport | null = null;
try {
  await buildStaleArtefacts((line) => console.log(line));
  report = await run();
} catch (error) {
  console.error((error as Error).message);
} finally {
  await rm(folder, { recursive: true, force: true });
}
const tests = (report?.files ?? []).flatMap(({ name, tests }) => tests.map((test) => ({ name, ...test })));
const [passed, failures] = [tests.filter(({ state }) => state === 'passed'), tests.filter(({ state }) => state === 'failed')];
const failed = failures.length + failuresOutsideTests();
const skipped = tests.length - passed.length - failures.length;
const files = vitestArguments.length > 0 ? [] : (report?.files ?? []);
for (const { name, seconds } of files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST))
  console.log(`slow: ${seconds.toFixed(1).padStart(6)} s ${name}`);
for (const { name, title } of tests.filter(({ state }) => state === 'skipped')) console.log(`skipped: ${name}: ${title}`);
// Again at the end, where a long log is read first.
for (const { name, title } of failures) console.log(`failed: ${name}: ${title}`);
console.log(`${passed.length} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed > 0 ? 1 : 0;

/** The report of one vitest process over all projects, or null when it ended without one. */
async function run(): Promise<TestReport | null> {
  const file = join(folder, 'report.json');
  const vitest = join(projectRoot, 'node_modules', 'vitest', 'vitest.mjs');
  const selection = projects.flatMap((project) => ['--project', `${project}*`]);
  const reporters = ['default', join(projectRoot, 'test', 'support', 'test-report.ts')].map((name) => `--reporter=${name}`);
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', vitest, 'run', ...selection, ...reporters, ...vitestArguments],
    { cwd: projectRoot, stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, [REPORT_VARIABLE]: file } },
  );
  onInterrupt(() => child.kill('SIGINT'));
  await new Promise((resolve) => child.once('close', resolve));
  return readFile(file, 'utf8').then(
    (text) => JSON.parse(text) as TestReport,
    () => null,
  );
}

function projectOf(name: string): string {
  const folderName = name.split('/')[1] ?? '';
  return IN_FOLDERS_OF_THEIR_OWN.includes(folderName) ? folderName : 'node';
}

/**
 * Failures that no test reports: a crash, a file that does not load, an error outside of tests, or a project that ran no test. With
 * arguments for vitest a project may have no test, but one at least must run.
 */
function failuresOutsideTests(): number {
  if (!report) {
    console.error('vitest ended without a report');
    return 1;
  }
  const { files, unhandledErrors } = report;
  const ran = new Set([...passed, ...failures].map(({ name }) => projectOf(name)));
  const idle = projects.filter((project) => !ran.has(project));
  const missing = vitestArguments.length === 0 ? idle : idle.length === projects.length ? ['any project'] : [];
  for (const project of missing) console.error(`no test ran in ${project}`);
  const broken = files.filter(({ isBroken }) => isBroken);
  for (const { name } of broken) console.log(`failed: ${name} outside of its tests`);
  return missing.length + broken.length + unhandledErrors;
}
