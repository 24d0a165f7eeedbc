// Programs that read or write pictures, started by one small shell for each test process: a fork of Node copies the page tables
// of its heap, which costs ten times as much as such a program needs itself.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The test process waits for a program without its event loop, so that the time limit of a test does not reach it. */
const TIMEOUT_SECONDS = '150';

/** Waits for a line, runs the command in the file `call`, and writes the exit status. Ends with the test process. */
const LOOP = `
exec 3<"$1/calls" 4>"$1/results"
while read -r _ <&3; do
  { . "$1/call"; } <"$1/input" >"$1/stdout" 2>"$1/stderr" 3<&- 4>&-
  echo $? >&4
done
rm -rf "$1"
`;

interface Shell {
  readonly folder: string;
  readonly calls: number;
  readonly results: number;
}

let shell: Shell | undefined;

function startShell(): Shell {
  const folder = mkdtempSync(join(tmpdir(), 'helioedge-programs-'));
  const { status } = spawnSync('mkfifo', [join(folder, 'calls'), join(folder, 'results')]);
  if (status !== 0) throw new Error('mkfifo has not made the named pipes of the shell.');
  // Without the streams of this process, which would stay open for their reader if the shell did.
  spawn('sh', ['-c', LOOP, 'sh', folder], { stdio: 'ignore', detached: true }).unref();
  return { folder, calls: openSync(join(folder, 'calls'), 'w'), results: openSync(join(folder, 'results'), 'r') };
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Runs a program to its end. Status 127 when it is not installed, 124 when it took longer than TIMEOUT_SECONDS. */
export function runProgram(program: string, args: readonly string[], input: Uint8Array | string = '') {
  shell ??= startShell();
  const { folder, calls, results } = shell;
  writeFileSync(join(folder, 'input'), input);
  writeFileSync(join(folder, 'call'), ['timeout', TIMEOUT_SECONDS, program, ...args].map(quoted).join(' '));
  writeSync(calls, '\n');
  const answer = Buffer.alloc(8);
  const length = readSync(results, answer);
  if (length === 0) throw new Error(`The shell ended before ${program} did.`);
  return {
    status: Number(answer.toString('latin1', 0, length)),
    stdout: readFileSync(join(folder, 'stdout')),
    stderr: readFileSync(join(folder, 'stderr'), 'utf8'),
  };
}

/** Debian's Python, which has the packages of Debian. */
export const PYTHON = '/usr/bin/python3';

/** What a test needs, or may do without. @throws Error where the tests must have all, as in CI, which sets `PROGRAMS=required` */
export function needed(isThere: boolean, what: string): boolean {
  if (!isThere && process.env.PROGRAMS === 'required') throw new Error(`${what} is missing, and PROGRAMS is "required".`);
  return isThere;
}

export const isInstalled = (program: string): boolean =>
  needed(runProgram('sh', ['-c', 'command -v "$0"', program]).status === 0, program);

/** Whether Debian's Python has modules, which it does not load. */
export function hasModules(...names: string[]): boolean {
  const search = `import sys; from importlib.util import find_spec; sys.exit(not all(map(find_spec, sys.argv[1:])))`;
  return needed(runProgram(PYTHON, ['-c', search, ...names]).status === 0, `${PYTHON} with ${names.join(', ')}`);
}

/**
 * Standard output of a program, as bytes.
 * @throws Error when it fails, with its output
 */
export function outputOf(program: string, args: readonly string[], input?: Uint8Array | string): Buffer {
  const { status, stdout, stderr } = runProgram(program, args, input);
  if (status !== 0)
    throw new Error(`${[program, ...args].join(' ')} failed with ${status}: ${stdout.subarray(0, 2000)}${stderr}`);
  return stdout;
}
