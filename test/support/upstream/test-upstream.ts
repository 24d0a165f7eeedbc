// An HTTP server on the loopback interface that stands in for an upstream: tests set the response of each path.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { localServer } from '../system/local-server.ts';

export type Responder = (url: URL, response: ServerResponse, request: IncomingMessage) => void;

export type TestUpstream = Awaited<ReturnType<typeof startUpstream>>;

export function json(value: unknown): Responder {
  return (_url, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(value));
  };
}

export function text(body: string | Uint8Array, status = 200, headers: Record<string, string> = {}): Responder {
  return (_url, response) => {
    response.writeHead(status, headers);
    response.end(body);
  };
}

/** Accepts the request and never responds. */
export const noResponse: Responder = () => undefined;

/** Announces more bytes than it sends, then drops the connection. */
export const truncatedResponse: Responder = (_url, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '5000' });
  response.write('{"result":[{"kb_archivid":"ivo://half');
  setTimeout(() => response.destroy(), 20);
};

/** Streams valid JSON (white space) for as long as the client reads. */
export const endlessResponse: Responder = (_url, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.write('[');
  const more = () => {
    while (!response.destroyed && response.write(' '.repeat(65_536)));
    if (!response.destroyed) response.once('drain', more);
  };
  more();
};

/** Event sources without events. */
const EMPTY: Readonly<Record<string, Responder>> = {
  hek: json({ result: [], overmax: false }),
  wsa: json([]),
  donki: json([]),
  scoreboard: json({ status: { code: 1200 }, parameters: [], data: [] }),
  xray: json({ status: { code: 1201 }, parameters: [], data: [] }),
};

/** `responders`: by path (`donki/CME`), else by its first segment (`hek`). Tests replace them at any time. */
export async function startUpstream(responders: Record<string, Responder> = {}) {
  const upstream = { requests: [] as URL[], responders: { ...EMPTY, ...responders } as Record<string, Responder> };
  const server = await localServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://upstream.test');
    upstream.requests.push(url);
    const path = url.pathname.slice(1);
    const respond = upstream.responders[path] ?? upstream.responders[path.split('/')[0] ?? ''];
    if (respond) respond(url, response, request);
    else response.writeHead(404).end();
  });
  return { ...upstream, ...server };
}
