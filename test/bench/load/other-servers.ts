// Debian's nginx with files on disk, and its IIPImage server (iipsrv) with the OpenJPEG of Debian behind that nginx.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../support/commands.ts';

const NGINX = '/usr/sbin/nginx';
const IIPSRV = '/usr/lib/iipimage-server/iipsrv.fcgi';
const START_MS = 10_000;

/** Names of the programs that are not installed. */
export function missingServers(): string[] {
  const missing = [
    ['nginx', NGINX],
    ['iipimage-server', IIPSRV],
  ].filter(([, path]) => !existsSync(path!));
  return missing.map(([name]) => name!);
}

/** The worker process of a root's nginx would otherwise be another user, who may not read the folder. */
const USER = process.getuid?.() === 0 ? 'user root;' : '';

const configuration = (folder: string, port: number, fastcgi: number) => `
${USER}
daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
worker_processes 1;
events { worker_connections 256; }
http {
  access_log off;
  sendfile on;
  keepalive_requests 1000000;
  client_body_temp_path ${folder}/body;
  fastcgi_temp_path ${folder}/fastcgi;
  proxy_temp_path ${folder}/proxy;
  scgi_temp_path ${folder}/scgi;
  uwsgi_temp_path ${folder}/uwsgi;
  types { image/png png; }
  server {
    listen 127.0.0.1:${port};
    root ${folder}/files;
    location /iip { fastcgi_pass 127.0.0.1:${fastcgi}; fastcgi_param QUERY_STRING $query_string; fastcgi_param REQUEST_METHOD $request_method; }
  }
}
`;

/** Process ids of a process and of its children. */
function family(child: ChildProcess): string[] {
  const children = spawnSync('ps', ['-o', 'pid=', '--ppid', String(child.pid)], { encoding: 'utf8' }).stdout;
  return [String(child.pid), ...children.split(/\s+/).filter((pid) => pid !== '')];
}

/** Runs `work` with nginx for the files of a folder, and iipsrv without a cache of tiles for JP2 files by their paths. */
export async function withOtherServers<T>(
  files: ReadonlyMap<string, Uint8Array>,
  work: (servers: Readonly<{ url: string; nginx: string[]; iipsrv: string[] }>, folder: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'helioedge-others-'));
  const [port, fastcgi] = [await freePort(), await freePort()];
  mkdirSync(join(folder, 'files'));
  for (const [name, bytes] of files) writeFileSync(join(folder, 'files', name), bytes);
  writeFileSync(join(folder, 'nginx.conf'), configuration(folder, port, fastcgi));
  const iipsrv = spawn(IIPSRV, ['--bind', `127.0.0.1:${fastcgi}`], {
    env: { ...process.env, LOGFILE: join(folder, 'iipsrv.log'), VERBOSITY: '0', MAX_IMAGE_CACHE_SIZE: '0', JPEG_QUALITY: '90' },
    stdio: 'ignore',
  });
  const nginx = spawn(NGINX, ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' });
  const end = async (child: ChildProcess) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  try {
    const url = `http://127.0.0.1:${port}`;
    const [first] = files.keys();
    for (const from = performance.now(); ; await sleep(50)) {
      const response = await fetch(`${url}/${first}`).catch(() => null);
      if (response?.ok) break;
      if (performance.now() - from > START_MS) throw new Error(`Expected nginx to serve ${first}, got ${response?.status}.`);
    }
    return await work({ url, nginx: family(nginx), iipsrv: family(iipsrv) }, join(folder, 'files'));
  } finally {
    await Promise.all([end(nginx), end(iipsrv)]);
    rmSync(folder, { recursive: true, force: true });
  }
}
