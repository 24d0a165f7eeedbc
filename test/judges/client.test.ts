// The typed client in Chromium, in a page of another site than the service, and in Deno.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';
import { projectRoot } from '../../src/cli/command.ts';
import { needed } from '../support/programs.ts';
import { inFolder } from '../support/system/in-folder.ts';
import { installClient } from '../support/system/installed-client.ts';
import { PACKAGES } from './packages.ts';
import { service, verdict } from './verdicts.ts';
import { serveViewers } from './viewers.ts';

it('the typed client lists images, gets a picture and reads a refusal in Chromium', async () => {
  const { outputFiles } = await build({
    entryPoints: [join(projectRoot, 'clients', 'typescript', 'client.ts')],
    bundle: true,
    format: 'iife',
    globalName: 'helioedge',
    write: false,
  });
  const viewers = await serveViewers();
  onTestFinished(() => viewers.close());
  const page = await viewers.open({});
  await page.addScriptTag({ content: outputFiles[0]!.text });
  const found = await page.evaluate(`(async () => {
    const sun = helioedge.createClient({ baseUrl: '${service}' });
    const hours = [];
    for await (const { date } of sun.images({ sourceId: 10, startTime: new Date('2024-05-10'), endTime: '2024-05-11', limit: 1 }))
      hours.push(helioedge.dateOf(date).getUTCHours());
    const { id } = await sun.get('getClosestImage', { sourceId: 10, date: new Date('2024-05-10T12:00:00Z') });
    const picture = await createImageBitmap(await (await sun.response('downloadImage', { id, width: 128 })).blob());
    const refusal = await sun.get('getClosestImage', { sourceId: 10, date: 'noon' }).catch((error) => error);
    return { hours, width: picture.width, parameter: refusal.parameter, isOwn: refusal instanceof helioedge.ServiceError };
  })()`);
  verdict(`Chromium ${viewers.browser.version()}, typed client`, JSON.stringify(found));
  expect(found).toEqual({ hours: [12, 13, 14], width: 128, parameter: 'date', isOwn: true });
});

const run = promisify(execFile);
const DENO = join(PACKAGES, 'deno', 'bin.cjs');

/** npm installs a program of Deno on the systems that it has one for: not with musl, for example. */
const hasDeno = needed(existsSync(join(PACKAGES, '@deno')), 'Deno');

it.skipIf(!hasDeno)(
  'the program of docs/tools.md runs in Deno, where Deno has a program for the system',
  async () => {
    const page = await readFile(join(projectRoot, 'docs', 'tools.md'), 'utf8');
    const [, program = ''] = /```ts\n(import \{ createClient[\s\S]*?)```/.exec(page) ?? [];
    expect(program).toContain('http://127.0.0.1:8787');
    await inFolder(async (folder) => {
      const deno = async (...args: string[]) => {
        const env = { ...process.env, DENO_DIR: join(folder, 'deno'), NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1' };
        return (await run(process.execPath, [DENO, ...args], { cwd: folder, env })).stdout.trim();
      };
      await installClient(folder);
      await writeFile(join(folder, 'package.json'), '{"type": "module"}');
      await writeFile(join(folder, 'program.ts'), program.replace('http://127.0.0.1:8787', service));
      const version = (await deno('--version')).split(' (')[0];
      // Types are checked, and nothing but the service is allowed.
      const allowed = ['--check', '--no-prompt', '--no-remote', `--allow-net=${new URL(service).host}`];
      const lines = (await deno('run', '--node-modules-dir=manual', ...allowed, 'program.ts')).split('\n');
      verdict(`${version}, typed client`, lines.join('; '));
      const hours = [12, 13, 14].map((hour) => expect.stringMatching(new RegExp(`^\\d+ 2024-05-10T${hour}:00:`)));
      expect(lines).toEqual(hours);
    });
  },
  120_000,
);
