// Runs the commands of the project as a user does, each start in a process group of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

export { freePort } from '../../src/cli/local/ports.ts';

const root = resolve(import.meta.dirname, '..', '..');
const START_TIMEOUT_MS = 120_000;
const COMMAND_TIMEOUT_MS = 170_000;
/** Environment variable that marks all processes of one launch. They are not in one group, and lose their parents. */
const LAUNCH_VARIABLE = 'TEST_LAUNCH';
/**
 * Environment of a service whose test looks at no events: nothing listens at the address. Otherwise each start makes a day of the
 * sample Sun's events for the event counts, which takes half of its processor time.
 */
export const WITHOUT_EVENTS = { EVENTS_UPSTREAM: 'http://127.0.0.1:9' } as const;

/** Interval of the timer that measures how late processes run on a busy machine. */
const LATENESS_STEP_MS = 20;

export type Started = Awaited<ReturnType<typeof startService>>;

/** Measures how late the timers of this process are. @returns a function that ends the measurement and returns the sum in milliseconds */
function measureLateness(): () => number {
  let [lateMs, lastAt] = [0, performance.now()];
  const count = () => {
    const now = performance.now();
    lateMs += Math.max(0, now - lastAt - LATENESS_STEP_MS);
    lastAt = now;
  };
  const timer = setInterval(count, LATENESS_STEP_MS);
  return () => {
    count();
    clearInterval(timer);
    return lateMs;
  };
}

/** `sh src/cli/node.sh <program> <args>`, which is what every npm script is, behind a command that runs another one, such as unshare. */
function launch(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  behind: readonly string[] = [],
  folder = root,
): ChildProcess {
  const [command, ...rest] = [...behind, 'sh', 'src/cli/node.sh', program, ...args];
  return spawn(command!, rest, {
    cwd: folder,
    env: { ...process.env, HELIOEDGE_URL: '', ADMIN_TOKEN: '', SAMPLE: 'none', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: '', stderr: '' };
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  return output;
}

/** Runs a command until it exits and its output ends, or is killed with its group after COMMAND_TIMEOUT_MS: code null. */
export async function runCommand(program: string, args: readonly string[], env: NodeJS.ProcessEnv, behind?: readonly string[]) {
  const child = launch(program, args, env, behind);
  const output = collect(child);
  const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), COMMAND_TIMEOUT_MS);
  const code = await new Promise<number | null>((done) => child.once('close', done));
  clearTimeout(timer);
  return { code, ...output };
}

let runsHere = 0;

/** Runs a command that handles no signals in this process: what it prints and its status, without the start of a Node. */
export async function runHere(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const output = { stdout: '', stderr: '' };
  const own = { argv: process.argv, env: process.env, exitCode: process.exitCode };
  const { log, error } = console;
  const printTo = (stream: keyof typeof output) => (text: unknown) => {
    output[stream] += `${text}\n`;
  };
  Object.assign(console, { log: printTo('stdout'), error: printTo('stderr') });
  Object.assign(process, { argv: [...own.argv.slice(0, 2), ...args], env: { ...own.env, ...env }, exitCode: 0 });
  try {
    // A module that has not been loaded yet, because a command runs as it is loaded.
    await import(`${resolve(root, program)}?run=${++runsHere}`);
    return { code: Number(process.exitCode), ...output };
  } finally {
    Object.assign(console, { log, error });
    Object.assign(process, own);
  }
}

/**
 * Starts the service, of another version where its `folder` is given, and waits for its ready line.
 * @throws Error with its output when it exits before
 */
export async function startService(env: NodeJS.ProcessEnv, folder = root) {
  const mark = randomUUID();
  const child = launch('src/cli/start.ts', [], { ...env, [LAUNCH_VARIABLE]: mark }, [], folder);
  const output = collect(child);
  const ended = new Promise<number | null>((done) => child.once('close', done));
  const url = await new Promise<string>((ready, failed) => {
    const timer = setTimeout(() => failed(new Error(`not ready in time: ${output.stderr}`)), START_TIMEOUT_MS);
    child.stdout!.on('data', () => {
      const line = /^ready (\S+)$/m.exec(output.stdout);
      if (line) ready(line[1]!);
    });
    void ended.then((code) => failed(new Error(`ended with ${code}: ${output.stderr}`))).finally(() => clearTimeout(timer));
  });
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return {
    url,
    /** Id of the supervisor's process, and of its group. */
    pid: child.pid!,
    /** Everything on standard output so far. */
    stdout: () => output.stdout,
    /** Whether the supervisor runs. */
    isRunning,
    /** Running processes of this launch, the supervisor among them. */
    processes: () => processesOf(mark),
    /** Signals the supervisor's group, as Ctrl-C does: its exit status, and the time until the exit, less that by which this process ran late. */
    async interrupt(signal: NodeJS.Signals = 'SIGINT') {
      const began = performance.now();
      const lateness = measureLateness();
      if (isRunning()) process.kill(-child.pid!, signal);
      const code = await ended;
      const tookMs = performance.now() - began;
      return { code, tookMs: tookMs - lateness() };
    },
  };
}

/** Whether a process runs; one that has ended may wait for its parent as a zombie. */
export function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** The running processes of a launch. */
function processesOf(mark: string) {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      // A process that has ended has no environment any more.
      if (!readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`${LAUNCH_VARIABLE}=${mark}`)) return [];
      return [{ pid: Number(pid), command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') }];
    } catch {
      return [];
    }
  });
}
