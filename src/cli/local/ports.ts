// Ports of 127.0.0.1.
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';

const HOST = '127.0.0.1';

/** The port if it is free, else null; 0 stands for any port. */
async function tryPort(port: number): Promise<number | null> {
  const server = createServer().listen(port, HOST);
  const isFree = await once(server, 'listening').catch(() => null);
  const taken = isFree && (server.address() as AddressInfo).port;
  await new Promise((resolve) => server.close(resolve));
  return taken;
}

export async function expectFreePort(port: number): Promise<void> {
  if ((await tryPort(port)) !== null) return;
  const listener = listenerAt(port);
  throw new Error(`Port ${port} is in use${listener === null ? '' : ` by ${listener}`}. Set PORT to another.`);
}

export async function freePort(): Promise<number> {
  const port = await tryPort(0);
  if (port === null) throw new Error('No port is free on 127.0.0.1.');
  return port;
}

/** Inode of the socket that listens at a port of 127.0.0.1 or of every address. */
function listeningInode(port: number): string | undefined {
  const LISTEN = '0A';
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0');
  const lines = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => readFileSync(table, 'utf8').split('\n').slice(1));
  const sockets = lines.map((line) => line.trim().split(/\s+/));
  return sockets.find(([, local, , state]) => state === LISTEN && local?.endsWith(`:${hexPort}`))?.[9];
}

function hasSocket(pid: string, inode: string): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((fd) => readlinkSync(`${folder}/${fd}`) === `socket:[${inode}]`);
  } catch {
    return false;
  }
}

/** Name and id of the process that listens at a port, as `workerd (4711)`; null where there is no /proc, or another user's process. */
function listenerAt(port: number): string | null {
  try {
    const inode = listeningInode(port);
    const pid = inode && readdirSync('/proc').find((name) => /^\d+$/.test(name) && hasSocket(name, inode));
    return pid ? `${readFileSync(`/proc/${pid}/comm`, 'utf8').trim()} (${pid})` : null;
  } catch {
    return null;
  }
}
