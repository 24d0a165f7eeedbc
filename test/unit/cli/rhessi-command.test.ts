import { writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ProgramError, run } from '../../../src/cli/command.ts';
import { RHESSI_HEADER, rhessiLine } from '../../support/events/event-records.ts';
import { type LocalServer, localServer } from '../../support/system/local-server.ts';
import { testFolder } from '../../support/system/test-folder.ts';

const folder = testFolder();
let batches: string[] = [];
let failures = 0;
const respond: RequestListener = async (request, response) => {
  const text = Buffer.concat(await request.toArray()).toString();
  if (failures-- > 0) return response.writeHead(503).end('{}');
  const isKnown = request.headers.authorization === 'Bearer a-token-for-tests-only' && request.url === '/admin/rhessi';
  if (!isKnown) return response.writeHead(401).end(JSON.stringify({ error: 'Expected the admin token.' }));
  const lines = text.split('\n');
  batches.push(lines.join('\n'));
  const problems = lines.flatMap((line: string, i: number) =>
    line === 'nonsense' ? [{ line: i + 1, error: 'The line does not have 13 columns, but 1.' }] : [],
  );
  response.end(JSON.stringify({ added: lines.length - problems.length, refused: problems.length, problems }));
};
let server: LocalServer;
let env: Record<string, string>;

beforeEach(async () => {
  [batches, failures] = [[], 0];
  server = await localServer(respond);
  env = {
    HELIOEDGE_URL: server.url,
    ADMIN_TOKEN: 'a-token-for-tests-only',
  };
});
afterEach(() => server.close());

function list(...lines: string[]): string {
  const file = join(folder, 'list.csv');
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
  await expect(failed).rejects.toThrow('line 5: The line does not have 13 columns, but 1.');
  await expect(failed).rejects.toThrow('1 flares taken, 1 lines refused');
});

it('explains a wrong token and a file that is not a flare list', async () => {
  const wrong = { ...env, ADMIN_TOKEN: 'another-token-than-it' };
  await expect(run('src/cli/rhessi.ts', [list(rhessiLine())], { env: wrong })).rejects.toThrow(
    `ADMIN_TOKEN is not the token of ${env.HELIOEDGE_URL}.`,
  );
  await expect(run('src/cli/rhessi.ts', ['package.json'], { env })).rejects.toThrow(
    'The list has no line id,start,peak,... before the flares.',
  );
  await expect(run('src/cli/rhessi.ts', [list()], { env })).rejects.toThrow('The list has no flares.');
});
