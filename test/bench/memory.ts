// Memory and processor time of this process and of others, from Node and /proc.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { peakMemoryBytes, resetPeakMemory } from '../../src/jp2/core/core.ts';

setFlagsFromString('--expose-gc');
export const collectGarbage: () => void = runInNewContext('gc');

const SETTLING_COLLECTIONS = 4;
const SETTLING_MS = 50;

/** Collects garbage several times, because another thread frees buffers some time after a collection. */
export async function settleMemory(): Promise<void> {
  for (let i = 0; i < SETTLING_COLLECTIONS; i++) {
    collectGarbage();
    await sleep(SETTLING_MS);
  }
}

/**
 * Bytes of the core and most bytes of array buffers while `draw` runs, which reads the clock before and after each stage: the buffers are
 * sampled then, after a collection with `collects`. Milliseconds of `draw`.
 */
export async function memoryOf(draw: () => Promise<unknown>, collects = true) {
  resetPeakMemory();
  await settleMemory();
  const before = process.memoryUsage().arrayBuffers;
  let buffers = 0;
  const monotonic = performance.now.bind(performance);
  performance.now = () => {
    if (collects) collectGarbage();
    buffers = Math.max(buffers, process.memoryUsage().arrayBuffers - before);
    return monotonic();
  };
  const from = monotonic();
  await draw();
  performance.now = monotonic;
  return { core: peakMemoryBytes, buffers, ms: monotonic() - from };
}

const PAGE_BYTES = 4096;

function processes() {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      const pages = Number(readFileSync(`/proc/${name}/statm`, 'utf8').split(' ')[1]);
      return [{ pid: Number(name), parent: Number(fields[1]), bytes: pages * PAGE_BYTES }];
    } catch {
      return [];
    }
  });
}

/** Resident bytes of `root` and its descendants; shared pages count once for each process. */
export function residentBytes(root: number): number {
  const all = processes();
  const sum = (pid: number): number =>
    (all.find((entry) => entry.pid === pid)?.bytes ?? 0) +
    all.filter(({ parent }) => parent === pid).reduce((total, child) => total + sum(child.pid), 0);
  return sum(root);
}

/** Clock ticks of /proc/PID/stat in a second: USER_HZ, which is 100 on every platform of Linux that Node supports. */
const TICKS_PER_SECOND = 100;

/** Processor seconds of a process, and of its children that have ended. */
export function processorSeconds(pid: number): { readonly own: number; readonly children: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
    .map(Number);
  // utime and stime, cutime and cstime: fields 14 to 17, of which the first two have been cut off.
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15);
  return { own: (user + system) / TICKS_PER_SECOND, children: (childUser + childSystem) / TICKS_PER_SECOND };
}

/** Process ids of the workerd that this process has started; none without /proc. */
export function workerdProcesses(): string[] {
  const status = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/status`, 'utf8');
    } catch {
      return '';
    }
  };
  const isChild = (pid: string) => status(pid).includes('Name:\tworkerd') && status(pid).includes(`PPid:\t${process.pid}\n`);
  return existsSync('/proc') ? readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isChild(pid)) : [];
}

/** Growth in MiB from the current to the peak memory of the processes, summed. */
export async function memoryGrowth(pids: readonly string[], work: () => Promise<unknown>): Promise<number> {
  const kibibytes = (pid: string, name: string) =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);
  for (const pid of pids) writeFileSync(`/proc/${pid}/clear_refs`, '5');
  const before = pids.map((pid) => kibibytes(pid, 'VmRSS'));
  await work();
  return pids.reduce((sum, pid, i) => sum + (kibibytes(pid, 'VmHWM') - before[i]!) / 1024, 0);
}
