import { afterAll, expect, it } from 'vitest';
import { MOVIE_NUDGE } from '../../../src/movies/worker-protocol.ts';
import { DEAD_LETTERS } from '../../../src/platform/limits/status.ts';
import { UPLOAD_NUDGE } from '../../../src/sharing/videos/share.ts';
import { consumeQueue } from '../../../src/worker/background.ts';
import { createApp } from '../../../src/worker/worker.ts';
import { runCommand, runHere } from '../../support/commands.ts';
import { batchOf } from '../../support/memory/background-jobs.ts';
import { serveApp } from '../../support/serve-app.ts';
import { testFolder } from '../../support/system/test-folder.ts';
import { testServices } from '../../support/test-services.ts';

const ADMIN_TOKEN = 'a-token-of-this-test';
const NOTICE = { action: 'PutObject', object: { key: 'jp2/AIA/a.jp2', size: 7 } };
const BODIES = [NOTICE, MOVIE_NUDGE, UPLOAD_NUDGE];

const folder = testFolder();
const sent: unknown[][] = [];
const services = testServices({
  variables: { ADMIN_TOKEN },
  clock: () => Date.UTC(2026, 4, 10),
  send: async (queue, messages) => void sent.push([queue, ...messages]),
});
const served = await serveApp(async (request) => createApp(services).fetch(request));
afterAll(() => served.close());

const env = { HELIOEDGE_URL: served.url, ADMIN_TOKEN, STATE_DIR: folder };
const command = (...args: string[]) => runHere('src/cli/dead-letters.ts', args, env);

it('npm run dead-letters lists each message that no consumer could work off once, and sends all to their queues again', async () => {
  expect(await command()).toMatchObject({ code: 0, stdout: '0 dead letters\n' });
  for (const _ of ['first', 'second']) await consumeQueue(batchOf('helioedge-jobs-dead', BODIES), services);
  expect(await runCommand('src/cli/dead-letters.ts', [], env)).toEqual({
    code: 2,
    stderr: '',
    stdout: [
      ...BODIES.map((body) => `2026-05-10T00:00:00Z helioedge-jobs-dead ${JSON.stringify(body)}\n`),
      '3 dead letters\n',
    ].join(''),
  });
  expect((await services.status.read()).deadLetters).toBe(3);
  expect(await command('--replay')).toMatchObject({ code: 0, stdout: '3 sent again\n' });
  expect(sent).toEqual([
    ['OBJECTS', NOTICE],
    ['JOBS', MOVIE_NUDGE],
    ['LONG_JOBS', UPLOAD_NUDGE],
  ]);
  expect(await command()).toMatchObject({ code: 0, stdout: '0 dead letters\n' });
  const { entries } = { entries: await services.audit.list({ before: Number.MAX_SAFE_INTEGER, limit: 10 }) };
  expect(entries).toMatchObject([{ action: 'replay', subject: '3 dead letters' }]);
});

it('Only the newest dead letters are kept.', async () => {
  const letters = Array.from({ length: 20 }, (_, i) => ({ id: `letter-${i}`, body: i }));
  await services.deadLetters.keepLetters('a-dead', letters as never);
  await services.databases.operations.prepare('UPDATE dead_letters SET number = number + ?').bind(DEAD_LETTERS.kept).run();
  await services.deadLetters.keepLetters('a-dead', [{ id: 'newest', body: 1 }] as never);
  expect(await services.databases.operations.prepare('SELECT count(*) AS kept FROM dead_letters').first('kept')).toBe(21);
  await services.databases.operations.prepare('UPDATE dead_letters SET number = 1 WHERE id = ?').bind('letter-0').run();
  await services.deadLetters.keepLetters('a-dead', [{ id: 'later', body: 1 }] as never);
  const oldest = await services.databases.operations.prepare('SELECT id FROM dead_letters ORDER BY number LIMIT 1').first('id');
  expect(oldest).toBe('letter-1');
});
