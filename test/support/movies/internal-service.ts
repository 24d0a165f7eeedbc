// The internal operations as an application of their own, and a client for them. Runs in Node and in workerd.
import { Hono } from 'hono';
import { movieWorkerRoutes } from '../../../src/movies/worker-routes.ts';
import { WorkerService, type WorkerServicePorts } from '../../../src/movies/worker-service.ts';
import { Turns } from '../../../src/platform/admission/turns.ts';
import { asFailure, errorResponse } from '../../../src/platform/http/errors.ts';
import { routesBy } from '../../../src/platform/http/request.ts';
import type { ObjectStore } from '../../../src/platform/storage/r2-object-store.ts';
import { unlimited } from '../memory/unlimited.ts';

export const MOVIE_TOKEN = 'a-movie-token-for-tests';

export interface InternalPorts extends WorkerServicePorts {
  readonly objects: ObjectStore;
}

const routeOf = routesBy(movieWorkerRoutes);

/** The application at /internal, with the errors of the real one. */
export function internalApp(ports: InternalPorts, movieToken: string | null = MOVIE_TOKEN) {
  const { objects } = ports;
  const services = {
    workerService: new WorkerService(ports),
    objects,
    movieToken,
    requestLimiter: unlimited,
    turns: new Turns(),
  };
  return new Hono()
    .onError((error) => errorResponse(asFailure(error), { requestId: 'the-request', actionForm: false }))
    .all('*', async ({ req: { raw } }) => {
      const found = routeOf(raw);
      return (await found.route!.handle({ services }, found, raw)) as Response;
    });
}

interface Sent {
  readonly method?: string;
  readonly json?: unknown;
  readonly body?: BodyInit;
  readonly headers?: Record<string, string>;
}

/** Sends requests with the token unless `headers` has another one. */
export function workerOf(app: ReturnType<typeof internalApp>) {
  return async (
    path: string,
    { json, method = json === undefined ? 'GET' : 'POST', body, headers = {} }: Sent = {},
  ): Promise<Response> => {
    const sent = json === undefined ? body : JSON.stringify(json);
    return app.request(`http://helioedge.test/internal/${path}`, {
      method,
      headers: { Authorization: `Bearer ${MOVIE_TOKEN}`, ...headers },
      ...(sent === undefined ? {} : { body: sent, duplex: 'half' }),
    } as RequestInit);
  };
}

/** A PUT body with its Content-Length. */
export function bytesOf(body: Uint8Array): Pick<Sent, 'method' | 'body' | 'headers'> {
  return { method: 'PUT', body: body as Uint8Array<ArrayBuffer>, headers: { 'Content-Length': String(body.length) } };
}
