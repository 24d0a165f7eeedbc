// A source of events on this machine: every path is what the test says.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Answer = (url: URL, response: ServerResponse, request: IncomingMessage) => void;

export interface EventUpstream {
  /** Without a slash at the end. */
  readonly url: string;
  /** Every request so far. */
  readonly asked: URL[];
  /** Answers by the first part of the path (`hek`); replaced at will. */
  readonly answers: Record<string, Answer>;
  close(): Promise<void>;
}

export function json(value: unknown): Answer {
  return (_url, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(value));
  };
}

export function text(body: string | Uint8Array, status = 200, headers: Record<string, string> = {}): Answer {
  return (_url, response) => {
    response.writeHead(status, headers);
    response.end(body);
  };
}

/** Never says anything. */
export const silence: Answer = () => undefined;

/** Announces more than it sends, and goes. */
export const halfAnAnswer: Answer = (_url, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '5000' });
  response.write('{"result":[{"kb_archivid":"ivo://half');
  setTimeout(() => response.destroy(), 20);
};

/** Spaces without end: JSON for as long as one reads. */
export const endless: Answer = (_url, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.write('[');
  const more = () => {
    while (!response.destroyed && response.write(' '.repeat(65_536)));
    if (!response.destroyed) response.once('drain', more);
  };
  more();
};

const NO_ANSWERS: Readonly<Record<string, Answer>> = {
  hek: json({ result: [], overmax: false }),
  donki: json([]),
  scoreboard: json({ status: { code: 1200 }, parameters: [], data: [] }),
};

export async function startEventUpstream(answers: Record<string, Answer> = {}): Promise<EventUpstream> {
  const upstream = { asked: [] as URL[], answers: { ...NO_ANSWERS, ...answers } };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://upstream.test');
    upstream.asked.push(url);
    const answer = upstream.answers[url.pathname.slice(1)] ?? upstream.answers[url.pathname.split('/')[1] ?? ''];
    if (answer) answer(url, response, request);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...upstream,
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
