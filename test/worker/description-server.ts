// Compares responses of the worker tests with the OpenAPI document. It runs in Node, because its validator generates code, which
// workerd does not allow.
import type { IncomingMessage } from 'node:http';
import type { TestProject } from 'vitest/node';
import { localServer } from '../support/system/local-server.ts';

/** A response as the tests report it. */
export interface ReportedResponse {
  readonly url: string;
  readonly method: string;
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  /** JSON as text, any text for another body, null for none. */
  readonly body: string | null;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Address that takes a ReportedResponse and answers 200 or the differences. */
    descriptionServer: string;
  }
}

const WITHOUT_BODY = [101, 204, 205, 304];

async function differences(request: IncomingMessage): Promise<string> {
  const { url, method, status, headers, body } = JSON.parse(
    Buffer.concat(await request.toArray()).toString('utf8'),
  ) as ReportedResponse;
  // Loaded beside the first tests, which would wait for the whole service otherwise.
  const { expectDescribed } = await import('../support/described-responses.ts');
  const response = new Response(WITHOUT_BODY.includes(status) ? null : body, { status, headers: headers.map((one) => [...one]) });
  return expectDescribed(new URL(url), method, response).then(
    () => '',
    (error: Error) => error.message,
  );
}

export default async function serveDescription(project: TestProject): Promise<() => Promise<void>> {
  const server = await localServer(async (request, response) => {
    const text = await differences(request).catch((error: Error) => error.message);
    response.writeHead(text === '' ? 200 : 409).end(text);
  });
  project.provide('descriptionServer', server.url);
  return server.close;
}
