import { mkdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { adminClient, type UploadFlags, WrongTokenError } from '../../../src/cli/ingest/admin-client.ts';
import { type IngestState, openIngestState } from '../../../src/cli/ingest/ingest-state.ts';
import { filesBelow, findSources, type Jp2Source } from '../../../src/cli/ingest/jp2-sources.ts';
import { Outcomes } from '../../../src/cli/ingest/outcomes.ts';
import { uploadAll } from '../../../src/cli/ingest/upload.ts';
import { watchedFiles } from '../../../src/cli/ingest/watched-folders.ts';
import { runCommand } from '../../support/commands.ts';
import { MemoryAdminClient } from '../../support/memory/admin-client.ts';
import { type LocalServer, localServer } from '../../support/system/local-server.ts';
import { testFolder } from '../../support/system/test-folder.ts';

const source = (fileName: string, read = async () => new TextEncoder().encode(fileName)): Jp2Source => ({
  label: `/archive/${fileName}`,
  fileName,
  remote: false,
  version: async () => 'one',
  read,
});

it('uploading many files sends each file once within the concurrency limit, and counts the outcomes', async () => {
  const service = new MemoryAdminClient();
  service.images.add('old.jp2');
  const unreadable = source('lost.jp2', async () => {
    throw new Error('Expected a readable file, got none.');
  });
  const files = ['a.jp2', 'b.jp2', 'bad-1.jp2', 'c.jp2', 'old.jp2', 'd.jp2', 'bad-2.jp2'].map((name) => source(name));
  const seen: number[] = [];
  const report = await uploadAll(service, [...files, unreadable], { concurrency: 3, onProgress: (done) => seen.push(done) });
  expect(report).toMatchObject({ added: 4, known: 1, refused: 2, failed: 1 });
  expect(service.busiest).toBe(3);
  expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

it('uploading many files sends files whose names have other content only to replace it', async () => {
  const service = new MemoryAdminClient();
  service.others.add('other.jp2');
  service.images.add('old.jp2');
  const files = ['other.jp2', 'old.jp2', 'new.jp2'].map((name) => source(name));
  const report = await uploadAll(service, files, { concurrency: 1 });
  expect([report.added, report.known, report.refused, service.puts]).toEqual([1, 1, 1, ['new.jp2']]);
  const replaced = await uploadAll(service, files, { concurrency: 1, flags: { replace: true } });
  expect(replaced).toMatchObject({ added: 1, known: 2, refused: 0 });
  expect(service.puts).toEqual(['new.jp2', 'other.jp2']);
});

it('uploading many files finishes the files under way when it is interrupted', async () => {
  const interruption = new AbortController();
  const files = Array.from({ length: 50 }, (_, i) => source(`${i}.jp2`));
  const report = await uploadAll(new MemoryAdminClient(), files, {
    concurrency: 2,
    interrupted: interruption.signal,
    onProgress: (done) => done === 10 && interruption.abort(),
  });
  expect(report.added).toBeGreaterThanOrEqual(10);
  expect(report.added).toBeLessThanOrEqual(12);
});

it('uploading many files counts an accepted file with a warning as added, and reports the warning', () => {
  const reported: unknown[] = [];
  const outcomes = new Outcomes((problem) => reported.push(problem));
  outcomes.note('/x/a.jp2', { outcome: 'added', warning: 'The codestream does not end with EOC.' });
  expect(outcomes).toMatchObject({ added: 1, warned: 1, refused: 0, first: null, exitStatus: 0 });
  expect(reported).toEqual([{ label: '/x/a.jp2', outcome: 'warned', sentence: 'The codestream does not end with EOC.' }]);
  expect(outcomes.table()).toContain('warned 1: The codestream does not end with EOC.\n  a.jp2');
});

it('uploading many files groups refusals by reason in the table, and reports each as it arises', () => {
  const reported: string[] = [];
  const outcomes = new Outcomes(({ label }) => reported.push(label));
  outcomes.added = 10;
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    const [reason, number] = name === 'e' ? ['size', 1] : ['malformed', 2];
    outcomes.note(`/x/${name}.jp2`, { outcome: 'refused', reason: String(reason), sentence: `Expected ${number}.` });
  }
  expect(reported).toHaveLength(5);
  expect(outcomes.table()).toBe(`accepted      10
already there  0
refused        5
failed         0

refused 4: malformed: Expected 2.
  a.jp2, b.jp2, c.jp2 and 1 more

refused 1: size: Expected 1.
  e.jp2`);
});

it('uploading many files keeps a bounded number of reasons', () => {
  const outcomes = new Outcomes();
  for (let i = 0; i < 500; i += 1) outcomes.note(`${i}.jp2`, new Error(`Expected ${i}.`));
  expect(outcomes.table()).toContain('failed 450: other reasons');
  expect(outcomes.table().split('\n').length).toBeLessThan(200);
});

it('uploading many files gives the exit status 1 after failures, 2 after refusals alone, and 0 otherwise', () => {
  const outcomes = new Outcomes();
  outcomes.note('a.jp2', { outcome: 'added' });
  const statuses = [outcomes.exitStatus];
  outcomes.note('b.jp2', { outcome: 'refused', reason: 'malformed', sentence: 'Expected a JP2 file.' });
  statuses.push(outcomes.exitStatus);
  outcomes.note('c.jp2', new Error('The disk failed.'));
  statuses.push(outcomes.exitStatus);
  expect(statuses).toEqual([0, 2, 1]);
});

describe('the state of an ingest', () => {
  const folder = testFolder('each test');
  const open = (url = 'http://one.test') => openIngestState(join(folder, 'state.sqlite'), url);

  async function run(state: IngestState, files: readonly string[], service = new MemoryAdminClient(), flags: UploadFlags = {}) {
    const read: string[] = [];
    const sources = files.map((name) =>
      source(name, async () => {
        read.push(name);
        return new TextEncoder().encode(name);
      }),
    );
    const { added, known, refused } = await uploadAll(service, sources, { concurrency: 2, state, flags });
    state.close();
    return { read, finds: service.finds, added, known, refused };
  }

  it('lets a repeated run neither read nor look up a file, and repeats its outcome', async () => {
    const files = ['a.jp2', 'bad.jp2'];
    expect(await run(open(), files)).toMatchObject({ read: files, added: 1, refused: 1 });
    expect(await run(open(), files)).toEqual({ read: [], finds: [], added: 0, known: 1, refused: 1 });
  });

  it('belongs to one service, and sends a file that is to be restored, whatever became of it in an earlier run', async () => {
    await run(open(), ['a.jp2']);
    expect(await run(open('http://two.test'), ['a.jp2'])).toMatchObject({ read: ['a.jp2'], added: 1 });
    const service = new MemoryAdminClient();
    service.images.add('a.jp2');
    await run(open(), ['a.jp2'], service, { restore: true });
    expect([service.finds, service.puts]).toEqual([[], ['a.jp2']]);
  });

  it('keeps no refusal of the archive or of a token, which may change, and asks again for a file that has changed', async () => {
    const service = new MemoryAdminClient();
    service.others.add('a.jp2');
    expect(await run(open(), ['a.jp2'], service)).toMatchObject({ refused: 1 });
    service.others.clear();
    expect(await run(open(), ['a.jp2'], service)).toMatchObject({ added: 1 });
    const state = open();
    state.keep('/a.jp2', '7 1000', { outcome: 'added' });
    expect([state.find('/a.jp2', '7 1000'), state.find('/a.jp2', '7 2000')]).toEqual([{ outcome: 'added' }, null]);
    for (const reason of ['withdrawn', 'status 403', 'size'])
      state.keep(`/${reason}.jp2`, '7 1000', { outcome: 'refused', reason, sentence: 'No.' });
    const kept = ['withdrawn', 'status 403', 'size'].filter((reason) => state.find(`/${reason}.jp2`, '7 1000'));
    expect(kept).toEqual(['size']);
    state.close();
  });
});

describe('the files of an ingest', () => {
  const folder = testFolder('each test');
  beforeEach(async () => {
    await mkdir(join(folder, '2024/01'), { recursive: true });
    for (const name of ['b.jp2', 'a.jp2', '2024/01/c.jp2', 'notes.txt']) await writeFile(join(folder, name), name);
  });
  const names = async (paths: readonly string[], input = '') => {
    const found: string[] = [];
    for await (const { fileName } of findSources(paths, Readable.from([input]))) found.push(fileName);
    return found;
  };

  it('come from folders in order, and from a list on standard input', async () => {
    expect(await names([folder])).toEqual(['c.jp2', 'a.jp2', 'b.jp2']);
    const list = `${join(folder, 'b.jp2')}\n\nhttp://archive.test/x/d.jp2\nhttp://archive.test/%zz.jp2\n`;
    expect(await names(['-'], list)).toEqual(['b.jp2', 'd.jp2', '%zz.jp2']);
  });

  it('include links to files, but neither links to folders, which may lead back, nor broken ones', async () => {
    for (const [name, to] of Object.entries({ 'link.jp2': 'a.jp2', 'loop.jp2': '.', 'broken.jp2': 'nowhere' }))
      await symlink(join(folder, to), join(folder, '2024', name));
    expect(await names([folder])).toEqual(['c.jp2', 'link.jp2', 'a.jp2', 'b.jp2']);
  });

  it('arrive before the whole list is read', async () => {
    const list = new PassThrough();
    list.write('http://archive.test/0.jp2\n');
    const sources = findSources(['-'], list);
    expect((await sources.next()).value).toMatchObject({ fileName: '0.jp2' });
    list.end();
    expect((await sources.next()).done).toBe(true);
  });

  it('remain complete but for folders that vanish during the walk', async () => {
    for (const path of ['2024/02/d.jp2', '2024/03/e.jp2']) {
      await mkdir(join(folder, path, '..'), { recursive: true });
      await writeFile(join(folder, path), path);
    }
    const found: string[] = [];
    for await (const { fileName } of filesBelow(folder)) {
      if (found.length === 0) await rm(join(folder, '2024/02'), { recursive: true });
      found.push(fileName);
    }
    expect(found).toEqual(['c.jp2', 'e.jp2', 'a.jp2', 'b.jp2']);
  });

  it('include the present ones of a watched folder, then new ones once they are complete', async () => {
    const ended = new AbortController();
    const settledMs = 150;
    const nowMs = Date.now();
    vi.useFakeTimers({ toFake: ['Date'], now: nowMs + 1_000 });
    const found = watchedFiles([folder], ended.signal, new Set(), { settledMs, lookMs: 10, walkMs: 100_000 });
    const take = async () => (await found.next()).value?.fileName;
    expect([await take(), await take(), await take()].sort()).toEqual(['a.jp2', 'b.jp2', 'c.jp2']);
    const next = take();
    const early = () => Promise.race([next, sleep(100, 'not complete')]);
    vi.setSystemTime(nowMs);
    const path = join(folder, '2024/01/new.jp2');
    await writeFile(path, 'half');
    expect(await early()).toBe('not complete');
    await writeFile(path, 'whole');
    const { mtimeMs } = await stat(path);
    vi.setSystemTime(mtimeMs + settledMs - 2);
    expect(await early()).toBe('not complete');
    vi.setSystemTime(mtimeMs + settledMs + 2);
    expect(await next).toBe('new.jp2');
    vi.useRealTimers();
    ended.abort();
    expect((await found.next()).done).toBe(true);
  });

  it('include those of a watched folder that their writers have dated later than now, and those that could not be sent', async () => {
    const tomorrow = Date.now() / 1000 + 86_400;
    await utimes(join(folder, '2024/01/c.jp2'), tomorrow, tomorrow);
    const failed = new Set([join(folder, 'b.jp2')]);
    const times = { settledMs: 5, lookMs: 5, walkMs: 100_000 };
    const found = watchedFiles([join(folder, '2024')], new AbortController().signal, failed, times);
    const taken = [await found.next(), await found.next()].map(({ value }) => value?.fileName);
    expect([taken.sort(), failed.size]).toEqual([['b.jp2', 'c.jp2'], 0]);
    await found.return(undefined);
  });

  it('end with a sentence when a watched folder is not there any more', async () => {
    const found = watchedFiles([folder], new AbortController().signal, new Set(), { settledMs: 0, lookMs: 5, walkMs: 0 });
    for (let i = 0; i < 3; i++) await found.next();
    await rm(folder, { recursive: true });
    const rest = (async () => {
      for await (const _ of found);
    })();
    await expect(rest).rejects.toThrow(`The watched folder ${folder} is not there any more.`);
  });
});

describe('the client of the admin operations', () => {
  let replies: ((request: IncomingMessage, response: ServerResponse) => void)[];
  let requests: string[];
  let server: LocalServer;
  let url: string;

  beforeEach(async () => {
    requests = [];
    server = await localServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      request.resume().on('end', () => replies.shift()!(request, response));
    });
    url = server.url;
  });
  afterEach(() => server.close());

  const reply =
    (status: number, body: object, headers = {}) =>
    (_: IncomingMessage, response: ServerResponse) =>
      response.writeHead(status, headers).end(JSON.stringify(body));
  const hangUp = (request: IncomingMessage) => void request.socket.destroy();

  it('retries after a lost connection, a 503 and a 429', async () => {
    replies = [hangUp, reply(503, {}, { 'Retry-After': '0' }), reply(429, {}, { 'Retry-After': '0' }), reply(201, {})];
    expect(await adminClient(url, 'token').put('a.jp2', new Uint8Array([1, 2]))).toEqual({ outcome: 'added' });
    expect(requests).toEqual(Array.from({ length: 4 }, () => 'PUT /admin/images/a.jp2'));
  });

  it('fails with the sentence of the service after six attempts', async () => {
    replies = Array.from({ length: 6 }, () => reply(500, { error: 'The disk is full.' }, { 'Retry-After': '0' }));
    await expect(adminClient(url, 'token').find('a.jp2')).rejects.toThrow('Status 500: The disk is full.');
    expect(requests).toHaveLength(6);
  });

  it('does not retry a refused file', async () => {
    replies = [
      reply(422, { error: 'Expected a box, got noise.', reason: 'malformed' }),
      reply(409, { error: 'Expected the same.' }),
    ];
    const client = adminClient(url, 'token');
    expect(await client.put('a.jp2', new Uint8Array())).toMatchObject({ outcome: 'refused', reason: 'malformed' });
    expect(await client.put('a.jp2', new Uint8Array())).toMatchObject({ outcome: 'refused', reason: 'conflict' });
    expect(requests).toHaveLength(2);
  });

  it('stops all uploads at a wrong token', async () => {
    replies = Array.from({ length: 9 }, () => reply(401, {}));
    const client = adminClient(url, 'token');
    await expect(uploadAll(client, [source('a.jp2'), source('b.jp2')], { concurrency: 1 })).rejects.toThrow(WrongTokenError);
    expect(requests).toEqual(['GET /admin/images/a.jp2']);
  });
});

describe('npm run ingest', () => {
  const folder = testFolder();

  it('ends when its token is not valid any more, also while it watches a folder', async () => {
    const server = await localServer((request, response) => {
      const isGood = ['/health', '/admin/images'].includes(request.url!);
      request.resume().on('end', () => response.writeHead(isGood ? 200 : 401).end('{"sources": []}'));
    });
    await writeFile(join(folder, 'a.jp2'), 'a');
    const env = { HELIOEDGE_URL: server.url, ADMIN_TOKEN: 'token', STATE_DIR: folder };
    const { code, stderr } = await runCommand('src/cli/ingest.ts', ['--watch', folder], env);
    expect([code, stderr]).toEqual([1, `ADMIN_TOKEN is not the token of ${server.url}.\n`]);
    await server.close();
  });
});
