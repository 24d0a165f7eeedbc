// Memory of a process and all that it has started, from /proc.
import { readdirSync, readFileSync } from 'node:fs';

/** Bytes of a memory page. */
const PAGE = 4096;

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
      return [{ pid: Number(name), parent: Number(fields[1]), bytes: pages * PAGE }];
    } catch {
      return [];
    }
  });
}

/** Resident bytes of the tree below and with `root`; shared pages count for each. */
export function residentBytes(root: number): number {
  const all = processes();
  const sum = (pid: number): number =>
    (all.find((entry) => entry.pid === pid)?.bytes ?? 0) +
    all.filter(({ parent }) => parent === pid).reduce((total, child) => total + sum(child.pid), 0);
  return sum(root);
}
