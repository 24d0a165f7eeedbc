// Keeps a service process running: restarts it when it has ended, no longer responds or takes too much memory, and kills the processes that
// it leaves.
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { killGroup, type ProcessFacts, processesInGroup, residentMiB, stillRunning } from './processes.ts';

/** Times in milliseconds. */
export interface Pace {
  /** Interval of the checks. */
  readonly checkMs: number;
  /** Time without a response after which an idle service counts as stuck. */
  readonly silentMs: number;
  /** The same while its runtime is busy: a large picture may take all of it for seconds. */
  readonly busyMs: number;
  /** Pause before a restart, doubled each time up to the longest, because a service that ends at once would restart in a loop. */
  readonly pauseMs: number;
  readonly longestPauseMs: number;
  /** Time for an orderly stop. It exceeds the service's own limit, and leaves room within the two seconds that a stop may take. */
  readonly stopMs: number;
}

export const PACE: Pace = {
  checkMs: 1_000,
  silentMs: 6_000,
  busyMs: 60_000,
  pauseMs: 200,
  longestPauseMs: 30_000,
  stopMs: 1_500,
};

/** Name of the processes that run the Worker. */
const RUNTIME = 'workerd';
/** Clock tick of Linux (sysconf _SC_CLK_TCK is 100 on every platform that Node supports). */
const TICK_MS = 10;
/** Share of one processor from which the runtime is busy. */
const BUSY_SHARE = 0.3;

/** Times the limit of memory from which a busy runtime is restarted too; below, a restart waits until no request is cut off. */
const BUSY_EXCESS = 1.5;

/** A service that responded this long has started successfully. */
const SETTLED_MS = 60_000;

/** The message of a service process that responds. */
export interface ReadyMessage {
  /** Its address. */
  readonly ready: string;
  /** Memory of the runtime after which it is restarted; 0 for no limit. */
  readonly memoryMiB: number;
}

const isReadyMessage = (message: unknown): message is ReadyMessage =>
  typeof message === 'object' && message !== null && 'ready' in message && 'memoryMiB' in message;

export interface SupervisorOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** Called with the address at each start, when the service process has sent a `ReadyMessage` over its IPC channel. */
  readonly onReady: (url: string, isRestart: boolean) => void;
  readonly say: (line: string) => void;
  readonly pace?: Pace;
}

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #pace: Pace;
  #child: ChildProcess | null = null;
  #killTimer: NodeJS.Timeout | undefined;
  /** Processes of the service that run the Worker, as last seen. */
  #runtimes: ProcessFacts[] = [];
  #isStopping = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#pace = options.pace ?? PACE;
  }

  /** Runs the service until it is stopped. @returns its exit status: that of a start which failed, else 0 */
  async run(): Promise<number> {
    let pauseMs = this.#pace.pauseMs;
    for (let starts = 0; ; starts++) {
      const startedAt = performance.now();
      const { code, wasReady } = await this.#runOnce(starts > 0);
      if (this.#isStopping) return code ?? 0;
      if (!wasReady && starts === 0) return code ?? 1;
      if (performance.now() - startedAt > SETTLED_MS) pauseMs = this.#pace.pauseMs;
      this.#options.say('the service has ended, it is started again');
      await sleep(pauseMs);
      pauseMs = Math.min(2 * pauseMs, this.#pace.longestPauseMs);
      if (this.#isStopping) return 0;
    }
  }

  /** Stops the service; `run` resolves then. */
  stop(): void {
    this.#isStopping = true;
    this.#end();
  }

  /** Ends the service process, orderly if it can. */
  #end(): void {
    const child = this.#child;
    if (!child) return;
    child.kill('SIGTERM');
    this.#killTimer ??= setTimeout(() => killGroup(child.pid!), this.#pace.stopMs);
  }

  async #runOnce(isRestart: boolean): Promise<{ readonly code: number | null; readonly wasReady: boolean }> {
    const { command, args, onReady } = this.#options;
    // Standard output is for the `ready` line alone. The service has a process group of its own, because Ctrl-C would reach the
    // runtime too, and the service would start another one while it stops.
    const child = spawn(command, args, { stdio: ['ignore', 2, 2, 'ipc'], detached: true });
    this.#child = child;
    this.#runtimes = [];
    let wasReady = false;
    child.on('message', (message) => {
      if (!isReadyMessage(message)) return;
      wasReady = true;
      onReady(message.ready, isRestart);
      void this.#watch(child, message);
    });
    const code = await new Promise<number | null>((ended) => child.once('exit', ended).once('error', () => ended(1)));
    this.#child = null;
    clearTimeout(this.#killTimer);
    this.#killTimer = undefined;
    // Processes that outlive the service process would keep its port and its state.
    if (child.pid !== undefined) killGroup(child.pid);
    return { code, wasReady };
  }

  async #watch(child: ChildProcess, { ready: url, memoryMiB }: ReadyMessage): Promise<void> {
    let respondedAt = performance.now();
    let [checkedAt, ticks] = [respondedAt, this.#runtimeTicks(child)];
    let idleMs = 0;
    while (child.exitCode === null && child.signalCode === null && !this.#isStopping) {
      const hasResponded = await responds(url, this.#pace.silentMs);
      const [now, ticksNow] = [performance.now(), this.#runtimeTicks(child)];
      const isBusy = (ticksNow - ticks) * TICK_MS > BUSY_SHARE * (now - checkedAt);
      idleMs = hasResponded || isBusy ? 0 : idleMs + now - checkedAt;
      [checkedAt, ticks] = [now, ticksNow];
      if (hasResponded) respondedAt = now;
      if (idleMs > this.#pace.silentMs || now - respondedAt > this.#pace.busyMs) {
        this.#options.say(`the service has not responded for ${Math.round((now - respondedAt) / 1000)} s`);
        return this.#end();
      }
      const usedMiB = this.#runtimes.reduce((sum, { pid }) => sum + residentMiB(pid), 0);
      if (memoryMiB > 0 && usedMiB > memoryMiB * (isBusy ? BUSY_EXCESS : 1)) {
        this.#options.say(`the runtime has grown to ${Math.round(usedMiB)} MiB, more than ${memoryMiB}`);
        return this.#end();
      }
      await sleep(this.#pace.checkMs);
    }
  }

  /** Processor time of the runtime so far, in clock ticks. Looks for it among all processes only when it is another one. */
  #runtimeTicks({ pid }: ChildProcess): number {
    this.#runtimes = stillRunning(this.#runtimes);
    if (this.#runtimes.length === 0) this.#runtimes = processesInGroup(pid!).filter(({ name }) => name === RUNTIME);
    return this.#runtimes.reduce((sum, { ticks }) => sum + ticks, 0);
  }
}

async function responds(url: string, timeoutMs: number): Promise<boolean> {
  const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(timeoutMs) }).catch(() => null);
  await response?.body?.cancel();
  return response !== null;
}
