// Processes of this machine, read from /proc. Elsewhere than on Linux nothing is known of them.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface ProcessFacts {
  readonly pid: number;
  /** Name of the program, at most 15 characters. */
  readonly name: string;
  /** Id of its process group. */
  readonly group: number;
  /** Processor time so far, in clock ticks. */
  readonly ticks: number;
  /** Clock ticks from the boot to its start; together with the id, it names a process for good. */
  readonly startedAt: number;
}

/** Fields of /proc/<pid>/stat after the name, which may contain blanks: state, parent, group, ... (proc(5), counted from field 3). */
const FIELD = { state: 0, group: 2, userTicks: 11, systemTicks: 12, startedAt: 19 } as const;

function factsOf(pid: number): ProcessFacts | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [nameStart, nameEnd] = [stat.indexOf('(') + 1, stat.lastIndexOf(')')];
    const fields = stat.slice(nameEnd + 2).split(' ');
    if (fields[FIELD.state] === 'Z') return null;
    const number = (field: number) => Number(fields[field]);
    const ticks = number(FIELD.userTicks) + number(FIELD.systemTicks);
    const name = stat.slice(nameStart, nameEnd);
    return { pid, name, group: number(FIELD.group), ticks, startedAt: number(FIELD.startedAt) };
  } catch {
    return null;
  }
}

function pids(): number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

/** Memory of a process that is in use and not swapped out, in MiB; 0 when it has ended. */
export function residentMiB(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
  } catch {
    return 0;
  }
}

/** The living processes of a group. */
export function processesInGroup(group: number): ProcessFacts[] {
  return pids()
    .flatMap((pid) => factsOf(pid) ?? [])
    .filter((facts) => facts.group === group);
}

/** Those of the processes that still run, with their present facts. */
export function stillRunning(processes: readonly ProcessFacts[]): ProcessFacts[] {
  return processes.flatMap(({ pid, startedAt }) => {
    const facts = factsOf(pid);
    return facts?.startedAt === startedAt ? [facts] : [];
  });
}

/** Kills all processes of a group. */
export function killGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // All of them have ended.
  }
}

/** The inode of the socket that listens at a port of 127.0.0.1 or of every address. */
function listeningInode(port: number): string | null {
  const LISTEN = '0A';
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0');
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const lines = readFileSync(table, 'utf8').split('\n').slice(1);
    for (const line of lines) {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
      if (state === LISTEN && local?.endsWith(`:${hexPort}`)) return inode ?? null;
    }
  }
  return null;
}

function hasSocket(pid: number, inode: string): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((fd) => readlinkSync(`${folder}/${fd}`) === `socket:[${inode}]`);
  } catch {
    return false;
  }
}

/** Name and id of the process that listens at a port, as `workerd (process 4711)`; null where it cannot be known. */
export function listenerAt(port: number): string | null {
  try {
    const inode = listeningInode(port);
    const pid = inode === null ? undefined : pids().find((each) => hasSocket(each, inode));
    return pid === undefined ? null : `${readFileSync(`/proc/${pid}/comm`, 'utf8').trim()} (process ${pid})`;
  } catch {
    return null;
  }
}
