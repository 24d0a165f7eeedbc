// Runs the commands of the project as a user does, each start in a process group of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

export { freePort } from '../../src/cli/local/local-service.ts';

const root = resolve(import.meta.dirname, '..', '..');
const START_TIMEOUT_MS = 120_000;

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly url: string;
  /** Everything on standard output so far. */
  readonly stdout: () => string;
  /** The launcher's process id, which is the id of its group too. */
  readonly pid: number;
  /** Running processes of its group. */
  processes(): RunningProcess[];
  /** Signals the whole group, as Ctrl-C does. @returns the exit status and the time until the exit */
  interrupt(signal?: NodeJS.Signals): Promise<{ code: number | null; tookMs: number }>;
}

/** `node src/cli/node.mjs <program> <args>`, which is what every npm script is. */
function launch(program: string, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  return spawn(process.execPath, ['src/cli/node.mjs', program, ...args], {
    cwd: root,
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

/** Runs a command until it exits. */
export async function runCommand(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Finished> {
  const child = launch(program, args, env);
  const output = collect(child);
  const code = await new Promise<number | null>((done) => child.once('close', done));
  return { code, ...output };
}

/**
 * Starts the service and waits for its ready line.
 * @throws Error with its output when it exits before
 */
export async function startService(env: NodeJS.ProcessEnv): Promise<Started> {
  const child = launch('src/cli/start.ts', [], env);
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
  return {
    url,
    pid: child.pid!,
    stdout: () => output.stdout,
    processes: () => processesOf(child.pid!),
    async interrupt(signal = 'SIGINT') {
      const began = performance.now();
      if (child.exitCode === null) process.kill(-child.pid!, signal);
      return { code: await ended, tookMs: performance.now() - began };
    },
  };
}

export interface RunningProcess {
  readonly pid: number;
  readonly command: string;
}

/** The running processes of a group. */
export function processesOf(group: number): RunningProcess[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const [state, , processGroup] = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      if (Number(processGroup) !== group || state === 'Z') return [];
      return [{ pid: Number(pid), command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') }];
    } catch {
      return [];
    }
  });
}
