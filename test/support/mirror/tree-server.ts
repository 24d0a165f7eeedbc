// An archive as a tree of folders over HTTP, which is slow, fails and lies at times.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { localServer } from '../system/local-server.ts';

/** Treatment of a request; `pass` is an honest response. */
export type Fault = 'pass' | 'slow' | 'error' | 'busy' | 'drop' | 'cut' | 'wrong length' | 'page' | 'half';

export type TreeServer = Awaited<ReturnType<typeof serveTree>>;

type Form = 'apache' | 'nginx';

const PREFIX = '/data/jp2/';

function indexPage(form: Form, path: string, names: readonly string[]): string {
  const rows = names.map((name) =>
    form === 'apache'
      ? `<tr><td valign="top"><img src="/icons/image2.gif" alt="[IMG]"></td><td><a href="${encodeURI(name)}">${name.slice(0, 20)}..&gt;</a></td><td align="right">2024-05-10 12:00  </td></tr>`
      : `<a href="${encodeURI(name)}">${name}</a>                10-May-2024 12:00     1234`,
  );
  const parent = path.split('/').slice(0, -2).join('/');
  return form === 'apache'
    ? `<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN"><html><body><h1>Index of ${path}</h1><table>
<tr><th><a href="?C=N;O=D">Name</a></th><th><a href="?C=M;O=A">Last modified</a></th></tr>
<tr><td><a href="${parent}/">Parent Directory</a></td></tr>\n${rows.join('\n')}\n</table>
<a href="http://elsewhere.test/evil.jp2">x</a><!-- <a href="hidden.jp2">x</a> --></body></html>`
    : `<html><head><title>Index of ${path}</title></head><body><h1>Index of ${path}</h1><hr><pre><a href="../">../</a>\n${rows.join('\n')}</pre><hr></body></html>`;
}

/** @param files Content by path, as `AIA/2024/05/10/171/<name>` */
export async function serveTree(
  files: ReadonlyMap<string, Uint8Array>,
  { form = 'apache', tags = false }: { form?: Form; tags?: boolean } = {},
) {
  const counts = new Map<string, number>();
  let busy = 0;
  const server = await localServer((request, response) => {
    busy += 1;
    tree.busiest = Math.max(tree.busiest, busy);
    response.once('close', () => {
      busy -= 1;
    });
    const pathname = decodeURIComponent(new URL(request.url ?? '/', 'http://tree.test').pathname);
    if (!pathname.startsWith(PREFIX)) return void response.writeHead(404).end();
    const path = pathname.slice(PREFIX.length);
    const count = (counts.get(path) ?? 0) + 1;
    counts.set(path, count);
    tree.requests.push(path);
    const fault = tree.fault(path, count);
    const body = bodyOf(path);
    if (body === null && fault === 'pass') response.writeHead(404, { 'Content-Type': 'text/html' }).end('<h1>Not Found</h1>');
    else answer(fault, body ?? new Uint8Array(0), path.endsWith('.jp2'), request, response);
  });

  function bodyOf(path: string): Uint8Array | null {
    if (path.endsWith('.jp2')) return files.get(path) ?? null;
    const below = [...files.keys()].filter((file) => file.startsWith(path)).map((file) => file.slice(path.length));
    if (below.length === 0) return null;
    const names = new Set(below.map((rest) => (rest.includes('/') ? `${rest.split('/')[0]}/` : rest)));
    if (below.some((rest) => !rest.includes('/'))) for (const name of tree.absent) names.add(name);
    return new TextEncoder().encode(indexPage(form, `${PREFIX}${path}`, [...names].sort()));
  }

  function answer(fault: Fault, body: Uint8Array, isFile: boolean, request: IncomingMessage, response: ServerResponse): void {
    const type = isFile ? 'image/jp2' : 'text/html;charset=UTF-8';
    const etag = tags && !isFile ? `"${body.length}"` : undefined;
    if (etag !== undefined && request.headers['if-none-match'] === etag) {
      tree.unchanged.push(request.url ?? '');
      return void response.writeHead(304).end();
    }
    const headers = { 'Content-Type': type, ...(etag === undefined ? {} : { ETag: etag }) };
    switch (fault) {
      case 'error':
        return void response.writeHead(500).end('<h1>Internal Server Error</h1>');
      case 'busy':
        return void response.writeHead(503, { 'Retry-After': tree.retryAfter }).end();
      case 'drop':
        return void request.socket.destroy();
      case 'cut':
        response.writeHead(200, { ...headers, 'Content-Length': body.length }).write(body.subarray(0, body.length >> 1));
        return void setTimeout(() => response.destroy(), 5);
      case 'wrong length':
        response.writeHead(200, { ...headers, 'Content-Length': body.length + 100 }).write(body);
        return void setTimeout(() => response.destroy(), 5);
      case 'page':
        return void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Please sign in</h1>');
      case 'half':
        return void response.writeHead(200, headers).end(body.subarray(0, body.length >> 1));
      case 'slow':
        return void setTimeout(() => response.writeHead(200, headers).end(body), 60);
      case 'pass':
        return void response.writeHead(200, headers).end(body);
    }
  }

  const tree = {
    /** Address of the tree, with a slash at its end. */
    url: server.url + PREFIX,
    /** Paths below the tree, in the order of the requests. */
    requests: [] as string[],
    /** Answers with status 304. */
    unchanged: [] as string[],
    /** Most requests at once so far. */
    busiest: 0,
    retryAfter: '1',
    /** Chooses the fault of a request. `count`: requests of this path so far, from 1. */
    fault: (_path: string, _count: number): Fault => 'pass',
    /** Names that index pages list although there is no such file. */
    absent: [] as string[],
    close: server.close,
  };
  return tree;
}
