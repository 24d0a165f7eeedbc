import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { samples as files } from '../samples/sample-files.ts';
import { authorised, idOf, isolate, put, type Send } from '../services.ts';

const [first, second] = files as [(typeof files)[number], (typeof files)[number]];
const DATABASES = [env.DB, env.OPERATIONS, env.IMAGES, env.IMAGES_ODD];
const migrate = (name: string) =>
  Promise.all(DATABASES.map((database) => database.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name).run()));

/** A version in a new isolate, which needs the migration 0001. */
const version = () => isolate({ SCHEMA_MIGRATIONS: 'DB:0001_one,OPERATIONS:0001_one,IMAGES:0001_one' }).send;

it('A version serves reads alone while the schema of a database does not fit, and all when it fits.', async () => {
  await migrate('0001_one.sql');
  await migrate('0002_more.sql');
  const fitting = version();
  const id = await idOf(await put(fitting, first));
  const field = 'imageScale=9.6&x0=0&y0=0&width=64&height=64';
  const screenshot = (size: number) => `/v2/takeScreenshot/?date=2024-05-10T12:00:30Z&layers=[10,1,${size}]&${field}`;
  const taken = await idOf(await fitting(screenshot(100)));
  const reads = [
    '/health',
    `/v2/getTile/?id=${id}&x=0&y=0&imageScale=9.68176352`,
    `/v2/getJP2Image/?id=${id}`,
    `/v2/downloadScreenshot/?id=${taken}`,
    '/v2/getClosestImage/?sourceId=10&date=2024-05-10T12:00:30Z',
    '/v2/getDataSources/',
    '/v2/listImages/?sourceId=10',
  ];
  const statuses = async (send: Send, paths: readonly string[]) =>
    Promise.all(
      paths.map(async (path) => {
        const response = await send(path);
        await response.arrayBuffer();
        return [path, response.status];
      }),
    );
  const readable = reads.map((path) => [path, 200]);
  expect(await statuses(fitting, reads)).toEqual(readable);

  await migrate('0003_contract-one.sql');
  const older = version();
  expect(await statuses(older, reads)).toEqual(readable);
  const stores: readonly Promise<Response>[] = [
    put(older, second),
    older(`/admin/images/${first.name}`, { method: 'DELETE', headers: authorised }),
    older(screenshot(50)),
    older('/v2/shortenURL/?queryString=a=b'),
  ];
  for (const response of await Promise.all(stores)) {
    const { error } = (await response.json()) as { error: string };
    expect([response.url, response.status, error]).toEqual([
      response.url,
      503,
      expect.stringMatching(/^Nothing can be stored at the moment/),
    ]);
    expect(response.headers.get('Retry-After')).toBe('300');
  }
  expect((await older(`/admin/images/${first.name}`, { headers: authorised })).status).toBe(200);

  await Promise.all(DATABASES.map((database) => database.prepare("DELETE FROM d1_migrations WHERE name LIKE '0003%'").run()));
  expect((await put(older, second)).status, 'the same isolate, without waiting').toBe(201);
});
