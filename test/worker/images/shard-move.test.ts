// A shard moves between databases while a version of the service from before the switch, and one from after it, answer requests.
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type MoveOptions, moveShard, type ServiceShards } from '../../../src/cli/shards/move-shard.ts';
import { SHARD_CHECK_MS } from '../../../src/config/limits/images.ts';
import { databasesFrom } from '../../../src/storage/databases.ts';
import { D1ImageRegister } from '../../../src/storage/images/d1-image-register.ts';
import { sha256Hex } from '../../../src/util/bytes.ts';
import { MINUTE_MS } from '../../../src/util/durations.ts';
import { makeImage } from '../../support/imaging/images.ts';
import { MemoryIdSequences } from '../../support/memory/id-sequences.ts';
import type { SampleFile } from '../samples/provide-samples.ts';
import { samples } from '../samples/sample-files.ts';
import { AFTER, authorised, BEFORE, client, idOf, put, type Send, SHARD, service } from '../services.ts';

const [first, second] = samples as [SampleFile, SampleFile];
const NOON = Date.UTC(2024, 4, 10, 12);

const register = () => new D1ImageRegister(databasesFrom(env), new MemoryIdSequences());

/** Status and content of everything that clients get of the images. Tiles are rendered again. */
async function everything(send: Send, ids: readonly number[]) {
  await env.ARCHIVE.delete((await env.ARCHIVE.list({ prefix: 'derived/' })).objects.map(({ key }) => key));
  const paths = [
    ...ids.flatMap((id) => [`/v2/getTile/?id=${id}&x=0&y=0&imageScale=9.68176352`, `/v2/getJP2Header/?id=${id}`]),
    '/v2/getClosestImage/?sourceId=10&date=2024-05-10T12:00:40Z',
    '/v2/getJPX/?sourceId=10&startTime=2024-05-10T12:00:00Z&endTime=2024-05-10T12:10:00Z&cadence=60&linked=false',
    '/v2/getJP2Image/?sourceId=10&date=2024-05-10T12:01:00Z',
    '/v2/getStatus/',
    '/v2/getJPX/?sourceId=26&startTime=2024-05-10T12:00:00Z&endTime=2024-05-10T12:10:00Z&verbose=true',
  ];
  const answers = paths.map(async (path) => {
    const response = await send(path);
    const body = Buffer.from(await response.arrayBuffer()).toString('latin1');
    return [path, response.status, await sha256Hex(body.replaceAll(/"secondsBehind":\d+/g, ''))] as const;
  });
  return Promise.all(answers);
}

async function held(database: D1Database) {
  const { results } = await database
    .prepare('SELECT state FROM held_shards WHERE shard = ?')
    .bind(SHARD)
    .all<{ state: string }>();
  return results.map(({ state }) => state);
}

