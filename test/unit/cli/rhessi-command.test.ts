import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ProgramError, run } from '../../../src/cli/run.ts';
import { RHESSI_HEADER, rhessiLine } from '../../support/events/event-records.ts';

let batches: string[] = [];
let failures = 0;
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  if (failures-- > 0) return response.writeHead(503).end('{}');
  const isKnown = request.headers.authorization === 'Bearer a-token-for-tests-only' && request.url === '/admin/rhessi';
  if (!isKnown) return response.writeHead(401).end(JSON.stringify({ error: 'Expected the admin token.' }));
  const lines = Buffer.concat(chunks).toString().split('\n');
  batches.push(lines.join('\n'));
  const problems = lines.flatMap((line: string, i: number) =>
    line === 'nonsense' ? [{ line: i + 1, error: 'Expected 13 columns, got 1.' }] : [],
  );
  response.end(JSON.stringify({ added: lines.length - problems.length, refused: problems.length, problems }));
});
let env: Record<string, string>;

beforeEach(async () => {
  [batches, failures] = [[], 0];
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  env = {
    HELIOEDGE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ADMIN_TOKEN: 'a-token-for-tests-only',
  };
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

function list(...lines: string[]): string {
  const file = join(mkdtempSync(join(tmpdir(), 'rhessi-')), 'list.csv');
  writeFileSync(file, ['A flare list, with a comment before it', '', RHESSI_HEADER, ...lines, ''].join('\r\n'));
  return file;
}

it('sends the lines after the column names in batches, and retries while the service is busy', async () => {
  failures = 1;
  const lines = Array.from({ length: 2_500 }, (_, i) => rhessiLine({ id: String(i + 1) }));
  expect(await run('src/cli/rhessi.ts', [list(...lines)], { env })).toContain('2500 flares taken, 0 lines refused');
  expect(batches.join('\n').split('\n')).toEqual(lines);
  expect(batches).toHaveLength(2);
});

it('names refused lines by their line number', async () => {
  const failed = run('src/cli/rhessi.ts', [list(rhessiLine(), 'nonsense')], { env });
  await expect(failed).rejects.toThrow(ProgramError);
  await expect(failed).rejects.toThrow('line 5: Expected 13 columns, got 1.');
  await expect(failed).rejects.toThrow('1 flares taken, 1 lines refused');
});

it('explains a wrong token and a file that is not a flare list', async () => {
  const wrong = { ...env, ADMIN_TOKEN: 'another-token-than-it' };
  await expect(run('src/cli/rhessi.ts', [list(rhessiLine())], { env: wrong })).rejects.toThrow(
    'Status 401: Expected the admin token.',
  );
  await expect(run('src/cli/rhessi.ts', ['package.json'], { env })).rejects.toThrow(
    'The list has no line id,start,peak,... before the flares.',
  );
});
