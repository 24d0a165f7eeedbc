// HTTP interface of the movie worker: its health, and a request to look for work.
import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { sha256 } from '../../src/util/digest.ts';

export interface Health {
  readonly ok: boolean;
  readonly busy: boolean;
  /** Id of the running build, or null. */
  readonly build: number | null;
  readonly framesDone: number;
  readonly frames: number;
  readonly encoder: string;
}

export interface MovieServerOptions {
  readonly token: string;
  readonly health: () => Health;
  readonly wake: () => void;
}

function respond(response: ServerResponse, status: number, body: unknown): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': bytes.length, 'Cache-Control': 'no-store' });
  response.end(bytes);
}

/** GET /health returns the health; POST /wake looks for work and requires the token as bearer. */
export function movieServer({ token, health, wake }: MovieServerOptions): Server {
  const expected = sha256(`Bearer ${token}`);
  const isAuthorised = async ({ headers }: IncomingMessage) =>
    timingSafeEqual(await sha256(headers.authorization ?? ''), await expected);
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    request.resume();
    const path = request.url?.split('?')[0];
    if (path === '/health' && (request.method === 'GET' || request.method === 'HEAD')) return respond(response, 200, health());
    if (path !== '/wake') return respond(response, 404, { error: 'Expected /health or /wake.' });
    if (request.method !== 'POST') return respond(response, 405, { error: 'Expected POST.' });
    if (!(await isAuthorised(request))) return respond(response, 401, { error: 'Expected the token for Authorization.' });
    wake();
    respond(response, 202, {});
  };
  return createServer((request, response) => void handle(request, response));
}
