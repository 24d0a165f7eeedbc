// Keeps a child process running: starts it again when it has ended or no longer responds, until it is stopped.
import { type ChildProcess, spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { delay, doubled } from '../../platform/util/retry.ts';
import { Service } from '../../platform/util/service.ts';

/** Pause before a restart, doubled each time, because a process that exits at once would be restarted in a tight loop. */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 30_000;
/** A process that ran this long had started successfully. */
const SETTLED_MS = 10_000;
const CHECK_MS = 1_000;

/** Kills a process group some time after this process has ended, longer than an orderly stop, because a hung child leaves its own behind. */
const GUARD = 'read -r _; sleep 2; kill -KILL "-$1"';

/** Exit status of a failure that another start may recover (EX_TEMPFAIL of sysexits.h). */
export const RETRY_STATUS = 75;

export interface SupervisedOptions {
  readonly name: string;
  /** Arguments of Node. The program ends when its IPC channel closes, which is when this process has ended. */
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Address that answers, with any status, while the process works. Unless given, the process sends it in its first message. */
  readonly healthUrl?: string | undefined;
  /** Seconds without a response after which the process is hung; twice as many before its first. */
  readonly hangSeconds: number;
  readonly stopMs: number;
  /** Whether the process has a group of its own, which is killed with it and which Ctrl-C does not reach. */
  readonly leadsGroup?: boolean;
  /** Niceness of the process and of all that it starts. 0 unless given. */
  readonly niceness?: number;
  readonly onMessage?: (message: unknown) => void;
  /** Whether no other start is made after this exit status, null after a signal. Never unless given. */
  readonly isFinal?: (code: number | null) => boolean;
  readonly say: (line: string) => void;
}

export class Supervised extends Service<SupervisedOptions> {
  readonly #stopping = new AbortController();
  #child: ChildProcess | null = null;
  #healthUrl: string | undefined;
  /** Resolves after `stop`, or after a final end, with the exit status. */
  readonly ended: Promise<number> = this.#run();

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#child?.kill('SIGTERM');
    const timer = setTimeout(() => this.#kill(), this.ports.stopMs);
    await this.ended;
    clearTimeout(timer);
  }

  async #run(): Promise<number> {
    const { name, isFinal = () => false, say } = this.ports;
    const { signal } = this.#stopping;
    for (let attempt = 1; ; attempt += 1) {
      const startedAt = performance.now();
      const { code, reason } = await this.#runOnce();
      if (signal.aborted) return code ?? 0;
      if (isFinal(code)) return code ?? 1;
      say(`${name} ended (${reason}); restarting`);
      if (performance.now() - startedAt > SETTLED_MS) attempt = 1;
      await delay(doubled(attempt, FIRST_PAUSE_MS, LONGEST_PAUSE_MS), signal).catch(() => undefined);
      if (signal.aborted) return 0;
    }
  }

  /** @returns the exit status, null after a signal */
  async #runOnce() {
    const { args, env, leadsGroup = false, niceness = 0, onMessage } = this.ports;
    const command = ['--disable-warning=ExperimentalWarning', ...args];
    // Standard output is for the `ready` line alone.
    const child = spawn(process.execPath, command, { env, stdio: ['ignore', 2, 2, 'ipc'], detached: leadsGroup });
    this.#child = child;
    this.#healthUrl = this.ports.healthUrl;
    if (niceness > 0 && child.pid !== undefined) setPriority(child.pid, niceness);
    child.on('message', (message) => {
      if (this.#healthUrl === undefined) this.#healthUrl = String(message);
      else onMessage?.(message);
    });
    const guard = leadsGroup && child.pid !== undefined ? startGuard(child.pid) : null;
    const watch = this.#watch();
    const ended = await new Promise<{ code: number | null; reason: string }>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, reason: signal ?? `status ${code}` }));
      child.on('error', ({ message }) => resolve({ code: 1, reason: message }));
    });
    clearInterval(watch);
    // Processes that outlive their leader would keep its port and its state.
    if (leadsGroup) this.#kill();
    this.#child = null;
    guard?.kill('SIGKILL');
    return ended;
  }

  /** Kills the process when it is hung. Counts checks instead of time, because this process may be stopped or slow as well. */
  #watch(): NodeJS.Timeout {
    const { name, hangSeconds, say } = this.ports;
    // A process that loads its code on a busy machine needs more time before its first response.
    let [silentChecks, limit, isPending] = [0, 2 * hangSeconds, false];
    return setInterval(async () => {
      silentChecks += 1;
      if (silentChecks > limit) {
        say(`${name} has not responded for ${limit} s`);
        this.#kill();
      }
      if (isPending) return;
      isPending = true;
      if (this.#healthUrl !== undefined && (await responds(this.#healthUrl, hangSeconds * CHECK_MS)))
        [silentChecks, limit] = [0, hangSeconds];
      isPending = false;
    }, CHECK_MS);
  }

  #kill(): void {
    const { pid } = this.#child ?? {};
    if (pid === undefined) return;
    try {
      process.kill(this.ports.leadsGroup ? -pid : pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

/** Whether an address answers, with any status. */
async function responds(url: string, timeoutMs: number): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}

function startGuard(group: number): ChildProcess {
  const guard = spawn('/bin/sh', ['-c', GUARD, 'guard', String(group)], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  return guard.on('error', () => undefined);
}
