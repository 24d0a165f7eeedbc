// What the outside may ask of the program: how it is, and to look for work.
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

export interface Health {
  readonly ok: boolean;
  readonly busy: boolean;
  /** Number of the build that is worked on, or null. */
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

const digest = (text: string) => createHash('sha256').update(text).digest();

function answer(response: ServerResponse, status: number, body: unknown): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': bytes.length, 'Cache-Control': 'no-store' });
  response.end(bytes);
}

/** GET /health says what the worker does; POST /wake, with the token as bearer, makes it look for work. */
export function movieServer({ token, health, wake }: MovieServerOptions): Server {
  const wanted = digest(`Bearer ${token}`);
  const isAuthorised = ({ headers }: IncomingMessage) => timingSafeEqual(digest(headers.authorization ?? ''), wanted);
  return createServer((request, response) => {
    request.resume();
    const path = request.url?.split('?')[0];
    if (path === '/health' && (request.method === 'GET' || request.method === 'HEAD')) return answer(response, 200, health());
    if (path !== '/wake') return answer(response, 404, { error: 'Expected /health or /wake.' });
    if (request.method !== 'POST') return answer(response, 405, { error: 'Expected POST.' });
    if (!isAuthorised(request)) return answer(response, 401, { error: 'Expected the token for Authorization.' });
    wake();
    answer(response, 202, {});
  });
}
