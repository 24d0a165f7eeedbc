// Keeps a service process running: restarts it when it has ended or is stuck, and kills the processes that it leaves.
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { killGroup } from './processes.ts';
import { PATIENCE, type Patience, Silence } from './silence.ts';

/** Times in milliseconds. */
export interface Pace {
  /** Interval of the checks. */
  readonly checkMs: number;
  /** Limits of the time without a sign of life. */
  readonly patience: Patience;
  /** Pause before a restart, doubled each time up to the longest, because a service that ends at once would restart in a loop. */
  readonly pauseMs: number;
  readonly longestPauseMs: number;
  /** Time for an orderly stop. It exceeds the service's own limit, and leaves room within the two seconds that a stop may take. */
  readonly stopMs: number;
}

export const PACE: Pace = {
  checkMs: 1_000,
  patience: PATIENCE,
  pauseMs: 200,
  longestPauseMs: 30_000,
  stopMs: 1_500,
};

/** A service that was ready for this long has started successfully. */
const SETTLED_MS = 10_000;

/** Starts that may fail before the first success, not counting those that were killed. */
const MOST_FAILURES = 5;

/** Interval of the signs of life of a service process, in milliseconds. */
export const ALIVE_INTERVAL_MS = 1_000;

/**
 * The messages of a service process over its IPC channel: a sign of life; that a failure from here on is not one of its settings or builds; the
 * address at which it responds.
 */
export type ServiceMessage = { readonly is: 'alive' } | { readonly is: 'begun' } | { readonly is: 'ready'; readonly url: string };

/**
 * Kills a process group some time after its standard input has ended, which is when the supervisor has ended: a service that was killed with
 * it would leave a runtime that keeps port and state. The time exceeds that of an orderly stop.
 */
const GUARD = 'read -r _; sleep 2; kill -KILL "-$1"';

export interface SupervisorOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** Called with the address at each start that succeeds. */
  readonly onReady: (url: string, isRestart: boolean) => void;
  readonly say: (line: string) => void;
  readonly pace?: Pace;
}

/** One run of a service process. */
interface Run {
  /** Exit status; null after a signal. */
  readonly code: number | null;
  readonly hasBegun: boolean;
  /** Time for which it was ready, in milliseconds. */
  readonly readyMs: number;
}

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #pace: Pace;
  #child: ChildProcess | null = null;
  #killTimer: NodeJS.Timeout | undefined;
  #isStopping = false;
  /** Whether a service has been ready. */
  #wasReady = false;

  /** @param isRestart whether an earlier supervisor had a service that was ready */
  constructor(options: SupervisorOptions, isRestart = false) {
    this.#options = options;
    this.#pace = options.pace ?? PACE;
    this.#wasReady = isRestart;
  }

  /** Runs the service until it is stopped. @returns its exit status: that of a start which failed, else 0 */
  async run(): Promise<number> {
    let pauseMs = this.#pace.pauseMs;
    let failures = 0;
    for (;;) {
      const { code, hasBegun, readyMs } = await this.#runOnce();
      if (this.#isStopping) return code ?? 0;
      // A first start that ends by itself before it has begun has said why; another one would say the same.
      const isFinal = code !== null && !hasBegun;
      if (code !== null) failures += 1;
      if (!this.#wasReady && (isFinal || failures >= MOST_FAILURES)) return code ?? 1;
      if (readyMs > SETTLED_MS) pauseMs = this.#pace.pauseMs;
      this.#options.say('the service has ended, it is started again');
      await sleep(pauseMs);
      pauseMs = Math.min(2 * pauseMs, this.#pace.longestPauseMs);
      if (this.#isStopping) return 0;
    }
  }

  /** Stops the service, orderly if it can; `run` resolves then. */
  stop(): void {
    this.#isStopping = true;
    const child = this.#child;
    if (!child) return;
    child.kill('SIGTERM');
    this.#killTimer ??= setTimeout(() => killGroup(child.pid!), this.#pace.stopMs);
  }

  async #runOnce(): Promise<Run> {
    const { command, args, onReady } = this.#options;
    // Standard output is for the `ready` line alone. The service has a process group of its own, because Ctrl-C would reach the
    // runtime too, and the service would start another one while it stops.
    const child = spawn(command, args, { stdio: ['ignore', 2, 2, 'ipc'], detached: true });
    this.#child = child;
    let hasBegun = false;
    let hasResponded = false;
    let readyAt: number | null = null;
    child.on('message', (message: ServiceMessage) => {
      hasResponded = true;
      if (message.is === 'begun') hasBegun = true;
      if (message.is !== 'ready') return;
      readyAt = performance.now();
      onReady(message.url, this.#wasReady);
      this.#wasReady = true;
    });
    const guard = child.pid === undefined ? null : startGuard(child.pid);
    const watch =
      child.pid === undefined
        ? undefined
        : this.#watch(child.pid, () => {
            const has = hasResponded;
            hasResponded = false;
            return has;
          });
    const code = await new Promise<number | null>((ended) => child.once('exit', ended).once('error', () => ended(1)));
    this.#child = null;
    clearInterval(watch);
    clearTimeout(this.#killTimer);
    this.#killTimer = undefined;
    // Processes that outlive the service process would keep its port and its state.
    if (child.pid !== undefined) killGroup(child.pid);
    guard?.kill('SIGKILL');
    return { code, hasBegun, readyMs: readyAt === null ? 0 : performance.now() - readyAt };
  }

  /** Kills the process and its group when it is stuck. `takeSign`: whether there was a sign of life since the last call. */
  #watch(pid: number, takeSign: () => boolean): NodeJS.Timeout {
    const silence = new Silence(pid, performance.now(), this.#pace);
    return setInterval(() => {
      if (!silence.isStuck(takeSign(), performance.now()) || this.#isStopping) return;
      this.#options.say(`the service has not responded for ${Math.round(silence.silentMs / 1000)} s`);
      killGroup(pid);
    }, this.#pace.checkMs);
  }
}

function startGuard(group: number): ChildProcess {
  const guard = spawn('/bin/sh', ['-c', GUARD, 'guard', String(group)], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  return guard.on('error', () => undefined);
}
