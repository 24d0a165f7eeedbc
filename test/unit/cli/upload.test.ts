import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminClient, WrongTokenError } from '../../../src/cli/ingest/admin-client.ts';
import type { Jp2Source } from '../../../src/cli/ingest/jp2-sources.ts';
import { uploadAll } from '../../../src/cli/ingest/upload.ts';
import { uploadTable } from '../../../src/cli/ingest/upload-table.ts';
import { MemoryAdminClient } from '../../support/memory/admin-client.ts';

const source = (fileName: string, read = async () => new Uint8Array([1])): Jp2Source => ({
  label: `/archive/${fileName}`,
  fileName,
  remote: false,
  read,
});

describe('uploading many files', () => {
  it('sends each file once within the concurrency limit, and counts the outcomes', async () => {
    const service = new MemoryAdminClient();
    service.images.add('old.jp2');
    const unreadable = source('lost.jp2', async () => {
      throw new Error('Expected a readable file, got none.');
    });
    const files = ['a.jp2', 'b.jp2', 'bad-1.jp2', 'c.jp2', 'old.jp2', 'd.jp2', 'bad-2.jp2'].map((name) => source(name));
    const seen: number[] = [];
    const report = await uploadAll(service, [...files, unreadable], { concurrency: 3, onProgress: (done) => seen.push(done) });
    expect(report).toMatchObject({ added: 4, known: 1, refused: [{}, {}], failed: [{ label: '/archive/lost.jp2' }], left: 0 });
    expect(service.busiest).toBe(3);
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('sends files whose names have other content only to replace it', async () => {
    const service = new MemoryAdminClient();
    service.others.add('other.jp2');
    service.images.add('old.jp2');
    const files = ['other.jp2', 'old.jp2', 'new.jp2'].map((name) => source(name));
    const report = await uploadAll(service, files, { concurrency: 1 });
    expect([report.added, report.known, report.refused, service.puts]).toEqual([1, 1, [expect.anything()], ['new.jp2']]);
    const replaced = await uploadAll(service, files, { concurrency: 1, replace: true });
    expect(replaced).toMatchObject({ added: 1, known: 2, refused: [] });
    expect(service.puts).toEqual(['new.jp2', 'other.jp2']);
  });

  it('finishes the files under way when it is interrupted', async () => {
    const interruption = new AbortController();
    const files = Array.from({ length: 50 }, (_, i) => source(`${i}.jp2`));
    const report = await uploadAll(new MemoryAdminClient(), files, {
      concurrency: 2,
      interrupted: interruption.signal,
      onProgress: (done) => done === 10 && interruption.abort(),
    });
    expect(report.added + report.left).toBe(50);
    expect(report.added).toBeLessThanOrEqual(11);
    expect(uploadTable(report)).toMatch(new RegExp(`^not sent +${report.left}$`, 'm'));
  });

  it('groups refusals by reason in the table', () => {
    const refused = ['a', 'b', 'c', 'd', 'e'].map((name) => {
      return {
        label: `/x/${name}.jp2`,
        reason: name === 'e' ? 'size' : 'malformed',
        sentence: `Expected ${name === 'e' ? 1 : 2}.`,
      };
    });
    expect(uploadTable({ added: 10, known: 0, refused, failed: [], left: 0 })).toBe(`accepted      10
already there  0
refused        5
failed         0

refused 4: malformed: Expected 2.
  a.jp2, b.jp2, c.jp2 and 1 more

refused 1: size: Expected 1.
  e.jp2`);
  });
});

describe('the client of the admin operations', () => {
  let replies: ((request: IncomingMessage, response: ServerResponse) => void)[];
  let requests: string[];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    request.resume().on('end', () => replies.shift()!(request, response));
  });
  let url: string;

  beforeEach(async () => {
    requests = [];
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  });
  afterEach(() => new Promise((done) => server.close(done)));

  const reply =
    (status: number, body: object, headers = {}) =>
    (_: IncomingMessage, response: ServerResponse) =>
      response.writeHead(status, headers).end(JSON.stringify(body));
  const hangUp = (request: IncomingMessage) => void request.socket.destroy();

  it('retries after a lost connection, a 503 and a 429', async () => {
    replies = [hangUp, reply(503, {}, { 'Retry-After': '0' }), reply(429, {}, { 'Retry-After': '0' }), reply(201, {})];
    expect(await adminClient(url, 'token').put('a.jp2', new Uint8Array([1, 2]), 'hash')).toEqual({ outcome: 'added' });
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
    expect(await client.put('a.jp2', new Uint8Array(), 'hash')).toMatchObject({ outcome: 'refused', reason: 'malformed' });
    expect(await client.put('a.jp2', new Uint8Array(), 'hash')).toMatchObject({ outcome: 'refused', reason: 'conflict' });
    expect(requests).toHaveLength(2);
  });

  it('stops all uploads at a wrong token', async () => {
    replies = Array.from({ length: 9 }, () => reply(401, {}));
    const client = adminClient(url, 'token');
    await expect(uploadAll(client, [source('a.jp2'), source('b.jp2')], { concurrency: 1 })).rejects.toThrow(WrongTokenError);
    expect(requests).toEqual(['GET /admin/images/a.jp2']);
  });
});
