// The version before the schema was released and this one on one state folder, in turns: each works with what the other has left.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { seriesShots } from '../../demo/archive.ts';
import { projectRoot } from '../../src/cli/command.ts';
import { freePort, type Started, startService, WITHOUT_EVENTS } from '../support/commands.ts';
import { readPng } from '../support/imaging/read-png.ts';
import { writeSampleFiles } from '../support/sample-files.ts';
import { testFolder } from '../support/system/test-folder.ts';

/** The last commit before the schema was released. */
const BEFORE = 'b1e25849bd62';
const NOON = Date.UTC(2024, 4, 10, 12);

const folder = testFolder();
let running: Started | null = null;
afterAll(async () => void (await running?.interrupt()));

/** The code of the version before, with the packages of this one. */
function codeBefore(): string {
  const code = join(folder, 'before');
  mkdirSync(code);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: projectRoot, stdio: 'pipe', maxBuffer: 1 << 30 });
  try {
    git('cat-file', '-e', `${BEFORE}^{commit}`);
  } catch {
    throw new Error(`The repository has no commit ${BEFORE}: fetch its whole history, by git fetch --unshallow.`);
  }
  execFileSync('tar', ['-x', '-C', code], { input: git('archive', BEFORE) });
  symlinkSync(join(projectRoot, 'node_modules'), join(code, 'node_modules'));
  // Everything but the core and the Worker is the same for these requests, and newer than the sources, so that it is not built again.
  for (const built of ['overlay-font.ttf', 'web', 'movie']) {
    cpSync(join(projectRoot, 'build', built), join(code, 'build', built), { recursive: true });
  }
  return code;
}

it('Two versions take turns on one state folder: each serves and adds to what the other has stored.', async () => {
  const before = codeBefore();
  const shots = seriesShots({ sources: [10], fromMs: NOON, toMs: NOON + 2 * 60_000, cadenceMs: 60_000, size: 128 });
  const files = await writeSampleFiles(shots, join(folder, 'files'));
  const stateDir = join(folder, 'state');
  const env = { ...WITHOUT_EVENTS, STATE_DIR: stateDir, MOVIE_WORKERS: '0', PORT: String(await freePort()) };
  /** What addresses showed when they were given out. */
  const given = new Map<string, string>();
  const text = async (path: string, init?: RequestInit) => {
    const response = await fetch(running!.url + path, init);
    const bytes = new Uint8Array(await response.arrayBuffer());
    // A picture that is drawn again names the version that has drawn it.
    const shown = response.headers.get('Content-Type') === 'image/png' ? readPng(bytes).rgba : bytes;
    const body = Buffer.from(shown).toString('base64');
    expect([path, response.status < 300, response.status < 300 || Buffer.from(body, 'base64').toString()]).toEqual([
      path,
      true,
      true,
    ]);
    return body;
  };
  const json = async <T>(path: string, init?: RequestInit) =>
    JSON.parse(Buffer.from(await text(path, init), 'base64').toString()) as T;
  /** A version for a while: it serves everything that was given out before, and adds an image, a screenshot and a link. */
  const turn = async (code: string, number: number) => {
    running = await startService(env, code);
    for (const [path, shown] of given) expect([path, (await text(path)) === shown]).toEqual([path, true]);
    const token = readFileSync(join(stateDir, 'admin-token'), 'utf8').trim();
    const file = files[number]!;
    const headers = { Authorization: `Bearer ${token}` };
    const { id } = await json<{ id: number }>(`/admin/images/${basename(file)}`, {
      method: 'PUT',
      headers,
      body: readFileSync(file),
    });
    const date = new Date(NOON + number * 60_000).toISOString();
    const view = `date=${date}&layers=[10,1,100]&imageScale=20&x0=0&y0=0&width=64&height=64`;
    const shot = await json<{ id: number }>(`/v2/takeScreenshot/?${view}`);
    for (const path of [
      `/v2/getTile/?id=${id}&x=0&y=0&imageScale=20`,
      `/v2/getJP2Image/?id=${id}`,
      `/v2/downloadScreenshot/?id=${shot.id}`,
    ]) {
      given.set(path, await text(path));
    }
    expect(await json('/health')).toMatchObject({ status: 'ok' });
    await running.interrupt();
    running = null;
  };
  for (const [number, code] of [before, projectRoot, before].entries()) await turn(code, number);
  expect(given.size).toBe(9);
});
