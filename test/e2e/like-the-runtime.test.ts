// The world of test/world is like the runtime: one history, told to a service of real processes and to a world, has the same answers.
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { serviceAccess } from '../../src/cli/command.ts';
import { freePort, startService, WITHOUT_EVENTS } from '../support/commands.ts';
import { CONTENTS, SCALE, type WorldFile } from '../world/files.ts';
import { ADMIN_TOKEN, World } from '../world/world.ts';

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

type Send = (path: string, init?: RequestInit) => Promise<Answer>;

/** Headers that both platforms give; those of connections and times are left out. */
const HEADERS = ['Content-Type', 'Cache-Control', 'ETag', 'Content-Range', 'Allow', 'Cf-Cache-Status', 'JPIP-tid'];
/** What differs from run to run: origins, times and numbers of requests. */
const OF_A_RUN = /"(?:requestId|withdrawn)":"[^"]*"|https?:\/\/[^/"]+/g;

/** The answers to a history: requests one after another, of one client. */
async function history(send: Send, token: string): Promise<readonly unknown[]> {
  const told: unknown[] = [];
  const tell = async (path: string, init: RequestInit = {}): Promise<string> => {
    const { status, headers, body } = await send(path, init);
    const type = headers.get('Content-Type') ?? '';
    const text = new TextDecoder().decode(body);
    const shown = /json|text/.test(type) ? text.replaceAll(OF_A_RUN, '') : createHash('sha256').update(body).digest('hex');
    const given = Object.fromEntries(HEADERS.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)]] : [])));
    told.push({ asked: `${init.method ?? 'GET'} ${path}`, status, ...given, shown });
    return text;
  };
  const operator = { Authorization: `Bearer ${token}` };
  const put = (file: Pick<WorldFile, 'name' | 'bytes'>, query = '', headers: Record<string, string> = operator) =>
    tell(`/admin/images/${file.name}${query}`, { method: 'PUT', headers, body: file.bytes });
  const [first, second, other] = CONTENTS as unknown as readonly [WorldFile, WorldFile, WorldFile];
  const { id } = JSON.parse(await put(first)) as { id: number };
  const tile = (image: number) => `/v2/getTile/?id=${image}&x=0&y=0&imageScale=${SCALE}`;
  const scene = `date=${first.date}&layers=[10,1,100]&imageScale=${SCALE}&x0=0&y0=0&width=64&height=64&display=true`;
  for (const path of [
    tile(id),
    tile(id),
    `/v2/getJP2Header/?id=${id}`,
    `/v2/getJP2Image/?id=${id}`,
    `/v2/takeScreenshot/?${scene}`,
  ])
    await tell(path);
  await tell(`/v2/getClosestImage/?sourceId=10&date=${first.date}`);
  await tell(`/v2/getJPX/?sourceId=10&startTime=${first.date}&endTime=${first.date}`);
  await tell(`/jpip${first.key.slice('jp2'.length)}?stream=0&fsiz=32,32,closest`);
  await tell(tile(id), { headers: { Range: 'bytes=10-99' } });
  await tell(tile(id), { method: 'HEAD' });
  await put(first);
  await put({ name: first.name, bytes: second.bytes });
  await put({ name: first.name, bytes: other.bytes.slice(0, 200) as WorldFile['bytes'] }, '?replace=true');
  await put(second, '', {});
  const replaced = JSON.parse(await put({ name: first.name, bytes: second.bytes }, '?replace=true')) as { id: number };
  for (const image of [id, replaced.id]) await tell(tile(image));
  await tell(`/admin/images/${first.name}`, { headers: operator });
  for (const method of ['DELETE', 'DELETE', 'GET']) await tell(`/admin/images/${first.name}`, { method, headers: operator });
  await tell(tile(replaced.id));
  for (const path of ['/v2/getTile/?id=10', '/v2/getClosestImage/?sourceId=10&date=never', '/v2/nothing/', '/health/nothing'])
    await tell(path);
  return told;
}

async function byProcesses(): Promise<readonly unknown[]> {
  const stateDir = await mkdtemp(join(tmpdir(), 'helioedge-like-'));
  const env = { ...WITHOUT_EVENTS, STATE_DIR: stateDir, PORT: String(await freePort()), MOVIE_WORKERS: '0' };
  const service = await startService(env);
  onTestFinished(async () => {
    await service.interrupt();
    await rm(stateDir, { recursive: true, force: true });
  });
  const [url, token] = await serviceAccess({ HELIOEDGE_URL: service.url, STATE_DIR: stateDir });
  const send: Send = async (path, init) => {
    const answer = await fetch(url + path, init);
    return { status: answer.status, headers: answer.headers, body: new Uint8Array(await answer.arrayBuffer()) };
  };
  return history(send, token);
}

async function byWorld(): Promise<readonly unknown[]> {
  const world = new World(1);
  try {
    let told: readonly unknown[] | undefined;
    const { scheduler } = world;
    const send: Send = async (path, init) => {
      const answer = await world.request(path, { ...init, centre: 0, client: '10.0.0.1' });
      // After this time no copy of a database and no other isolate has what was before the request.
      await new Promise<void>((passed) => scheduler.at(world.nowMs + 70_000, 'pause', passed));
      return answer;
    };
    void history(send, ADMIN_TOKEN).then((answers) => {
      told = answers;
    });
    while (!told) await scheduler.run(world.nowMs + 600_000, 10_000);
    return told;
  } finally {
    world.close();
  }
}

it('a world gives the answers that real processes give to the same history', async () => {
  const real = await byProcesses();
  expect(await byWorld()).toEqual(real);
});
