// Serves a fetch handler on a local socket.
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { type LocalServer, localServer } from './system/local-server.ts';

export type ServedApp = LocalServer;

function requestOf(incoming: IncomingMessage): Request {
  const { method = 'GET', url = '/', headers } = incoming;
  const body = method === 'GET' || method === 'HEAD' ? null : Readable.toWeb(incoming);
  const fields = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  return new Request(`http://helioedge.test${url}`, { method, headers: fields, body, duplex: 'half' } as RequestInit);
}

export const serveApp = (fetch: (request: Request) => Promise<Response>): Promise<ServedApp> =>
  localServer(async (incoming, outgoing) => {
    try {
      const response = await fetch(requestOf(incoming));
      const bytes = Buffer.from(await response.arrayBuffer());
      outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(bytes);
    } catch {
      outgoing.destroy();
    }
  });
