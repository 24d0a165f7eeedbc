// Rows of `npm run deploy -- --check` on what the platform does before the service, of which a local service shows little.
import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { FROM_CACHE } from '../../http/response.ts';
import { NotShown, type Row } from './checker.ts';

/** Whether the address of the client survives the way through the cache: otherwise all clients share one rate limit. */
export const clientAddress: Row = async (check) => {
  const { client } = await check.json<{ client?: boolean }>('/health');
  assert(client, 'the service behind the cache does not know who the client is, so that all share one rate limit');
  return check.isLocal ? 'known behind the stand-in of the cache' : 'known behind the cache';
};

/** Status of GET of a path as it is written, which fetch would make canonical. */
function statusOf(serviceUrl: string, path: string): Promise<number> {
  const { protocol, hostname, port } = new URL(serviceUrl);
  const send = protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sent = send({ hostname, port, path, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    sent.once('error', reject).end();
  });
}

export const spellings: Row = async (check) => {
  for (const path of ['//admin/images', '/%61dmin/images', '/\\admin/images', '/admin//images']) {
    const status = await statusOf(check.serviceUrl, path);
    assert(![200, 401, 403].includes(status), `status ${status} for ${path}: a rule on /admin does not see it`);
  }
  const dots = await statusOf(check.serviceUrl, '/v2/../admin/images');
  const meaning = dots === 401 ? 'resolved before the Worker: leave the normalisation of URLs on' : 'refused';
  return `other spellings of /admin are refused; dot segments: ${dots}, ${meaning}`;
};

export const pageAtEdge: Row = async (check) => {
  const look = async () => {
    const response = await check.fetch('/', { headers: { Accept: 'text/html' } });
    await response.arrayBuffer();
    return response;
  };
  const first = await look();
  assert(first.status === 200, `status ${first.status}`);
  if (/^private/.test(first.headers.get('Cache-Control') ?? '')) {
    throw new NotShown('without PUBLIC_ORIGIN the page names the host of the request, and no cache keeps it');
  }
  return check.until(check.waits.cacheMs, 'no hit', async () => {
    const status = (await look()).headers.get('Cf-Cache-Status');
    return FROM_CACHE.test(status ?? '') ? `Cf-Cache-Status ${status}` : null;
  });
};

export const staticFiles: Row = async (check) => {
  const { status, headers } = await check.fetch('/explorer/icon.svg');
  const missing = ['Strict-Transport-Security', 'X-Content-Type-Options', 'Content-Security-Policy'].filter(
    (name) => !headers.has(name),
  );
  assert(status === 200 && missing.length === 0, `status ${status}, without ${missing.join(', ') || 'nothing'}`);
  return 'with the security headers of the Worker';
};

/** Programs as zones refuse them: scripts by Bot Fight Mode and Browser Integrity Check, assistants by the blocking of AI bots. */
const PROGRAMS = [
  'python-requests/2.32.3',
  'Python-urllib/3.12',
  'curl/8.5.0',
  'Java/21',
  'GPTBot/1.2',
  'ClaudeBot/1.0',
] as const;

export const programs: Row = async (check) => {
  const refused: string[] = [];
  for (const name of PROGRAMS) {
    for (const [path, method] of [
      ['/v2/getStatus/', 'GET'],
      ['/llms.txt', 'GET'],
      ['/mcp', 'POST'],
    ] as const) {
      const response = await check.fetch(path, { method, headers: { 'User-Agent': name } });
      await response.arrayBuffer();
      // Every response of the Worker has it, a refusal of the platform has not.
      if (!response.headers.has('X-Request-Id')) refused.push(`${name} at ${path} (${response.status})`);
    }
  }
  assert(refused.length === 0, `refused before the service: ${refused.join(', ')}; docs/operate.md, "The first day"`);
  return `${PROGRAMS.length} programs reach the API, /llms.txt and /mcp`;
};
