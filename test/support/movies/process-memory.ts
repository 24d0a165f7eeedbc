// Memory of a process and its descendants, from /proc.
import { readdirSync, readFileSync } from 'node:fs';

const PAGE_BYTES = 4096;

interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly bytes: number;
}

function processes(): ProcessEntry[] {
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
