// Watches workerd, which Miniflare starts as a child of this process and starts again when it has ended: ends it when it is stuck, or when
// it takes too much memory.
import { HealthPoll } from './health-poll.ts';
import { activityOf, childrenOf, killProcess, residentMiB } from './processes.ts';
import { PATIENCE, type Patience, Silence } from './silence.ts';

/** Name of the processes that run the Worker. */
const RUNTIME = 'workerd';

/** Times the limit of memory from which a busy runtime is restarted too. */
const BUSY_EXCESS = 1.5;

/** Times in milliseconds. */
export interface WatchPace {
  readonly checkMs: number;
  readonly patience: Patience;
  /** Time for the open responses of a runtime that is restarted for its memory: a status that waits for a change takes 20 s. */
  readonly drainMs: number;
}

export const WATCH_PACE: WatchPace = { checkMs: 1_000, patience: PATIENCE, drainMs: 30_000 };

export interface RuntimeWatchOptions {
  /** Address of the service. */
  readonly url: string;
  /** Memory after which the runtime is restarted; 0 for no limit. */
  readonly memoryMiB: number;
  readonly say: (line: string) => void;
  /** Called once, with the reason, when the runtime cannot be recovered by another start of it. */
  readonly giveUp: (reason: string) => void;
  readonly pace?: WatchPace;
  /** Process id of the runtime, if it runs. */
  readonly find?: () => number | undefined;
}

const findRuntime = () => childrenOf(process.pid).find(({ name }) => name === RUNTIME)?.pid;

export class RuntimeWatch {
  readonly #options: Required<RuntimeWatchOptions>;
  readonly #poll: HealthPoll;
  readonly #timer: NodeJS.Timeout;
  /** The runtime that was seen last, and its silence. */
  #pid: number | undefined;
  #silence: Silence | null = null;
  /** Time for which there has been no runtime. */
  #absentMs = 0;
  /** Whether a runtime was killed since the last response. */
  #hasKilled = false;
  /** Time of the signal to end after the open responses. */
  #drainsFrom: number | null = null;

  constructor(options: RuntimeWatchOptions) {
    this.#options = { pace: WATCH_PACE, find: findRuntime, ...options };
    const { checkMs, patience } = this.#options.pace;
    this.#poll = new HealthPoll(`${options.url}/health`, patience.idleMs);
    this.#timer = setInterval(() => this.#check(), checkMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const hasResponded = this.#poll.take();
    const now = performance.now();
    if (hasResponded) this.#hasKilled = false;
    if (this.#pid === undefined || !activityOf(this.#pid)) this.#look(now);
    if (this.#pid === undefined || !this.#silence) this.#checkAbsence();
    else if (this.#drainsFrom !== null) this.#checkDrain(this.#pid, this.#drainsFrom, now);
    else if (this.#silence.isStuck(hasResponded, now)) this.#restart(this.#pid, this.#silence.silentMs);
    else this.#checkMemory(this.#pid, this.#silence.isActive, now);
  }

  /** Looks for the runtime, which is another one than before. */
  #look(now: number): void {
    const { find, pace } = this.#options;
    const wasSeen = this.#silence !== null;
    this.#pid = find();
    this.#drainsFrom = null;
    if (this.#pid !== undefined) [this.#silence, this.#absentMs] = [new Silence(this.#pid, now, pace), 0];
    else if (wasSeen) this.#absentMs += pace.checkMs;
  }

  #checkAbsence(): void {
    if (this.#absentMs > this.#options.pace.patience.idleMs) this.#giveUp('the runtime has ended and does not start again');
  }

  #restart(pid: number, silentMs: number): void {
    const line = `the runtime has not responded for ${Math.round(silentMs / 1000)} s`;
    if (this.#hasKilled) this.#giveUp(line);
    else this.#options.say(line);
    this.#hasKilled = true;
    killProcess(pid);
  }

  #checkMemory(pid: number, isBusy: boolean, now: number): void {
    const { memoryMiB, say } = this.#options;
    if (memoryMiB === 0) return;
    const usedMiB = residentMiB(pid);
    if (usedMiB <= memoryMiB * (isBusy ? BUSY_EXCESS : 1)) return;
    say(`the runtime has grown to ${Math.round(usedMiB)} MiB, more than ${memoryMiB}: it ends after its open responses`);
    // workerd accepts no further connections then, and ends with its last response.
    killProcess(pid, 'SIGTERM');
    this.#drainsFrom = now;
  }

  #checkDrain(pid: number, from: number, now: number): void {
    if (now - from > this.#options.pace.drainMs) killProcess(pid);
  }

  #giveUp(reason: string): void {
    this.stop();
    this.#options.giveUp(reason);
  }
}