beforeEach(() => {
  vi.spyOn(console, 'error').mockReturnValue(undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe('a move of a shard', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('never gives a wrong answer, before, during and after the switch', async () => {
    const earlier = service(BEFORE);
    const ids = [await idOf(await put(earlier, first))];
    const foreign = makeImage(26, NOON);
    await register().add(foreign);
    const said: string[] = [];
    const move = (send: Send, wait: MoveOptions['wait']) =>
      moveShard({ client: client(send), shard: SHARD, to: 'IMAGES_SPARE', wait, say: (line) => said.push(line) });

    // While the shard is copied, one image is added and another one withdrawn, which the first pass has copied.
    const whileOpen = client(earlier);
    const withWrites: MoveOptions['client'] = {
      async send(method, path) {
        if (path.includes('/freeze')) {
          ids.push(await idOf(await put(earlier, second)));
          const { image } = await register().add(makeImage(26, NOON + MINUTE_MS));
          await register().withdraw({ id: image.id, atMs: NOON });
        }
        return whileOpen.send(method, path);
      },
    };
    const moveNow = { shard: SHARD, to: 'IMAGES_SPARE', say: (line: string) => said.push(line) };
    expect(await moveShard({ ...moveNow, client: withWrites, wait: async () => undefined })).toBe(false);
    expect([await held(env.IMAGES), await held(env.IMAGES_SPARE)]).toEqual([['frozen'], ['frozen']]);
    const expected = await everything(earlier, ids);
    expect(expected.map(([, status]) => status)).toEqual(expected.map(() => 200));

    const later = service(AFTER);
    expect(await everything(later, ids)).toEqual(expected);
    for (const send of [earlier, later]) {
      const refused = await send(`/admin/images/${first.name}`, { method: 'DELETE', headers: authorised });
      expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '30']);
    }

    const completed = await move(later, async (ms) => {
      expect(await everything(earlier, ids)).toEqual(expected);
      vi.setSystemTime(Date.now() + Number(ms));
      const outdated = await everything(earlier, ids);
      // Answers without a database, such as tiles of known images, stay right; all others are refused.
      for (const [i, answer] of outdated.entries()) {
        if (answer[1] !== 503) expect(answer).toEqual(expected[i]);
      }
      expect(outdated.map(([, status]) => status)).toContain(503);
      expect(await everything(later, ids)).toEqual(expected);
    });
    expect(completed).toBe(true);
    expect([await held(env.IMAGES), await held(env.IMAGES_SPARE)]).toEqual([['moved'], ['open']]);
    expect(said.filter((line) => line.includes('SHA-256'))).toEqual([
      expect.stringMatching(/^IMAGES and IMAGES_SPARE have the same 4 rows, SHA-256 [0-9a-f]{64}$/),
    ]);

    const removed = await later(`/admin/images/${second.name}`, { method: 'DELETE', headers: authorised });
    expect(removed.status).toBe(200);
    const again = await idOf(await put(later, second, '?restore=true'));
    expect(again).toBeGreaterThan(Math.max(...ids));
    expect((await put(earlier, second)).status).toBe(503);

    await client(later).send('POST', `/shards/${SHARD}/delete?from=IMAGES&to=IMAGES_SPARE`);
    const left = await env.IMAGES.prepare(`SELECT count(*) AS count FROM images WHERE id % 16 = ${SHARD}`).first('count');
    expect(left).toBe(0);
    expect((await later(`/v2/getTile/?id=${ids[0]}&x=0&y=0&imageScale=9.68176352`)).status).toBe(200);
    expect((await later(`/v2/getTile/?id=${ids[1]}&x=0&y=0&imageScale=9.68176352`)).status).toBe(410);
  });

  it('finds images by names that belong to a shard that has moved', async () => {
    const image = makeImage(13, NOON, { fileName: '2024_05_10__12_00_00_000__SDO_AIA_AIA_171.jp2' });
    await register().add(image);
    const earlier = service(BEFORE);
    const name = `/admin/images/${image.fileName}`;
    expect((await earlier(name, { headers: authorised })).status).toBe(200);
    const move = (send: Send) =>
      moveShard({ client: client(send), shard: SHARD, to: 'IMAGES_SPARE', wait: async () => undefined, say: () => undefined });
    await move(earlier);
    const later = service(AFTER);
    await move(later);
    await env.IMAGES.prepare('DELETE FROM foreign_names').run();
    expect(await (await later(name, { headers: authorised })).json()).toMatchObject({ sourceId: 13 });
  });

  it('stops before the switch on request, and may be repeated', async () => {
    const earlier = service(BEFORE);
    await put(earlier, first);
    const move = () =>
      moveShard({ client: client(earlier), shard: SHARD, to: 'IMAGES_SPARE', wait: async () => undefined, say: () => undefined });
    expect(await move()).toBe(false);
    await client(earlier).send('POST', `/shards/${SHARD}/cancel?from=IMAGES&to=IMAGES_SPARE`);
    expect([await held(env.IMAGES), await held(env.IMAGES_SPARE)]).toEqual([['open'], []]);
    expect((await put(earlier, second)).status).toBe(201);
    expect(await move()).toBe(false);
  });

  it('refuses a step out of turn and a database that does not exist', async () => {
    const send = service(BEFORE);
    const step = async (path: string) => {
      const response = await send(`/admin/shards/${path}`, { method: 'POST', headers: authorised });
      return [response.status, ((await response.json()) as { error: string }).error];
    };
    const conflict = 'This step of a move is not possible, because';
    expect(await step('10/leave?from=IMAGES&to=IMAGES_SPARE')).toEqual([
      409,
      `${conflict} this version of the service has shard 10 in IMAGES.`,
    ]);
    expect(await step('10/enter?from=IMAGES&to=IMAGES_SPARE')).toEqual([409, `${conflict} shard 10 is not frozen in IMAGES.`]);
    expect(await step('10/open?from=IMAGES&to=IMAGES_SPARE')).toEqual([409, `${conflict} shard 10 has not left IMAGES.`]);
    expect(await step('10/delete?from=IMAGES&to=IMAGES_SPARE')).toEqual([409, `${conflict} IMAGES serves shard 10.`]);
    expect(await step('10/freeze?from=DB&to=IMAGES_SPARE')).toEqual([
      400,
      'Expected one of the image databases IMAGES, IMAGES_ODD, IMAGES_SPARE for from, got DB.',
    ]);
    expect(await step('16/freeze?from=IMAGES&to=IMAGES_SPARE')).toEqual([400, 'Expected 0 to 15 for shard, got 16.']);
    expect((await send('/admin/shards')).status).toBe(401);
  });
});

describe('a map of the shards that does not fit the data', () => {
  it('refuses requests from the first on', async () => {
    await put(service(BEFORE), first);
    const wrong = service('IMAGES_ODD');
    const response = await wrong('/v2/getClosestImage/?sourceId=10&date=2024-05-10T12:00:00Z');
    expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '5']);
    expect(await response.json()).toMatchObject({
      error: 'A part of the image index is being moved. Try again in a few seconds.',
    });
    expect((await put(wrong, second)).status).toBe(503);
    expect(await env.IMAGES_ODD.prepare('SELECT count(*) AS count FROM images').first('count')).toBe(0);
  });

  it('shows within half a minute', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const send = service(BEFORE);
    const closest = async () => (await send('/v2/getClosestImage/?sourceId=10&date=2024-05-10T12:00:00Z')).status;
    await put(send, first);
    expect(await closest()).toBe(200);
    await env.IMAGES.prepare("UPDATE held_shards SET state = 'moved' WHERE shard = 10").run();
    vi.setSystemTime(Date.now() + SHARD_CHECK_MS);
    expect(await closest()).toBe(503);
    vi.useRealTimers();
  });

  it('names the shards of each database', async () => {
    const shown = (await client(service(BEFORE)).send('GET', '/shards')) as ServiceShards;
    expect(shown.serving.slice(0, 2)).toEqual(['IMAGES', 'IMAGES_ODD']);
    expect(shown.databases.map(({ name, shards }) => [name, shards.length])).toEqual([
      ['IMAGES', 8],
      ['IMAGES_ODD', 8],
      ['IMAGES_SPARE', 0],
    ]);
  });
});
