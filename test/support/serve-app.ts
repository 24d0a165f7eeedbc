// Serves a fetch handler on a local socket.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';

export interface ServedApp {
  readonly url: string;
  /** Closes all connections, also active ones. */
  close(): Promise<void>;
}

function requestOf(incoming: IncomingMessage): Request {
  const { method = 'GET', url = '/', headers } = incoming;
  const body = method === 'GET' || method === 'HEAD' ? null : Readable.toWeb(incoming);
  const fields = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  return new Request(`http://helioedge.test${url}`, { method, headers: fields, body, duplex: 'half' } as RequestInit);
}

export async function serveApp(fetch: (request: Request) => Promise<Response>): Promise<ServedApp> {
  const server = createServer(async (incoming, outgoing) => {
    try {
      const response = await fetch(requestOf(incoming));
      const bytes = Buffer.from(await response.arrayBuffer());
      outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(bytes);
    } catch {
      outgoing.destroy();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
