// npm run deploy -- --check against a local service, and against one that lies.
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { seriesShots } from '../../demo/archive.ts';
import { serviceAccess } from '../../src/cli/command.ts';
import { type CheckedRow, checkService, ROW_NAMES } from '../../src/cli/deploy/check.ts';
import { CHECK_WAITS } from '../../src/cli/deploy/checker.ts';
import { runCommand, WITHOUT_EVENTS } from '../support/commands.ts';
import { serveApp } from '../support/serve-app.ts';
import { type ServedArchive, serveArchive } from '../support/served-archive.ts';

const NOON = Date.UTC(2024, 4, 10, 12);
const METRICS_TOKEN = 'a-token-that-only-reads-the-metrics';

let archive: ServedArchive;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  archive = await serveArchive(seriesShots({ sources: [10], fromMs: NOON, toMs: NOON, cadenceMs: 1, size: 128 }), {
    ...WITHOUT_EVENTS,
    ADMIN_TOKENS: `monitoring/metrics:${METRICS_TOKEN}`,
  });
  env = { HELIOEDGE_URL: archive.service.url, STATE_DIR: archive.stateDir };
});

afterAll(() => archive?.close());

/** Sources that have images. */
async function heldSources(): Promise<number[]> {
  const [url, token] = await serviceAccess(env);
  const list = await fetch(`${url}/admin/images`, { headers: { Authorization: `Bearer ${token}` } });
  return ((await list.json()) as { sources: { sourceId: number }[] }).sources.map(({ sourceId }) => sourceId);
}

/** A check of the service of the archive, with other options in place of some. */
async function checkOf(changed: Partial<Parameters<typeof checkService>[0]>) {
  const [serviceUrl, token] = await serviceAccess(env);
  const { signal } = new AbortController();
  return checkService({ serviceUrl, token, hasMovies: true, nowMs: Date.now(), waits: CHECK_WAITS, signal, ...changed });
}

/** Names and outcomes of the printed table. */
const outcomes = (stdout: string) =>
  Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(/ {2,}/).slice(0, 2)),
  );

/** As a zone that blocks assistants. */
const isAssistant = ({ headers }: Request) => /GPTBot/.test(String(headers.get('user-agent')));

/** A proxy of the service that ignores ranges and conditions, refuses some requests, and keeps repeating the first response to each tile. */
async function lyingProxy(refuses = isAssistant): Promise<string> {
  const tiles = new Map<string, Response>();
  const server = await serveApp(async (request) => {
    const headers = new Headers(request.headers);
    for (const name of ['range', 'if-none-match', 'host', 'connection']) headers.delete(name);
    if (refuses(request)) return new Response('blocked', { status: 403 });
    const { pathname, search } = new URL(request.url);
    const { method } = request;
    const known = method === 'GET' ? tiles.get(pathname + search) : undefined;
    const body = request.body && (await request.arrayBuffer());
    const answer = known ?? (await fetch(archive.service.url + pathname + search, { method, headers, body }));
    if (pathname.startsWith('/v2/getTile/') && method === 'GET') tiles.set(pathname + search, answer.clone());
    const sent = [...answer.headers].filter(
      ([name]) => !/^(content-encoding|content-length|transfer-encoding|connection)$/.test(name),
    );
    return new Response(answer.clone().body, { status: answer.status, headers: sent });
  });
  onTestFinished(() => server.close());
  return server.url;
}

it('a check of a service finds everything that a local service can show, says what it cannot, and leaves no image', async () => {
  const { code, stdout, stderr } = await runCommand('src/cli/deploy.ts', ['--check'], env);
  expect(Object.keys(outcomes(stdout))).toEqual(ROW_NAMES);
  expect(Object.entries(outcomes(stdout)).filter(([, outcome]) => outcome !== 'ok')).toEqual([
    ['page at the edge', 'not shown'],
    ['statements of an invocation', 'not shown'],
  ]);
  expect(stdout).toMatch(
    /^statements of an invocation +not shown +1001 ran in one invocation, because the local runtime has no limit$/m,
  );
  expect([code, stderr]).toEqual([0, '']);
  expect(await heldSources()).toEqual([10]);
});

it('a check of a service names the scope that its token does not have, and ends with status 1', async () => {
  const { code, stdout } = await runCommand('src/cli/deploy.ts', ['--check'], { ...env, ADMIN_TOKEN: METRICS_TOKEN });
  expect(stdout).toMatch(/^upload +failed +Status 403: The token of monitoring does not have the scope ingest/m);
  expect(outcomes(stdout)).toMatchObject({
    health: 'ok',
    'HEAD, Range, 304': 'not shown',
    movie: 'not shown',
    withdrawal: 'failed',
  });
  expect(code).toBe(1);
});

it('a check of a service fails for a service that ignores ranges and conditions, and shows withdrawn images', async () => {
  const waits = { ...CHECK_WAITS, purgeMs: 500 };
  const check = await checkOf({ serviceUrl: await lyingProxy(), hasMovies: false, waits });
  const rows: CheckedRow[] = [];
  for await (const row of check) rows.push(row);
  expect(rows.filter(({ outcome }) => outcome === 'failed')).toEqual([
    {
      name: 'programs',
      outcome: 'failed',
      detail: expect.stringContaining('GPTBot/1.2 at /v2/getStatus/ (403), GPTBot/1.2 at /llms.txt'),
    },
    {
      name: 'HEAD, Range, 304',
      outcome: 'failed',
      detail: expect.stringMatching(/^wrong: 304, Range, of a tile of \d+ bytes$/),
    },
    { name: 'purge by tag', outcome: 'failed', detail: 'the withdrawn image was still shown within 0.5 s' },
  ]);
  expect(rows).toContainEqual({ name: 'movie', outcome: 'not shown', detail: 'the deployment has no movie workers' });
});

it('a check of a service withdraws what it has uploaded when it is interrupted, and names what it cannot withdraw', async () => {
  const interruption = new AbortController();
  let withdrawals = 0;
  const serviceUrl = await lyingProxy(({ method }) => method === 'DELETE' && withdrawals++ === 0);
  const rows: CheckedRow[] = [];
  for await (const row of await checkOf({ serviceUrl, signal: interruption.signal })) {
    rows.push(row);
    if (row.name === 'upload') interruption.abort();
  }
  expect(rows.map(({ name }) => name).slice(-2)).toEqual(['upload', 'withdrawal']);
  const left = /^not withdrawn: (\S+) \(Status 403: Forbidden\); repeat DELETE \/admin\/images\/<name> for each$/;
  const [, name] = left.exec(rows.at(-1)!.detail)!;
  const [url, token] = await serviceAccess(env);
  await fetch(`${url}/admin/images/${name}`, { method: 'DELETE', headers: { Authorization: `Bearer ${token}` } });
  expect(await heldSources()).toEqual([10]);
});
