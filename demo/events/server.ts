// Local substitutes for the event sources, with the events of the sample Sun.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { donkiCmes, donkiFlares } from './donki.ts';
import { searchHek } from './hek.ts';
import { rhessiList } from './rhessi.ts';
import { scoreboardData } from './scoreboard.ts';
import { WSA_CAPABILITIES, wsaFootpoints, wsaHoles } from './wsa.ts';
import { xrayData } from './x-ray-flux.ts';

const HOST = '127.0.0.1';
/** Exceeds the idle timeout of the clients, so that the clients close connections. */
const KEEP_ALIVE_MS = 120_000;

export interface DemoEvents {
  /** Without a slash at the end; below it are /hek, /donki/CME, /donki/FLR, /scoreboard/data, /xray/data, /wsa/load_helioviewer_… and /rhessi/list.csv. */
  readonly url: string;
  stop(): Promise<void>;
}

interface DemoResponse {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const JSON_TYPE = 'application/json';
const asJson = (value: unknown, status = 200): DemoResponse => ({ status, type: JSON_TYPE, body: JSON.stringify(value) });
const refusal = (sentence: string) => asJson({ error: sentence }, 400);

const ROUTES: Readonly<Record<string, (query: URLSearchParams) => DemoResponse>> = {
  '/hek': (query) => {
    const found = searchHek(query);
    return found ? asJson(found) : refusal('event_starttime and event_endtime must be times.');
  },
  '/donki/CME': (query) => donkiResponse(donkiCmes(query)),
  '/donki/FLR': (query) => donkiResponse(donkiFlares(query)),
  '/scoreboard/data': (query) => {
    const { status, body } = scoreboardData(query);
    return asJson(body, status);
  },
  '/xray/data': (query) => {
    const { status, body } = xrayData(query);
    return asJson(body, status);
  },
  '/wsa/load_helioviewer_coronal_holes': (query) => windowsResponse(wsaHoles(query)),
  '/wsa/load_helioviewer_footpoints': (query) => windowsResponse(wsaFootpoints(query)),
  '/wsa/load_helioviewer_footpoint_capabilities': () => asJson(WSA_CAPABILITIES),
  '/rhessi/list.csv': (query) => {
    const body = rhessiList(query);
    return body === null ? refusal('from and to must be times.') : { status: 200, type: 'text/csv', body };
  },
};

function windowsResponse(windows: unknown): DemoResponse {
  return windows ? asJson(windows) : refusal('start_date and end_date must be days, and sat an observer.');
}

function donkiResponse(records: readonly unknown[] | null): DemoResponse {
  return records ? asJson(records) : refusal('startDate and endDate must be days.');
}

/** The response to a path and its query, a pure function of both. */
function responseTo({ pathname, searchParams }: URL): DemoResponse {
  const route = Object.hasOwn(ROUTES, pathname) ? ROUTES[pathname] : undefined;
  return route ? route(searchParams) : asJson({ error: 'No source has this path.' }, 404);
}

/**
 * Listens on 127.0.0.1.
 * @param port a free one unless given
 * @throws Error when the port is in use
 */
export async function startDemoEvents({ port = 0 }: { port?: number } = {}): Promise<DemoEvents> {
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? '/', `http://${HOST}`);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const { status, type, body } = isRead && url ? responseTo(url) : asJson({ error: 'Only GET and HEAD are possible.' }, 405);
    const bytes = Buffer.from(body);
    response.writeHead(status, { 'content-type': type, 'content-length': bytes.length });
    response.end(request.method === 'HEAD' ? undefined : bytes);
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, resolve);
  });
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
