// The end of a history: faults stop, an hour passes, and everything is compared.
import type { Heartbeat } from '../../src/operator/status/d1-status-register.ts';
import { type InvocationCost, JOBS, jobStates, jobsOf, OTHER_COSTS } from '../../src/operator/status/jobs.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/platform/util/durations.ts';
import { textOf } from './clients/answers.ts';
import { type Clients, PICTURE } from './clients/clients.ts';
import { CONTENTS, FOUND } from './files.ts';
import type { Checks } from './statements.ts';
import type { World } from './world.ts';

const [FINISHED, INVALID] = [2, 3];
const REASONS = /withdrawn or replaced|stopped responding|video encoder|worker is full|damaged or missing|did not respond/;

/** Awaits work of clients while the world runs. */
async function during<T>(world: World, work: () => Promise<T>): Promise<T> {
  let result: PromiseSettledResult<T> | undefined;
  void Promise.allSettled([work()]).then(([settled]) => {
    result = settled;
  });
  for (let i = 0; !result; i += 1) {
    await world.scheduler.run(world.nowMs + MINUTE_MS, 20_000);
    if (i > 20) throw new Error('A client waits for more than twenty minutes.');
  }
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

export async function expectQuiet(world: World, clients: Clients, checks: Checks): Promise<void> {
  world.armed.length = 0;
  world.outages.clear();
  world.refusals = [];
  world.videoHost.faults = [];
  if (world.mirrored) world.mirrored.faults = [];
  // The clock runs where it has something to do, and at last before it is looked at.
  const isBusy = clients.movies.size > 0 || clients.hasWebhook || clients.shares.size > 0 || world.mirrored !== null;
  const often = isBusy ? 1 : 0;
  const hasSwept = isBusy || clients.put.size > 0 || clients.archive.names.some(({ isTouched }) => isTouched);
  await world.pass(2 * MINUTE_MS, often);
  if (world.lostNotices > 0) await during(world, () => clients.run({ do: 'index' }));
  if (clients.isRestored && !clients.isMoving) await during(world, () => clients.followRestoration());
  await during(world, () => clients.resume());
  // A sweep that was broken off keeps the name of its upload for five minutes.
  if (clients.isMoving && !clients.hasMoved && (await during(world, () => clients.repeatFailed())) !== 0) {
    await world.pass(9 * MINUTE_MS, 3);
    await during(world, () => clients.repeatFailed());
  }
  await world.pass(65 * MINUTE_MS, 2 * (clients.isMoving ? 1 : often));
  if (clients.isMoving) {
    // A removal of the last sweep is repeated.
    await world.pass(6 * MINUTE_MS, 2);
    await during(world, () => clients.endMove());
  }
  await world.pass(4 * MINUTE_MS, hasSwept ? 1 : 0);
  // What was being uploaded at a restoration is compared again after its hour, when the clock has swept it.
  if (clients.isRestored) await during(world, () => clients.reconcile(true));
  await world.pass(HOUR_MS, clients.isRestored ? 1 : often);
  await world.pass(2 * MINUTE_MS, 1);
  if (checks.broken) return;
  await during(world, async () => {
    await expectImages(world, clients, checks);
    await expectMirrored(world, clients, checks);
    await clients.compareCached();
    await expectMovies(clients, checks);
    await expectShared(world, clients, checks);
    await expectOwned(world, clients, checks);
  });
  expectAnnounced(world, clients, checks);
  expectIdle(world, checks);
  expectBounded(world, checks);
}

async function expectImages(world: World, clients: Clients, checks: Checks): Promise<void> {
  const { archive } = clients;
  const now = new Map<string, number | null>();
  for (const name of archive.names.filter(({ isTouched }) => isTouched)) {
    const image = await clients.look(name);
    checks.expect('served', image !== undefined, () => `${name.letter} cannot be looked up.`);
    now.set(name.letter, image?.id ?? null);
  }
  const rows = [world.databases.IMAGES, world.databases.IMAGES_ODD].flatMap((each) =>
    each.rows<{ id: number }>(`SELECT id FROM images WHERE source_id = ${CONTENTS[0]!.sourceId}`),
  );
  const unknown = rows.filter(({ id }) => ![...now.values()].includes(id));
  checks.expect('served', unknown.length === 0, () => `rows are of no name that was uploaded: ${JSON.stringify(unknown)}`);
  clients.isRestored = false;
  const stable = [...archive.ids].filter(([, { name }]) => name === 'stable').map(([id]) => id);
  stable.splice(world.seed % stable.length, 1);
  for (const [id, known] of archive.ids) {
    // One of the images that stay: nothing changes one of them more than another.
    if (stable.includes(id)) continue;
    const isThere = known.name === 'stable' || now.get(known.name) === id;
    if (!isThere) known.goneFromMs = 0;
    if (isThere) known.goneFromMs = null;
    for (const centre of [0, 1])
      await clients.view(id, PICTURE, { statuses: isThere ? [200] : clients.hasLostRows ? [404, 410] : [410], centre });
    await clients.file(id);
    if (isThere && known.name !== 'stable') {
      const { status } = await world.direct(`/v2/getJP2Image/?id=${id}`);
      checks.expect('served', status === 200, () => `the file of ${id} of ${known.name} is ${status}.`);
    }
  }
  for (const number of clients.put) {
    const { name, sha256, sourceId } = FOUND[number]!;
    const answer = await clients.send(`/v2/getClosestImage/?sourceId=${sourceId}&date=${FOUND[number]!.date}`);
    checks.expect('indexed', answer.status === 200, () => `${name} is not found: ${textOf(answer).slice(0, 200)}`);
    if (answer.status !== 200) continue;
    const { id } = JSON.parse(textOf(answer)) as { id: string };
    const file = await clients.send(`/v2/getJP2Image/?id=${id}`);
    const isOwn = FOUND.some((each, i) => clients.put.has(i) && Buffer.compare(each.bytes, file.body) === 0);
    checks.expect('indexed', isOwn, () => `the file of ${id} is not ${name} (${sha256.slice(0, 8)}), but ${file.status}.`);
  }
}

async function expectMirrored({ mirrored }: World, clients: Clients, checks: Checks): Promise<void> {
  for (const { name, sourceId, date, bytes } of mirrored?.files.values() ?? []) {
    const answer = await clients.send(`/v2/getClosestImage/?sourceId=${sourceId}&date=${date}`);
    const { id } = JSON.parse(textOf(answer)) as { id?: string };
    const file = await clients.send(`/v2/getJP2Image/?id=${id}`);
    checks.expect('mirrored', Buffer.compare(bytes, file.body) === 0, () => `${name} is ${file.status}: ${textOf(answer)}`);
  }
}

async function expectMovies(clients: Clients, checks: Checks): Promise<void> {
  for (const id of clients.movies) {
    const answer = await clients.send(`/v2/getMovieStatus/?id=${id}&format=mp4`);
    const { status, error } = JSON.parse(textOf(answer)) as { status?: number; error?: string };
    const hasEnded = status === FINISHED || (status === INVALID && REASONS.test(error ?? ''));
    checks.expect('ends', hasEnded || clients.isDatabaseRestored, () => `the movie ${id} is ${textOf(answer).slice(0, 300)}`);
    if (status !== FINISHED) continue;
    const texts: string[] = [];
    for (const format of ['mp4', 'mp4&hq=true', 'webm']) {
      const file = await clients.send(`/v2/downloadMovie/?id=${id}&format=${format}`);
      texts.push(textOf(file));
    }
    const isSame = texts.every((text) => text === texts[0]);
    checks.expect('frames', isInOrder(texts[0]!) && isSame, () => `the files of the movie ${id} are ${JSON.stringify(texts)}`);
  }
}

function isInOrder(frames: string): boolean {
  const times = frames.split('\n').map((line) => Number(line.split(' ')[0]));
  return times.length > 2 && !frames.includes('none') && times.slice(0, -1).every((time, i) => i === 0 || time > times[i - 1]!);
}

async function expectShared({ videoHost }: World, clients: Clients, checks: Checks): Promise<void> {
  for (const [id, cookie] of clients.shares) {
    const answer = await clients.send(`/v2/uploadMovieToVideoHost/?id=${id}`, { headers: { Cookie: cookie } });
    const { status, error } = JSON.parse(textOf(answer)) as { status?: string; error?: string };
    const hosted = [...videoHost.host.videos.values()].filter(({ resource }) => resource.snippet.title === id);
    const file = await clients.send(`/v2/downloadMovie/?id=${id}&format=mp4&hq=true`);
    // A movie that was made again and failed has no file to compare.
    const isWhole = ({ bytes }: { readonly bytes: Uint8Array }) =>
      file.status === 409 ? isInOrder(Buffer.from(bytes).toString()) : Buffer.compare(bytes, file.body) === 0;
    const isPublished = status === 'uploaded.' && hosted.length === 1 && isWhole(hosted[0]!);
    const isRight = isPublished || (hosted.length <= 1 && typeof error === 'string' && error !== '');
    const detail = () => `${hosted.length} videos of the movie ${id} are published, whose share is ${textOf(answer)}`;
    checks.expect('shared', isRight || clients.isDatabaseRestored, detail);
  }
}

async function expectOwned(world: World, clients: Clients, checks: Checks): Promise<void> {
  // The row that a restored database lost may be one of an instant that another file has now: the comparison names its file to the operator.
  const isTold = ({ kind }: { readonly kind?: string }) => clients.hasLostRows && kind === 'unindexed';
  const faults = (await clients.reconcile(false))?.filter((fault) => !isTold(fault as object)) ?? null;
  checks.expect('owned', faults !== null && faults.length === 0, () => `objects and rows differ: ${JSON.stringify(faults)}`);
  const journal = world.databases.OPERATIONS.rows<{ key: string }>("SELECT key FROM uploads WHERE file_name <> ''");
  checks.expect('owned', journal.length === 0, () => `the journal has ${JSON.stringify(journal)}`);
  const ids = new Set(
    [world.databases.IMAGES, world.databases.IMAGES_ODD]
      .flatMap((each) => each.rows<{ id: number }>('SELECT id FROM images'))
      .map(({ id }) => String(id)),
  );
  const records = [...world.bucket.objects.keys()].filter((key) => key.startsWith('facts/') && key.endsWith('.json'));
  const lost = records.filter((key) => !ids.has(/(\d+)[^/]*$/.exec(key)?.[1] ?? ''));
  checks.expect('owned', lost.length === 0, () => `records of images without a row: ${lost.join()}`);
  const parts = world.databases.DB.rows<{ n: number }>(
    'SELECT count(*) AS n FROM movie_parts WHERE build_id NOT IN (SELECT id FROM movie_builds)',
  );
  checks.expect('owned', parts[0]!.n === 0, () => `${parts[0]!.n} segments of movies that are gone.`);
}

function expectAnnounced(world: World, clients: Clients, checks: Checks): void {
  if (!clients.hasWebhook) return;
  const letters = world.databases.OPERATIONS.rows<{ body: string }>('SELECT body FROM dead_letters').map(({ body }) => body);
  const told = [...world.received, ...letters].join('\n');
  for (const id of clients.toAnnounce) {
    if (clients.archive.ids.get(id)?.goneFromMs !== null) continue;
    checks.expect('announced', new RegExp(`"id\\\\?":${id}\\b`).test(told), () => `the image ${id} is announced nowhere.`);
  }
}

function expectIdle(world: World, checks: Checks): void {
  checks.expect('quiet', world.queues.waiting === 0, () => `messages wait: ${world.queues.bodies().join('\n').slice(0, 500)}`);
  checks.expect('quiet', world.queues.expired === 0, () => `${world.queues.expired} messages were kept for too long.`);
  const beats = world.databases.OPERATIONS.rows<Heartbeat>('SELECT name, ok_at_ms AS "okAtMs" FROM heartbeats');
  for (const { name, isLate } of jobStates(beats, world.nowMs))
    if (world.runs(name)) checks.expect('quiet', !isLate, () => `the job ${name} is late.`);
  const held = world.databases.DB.rows<{ id: number }>('SELECT id FROM movie_builds WHERE lease_until_ms IS NOT NULL');
  checks.expect('quiet', held.length === 0, () => `leases are held on the builds ${held.map(({ id }) => id).join()}`);
  const uploads = world.databases.DB.rows<{ name: string }>('SELECT name FROM movie_uploads');
  checks.expect('quiet', uploads.length === 0, () => `uploads of movies are under way: ${JSON.stringify(uploads)}`);
}

const sumOf = (costs: readonly InvocationCost[]): InvocationCost => ({
  subrequests: costs.reduce((sum, { subrequests }) => sum + subrequests, 0),
  statements: costs.reduce((sum, { statements }) => sum + statements, 0),
});

/** Most calls of an invocation of each kind. Requests have those of the platform. */
const BOUNDS: Readonly<Record<string, InvocationCost>> = {
  ...Object.fromEntries(jobsOf('queue').map((name) => [`job ${name}`, sumOf([JOBS[name], OTHER_COSTS.message])])),
  'job uploads': sumOf([JOBS.runVideoUploads, OTHER_COSTS.message]),
  'job mirror-file': OTHER_COSTS.mirrorFile,
  cron: sumOf([OTHER_COSTS.clock, ...jobsOf('clock').map((name) => JOBS[name])]),
  'helioedge-jobs': sumOf(Array.from({ length: 4 }, () => sumOf([JOBS.wakeMovieWorkers, OTHER_COSTS.message]))),
  'helioedge-objects': OTHER_COSTS.notices,
  'helioedge-webhooks': OTHER_COSTS.webhook,
  'helioedge-jobs-dead': { subrequests: 20, statements: 20 },
  'helioedge-objects-dead': { subrequests: 20, statements: 20 },
  request: { subrequests: 10_000, statements: 1000 },
  'movie worker': { subrequests: 10_000, statements: 1000 },
};

function expectBounded(world: World, checks: Checks): void {
  for (const [kind, { calls, statements }] of world.costs) {
    const most = BOUNDS[kind] ?? { subrequests: 0, statements: 0 };
    const isBounded = calls <= most.subrequests && statements <= most.statements;
    checks.expect('bounded', isBounded, () => `an invocation of ${kind} made ${calls} calls with ${statements} statements.`);
  }
}
