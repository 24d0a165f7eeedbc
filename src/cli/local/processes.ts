// Processes of this machine, read from /proc. Elsewhere than on Linux nothing is known of them.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface ProcessFacts {
  readonly pid: number;
  /** Name of the program, at most 15 characters. */
  readonly name: string;
  /** Id of its parent. */
  readonly parent: number;
  /** Id of its process group. */
  readonly group: number;
}

/** Fields of /proc/<pid>/stat after the name, which may contain blanks: state, parent, group, ... (proc(5), counted from field 3). */
const FIELD = { state: 0, parent: 1, group: 2 } as const;

function readStat(file: string): { readonly name: string; readonly fields: readonly string[] } {
  const stat = readFileSync(file, 'utf8');
  const [nameStart, nameEnd] = [stat.indexOf('(') + 1, stat.lastIndexOf(')')];
  return { name: stat.slice(nameStart, nameEnd), fields: stat.slice(nameEnd + 2).split(' ') };
}

function factsOf(pid: number): ProcessFacts | null {
  try {
    const { name, fields } = readStat(`/proc/${pid}/stat`);
    if (fields[FIELD.state] === 'Z') return null;
    return { pid, name, parent: Number(fields[FIELD.parent]), group: Number(fields[FIELD.group]) };
  } catch {
    return null;
  }
}

/** What the main thread of a process has done so far. */
export interface Activity {
  /** Processor time, in milliseconds. */
  readonly computedMs: number;
  /** Time in which it could run and had no processor, in milliseconds. */
  readonly queuedMs: number;
  /** Calls of the system that read or wrote: files, pipes, connections. */
  readonly transfers: number;
  /** Whether it waits for a disk at this moment. */
  readonly isAtDisk: boolean;
}

const NS_PER_MS = 1e6;

/** Null when the process has ended, or nothing can be known of it. */
export function activityOf(pid: number): Activity | null {
  const folder = `/proc/${pid}/task/${pid}`;
  try {
    const state = readStat(`${folder}/stat`).fields[FIELD.state];
    if (state === 'Z') return null;
    const [computed, queued] = readFileSync(`${folder}/schedstat`, 'utf8').split(' ').map(Number);
    const counts = [...readFileSync(`${folder}/io`, 'utf8').matchAll(/^sysc[rw]: (\d+)$/gm)];
    return {
      computedMs: computed! / NS_PER_MS,
      queuedMs: queued! / NS_PER_MS,
      transfers: counts.reduce((sum, [, count]) => sum + Number(count), 0),
      isAtDisk: state === 'D',
    };
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

/** The living children of a process. */
export function childrenOf(parent: number): ProcessFacts[] {
  return pids()
    .flatMap((pid) => factsOf(pid) ?? [])
    .filter((facts) => facts.parent === parent);
}

/** Kills a process, which may have ended. */
export function killProcess(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

/** Kills all processes of a group. */
export function killGroup(group: number): void {
  killProcess(-group);
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
