// The whole sample archive, in half of its resolution, in two ways into two services: mirrored from a tree over HTTP that fails and lies at times, and indexed in a
// bucket that holds the files. Each command is killed three times. Then both archives are compared with the files and with each other.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { defaultArchive, makeArchive } from '../../../demo/archive.ts';
import { manifestClient } from '../../../src/cli/compare/manifest.ts';
import { filesBelow } from '../../../src/cli/ingest/jp2-sources.ts';
import { run } from '../../../src/cli/run.ts';
import { projectRoot } from '../../../src/cli/settings.ts';
import { sha256Hex } from '../../../src/util/digest.ts';
import { type Fault, serveTree, type TreeServer } from '../../support/mirror/tree-server.ts';
import type { Bench, BenchResult } from '../run.ts';
import { ADMIN_TOKEN, whileRunning, withState } from '../service.ts';

const KILLS = 3;
/** Share of the archive that a command adds before it is killed. */
const ADDED_BEFORE_KILL = 0.2;
/** Faults of the first request of a path; later requests are answered. */
const FAULTS: readonly Fault[] = ['pass', 'cut', 'pass', 'wrong length', 'error', 'pass', 'page', 'slow', 'half', 'drop'];
const LOOK_MS = 50;

interface Way {
  readonly name: string;
  /** Program and arguments. */
  readonly command: readonly [string, ...string[]];
}

interface Service {
  readonly url: string;
  readonly stateDir: string;
}

async function imagesOf({ url }: Service): Promise<number> {
  let images = 0;
  for await (const day of manifestClient(url).days({})) images += day.count;
  return images;
}

/** Runs a command against a service. `killAt`: images of the archive at which it is killed, without a chance to clean up. */
async function runCommand({ command: [program, ...args] }: Way, service: Service, killAt: number) {
  const child = spawn(process.execPath, [join(projectRoot, program), ...args], {
    cwd: projectRoot,
    env: { ...process.env, HELIOEDGE_URL: service.url, ADMIN_TOKEN, STATE_DIR: service.stateDir },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  if (killAt < Number.POSITIVE_INFINITY) {
    while (child.exitCode === null && (await imagesOf(service)) < killAt) await new Promise((done) => setTimeout(done, LOOK_MS));
    child.kill('SIGKILL');
  }
  return { code: await ended, output };
}

/** Fills a service with three kills. @returns seconds, and the images that it had after each of them */
async function fill(way: Way, service: Service, total: number, log: (line: string) => void) {
  const began = performance.now();
  const kills: number[] = [];
  while (kills.length < KILLS) {
    const { code } = await runCommand(way, service, (kills.at(-1) ?? 0) + ADDED_BEFORE_KILL * total);
    if (code !== null) throw new Error(`Expected ${way.name} to be killed, got its exit with status ${code}.`);
    kills.push(await imagesOf(service));
    log(`${way.name}: killed at ${kills.at(-1)} of ${total} images`);
  }
  const { code, output } = await runCommand(way, service, Number.POSITIVE_INFINITY);
  log(`${way.name}: exit status ${code}\n${output.trim()}`);
  return { seconds: (performance.now() - began) / 1000, kills, code };
}

/** Sizes and hashes of the archive of a service by name. */
async function manifestOf({ url }: Service): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for await (const { name, size, sha256 } of manifestClient(url).files({})) files.set(name, `${size} ${sha256}`);
  return files;
}

const isEqual = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>) =>
  a.size === b.size && [...a].every(([name, text]) => b.get(name) === text);

async function filesOf(folder: string) {
  const contents = new Map<string, Uint8Array>();
  for await (const { label } of filesBelow(folder)) contents.set(relative(folder, label), readFileSync(label));
  const expected = new Map<string, string>();
  for (const [path, bytes] of contents) expected.set(path.split('/').at(-1)!, `${bytes.length} ${await sha256Hex(bytes)}`);
  return { contents, expected };
}

async function lyingTree(files: ReadonlyMap<string, Uint8Array>): Promise<TreeServer> {
  const tree = await serveTree(files);
  const digitOf = (path: string) => [...path].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % FAULTS.length;
  tree.fault = (path, count) => (count > 1 ? 'pass' : FAULTS[digitOf(path)]!);
  return tree;
}

export const bench: Bench = {
  async run(log) {
    const folder = mkdtempSync(join(tmpdir(), 'helioedge-mirror-'));
    try {
      await makeArchive({ shots: defaultArchive().shots.map((shot) => ({ ...shot, size: shot.size / 2 })) }, folder);
      const { contents, expected } = await filesOf(folder);
      log(`${expected.size} files`);
      const tree = await lyingTree(contents);
      const mirrored: Way = {
        name: 'mirror of a tree',
        command: ['src/cli/mirror.ts', '--from-tree', tree.url, '--sources', 'all', '--rate', '200'],
      };
      // With packets, because headers alone are read so fast that a look at the counts finds the end.
      const options = ['--prefix', '', '--parallel', '1', '--packets'];
      const indexed: Way = { name: 'index of a bucket', command: ['src/cli/index-bucket.ts', ...options] };
      return await withState(log, (startFirst, firstDir) =>
        withState(log, async (startSecond, secondDir) => {
          await run('test/bench/fill-bucket.ts', [secondDir, folder]);
          return whileRunning(startFirst, (firstUrl) =>
            whileRunning(startSecond, async (secondUrl) => {
              const services = [
                { way: mirrored, service: { url: firstUrl, stateDir: firstDir } },
                { way: indexed, service: { url: secondUrl, stateDir: secondDir } },
              ];
              const results: BenchResult[] = [];
              for (const { way, service } of services) {
                const { seconds, kills } = await fill(way, service, expected.size, log);
                const equals = isEqual(await manifestOf(service), expected);
                results.push(
                  { case: way.name, metric: 'images', unit: '', value: await imagesOf(service), against: expected.size },
                  { case: way.name, metric: 'kills', unit: '', value: kills.length },
                  { case: way.name, metric: 'time', unit: 's', value: seconds },
                  { case: way.name, metric: 'equal', unit: '', value: equals ? 1 : 0 },
                );
              }
              log(await run('src/cli/compare.ts', [secondUrl], { env: { HELIOEDGE_URL: firstUrl } }));
              await tree.close();
              return results;
            }),
          );
        }),
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
