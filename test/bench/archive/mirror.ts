// The whole sample archive, in a quarter of its resolution, in two ways into two services: mirrored from a tree over HTTP that fails and lies at times, and indexed in a
// bucket that holds the files. Each command is killed three times. Then both archives are compared with the files and with each other.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { defaultArchive, makeArchive } from '../../../demo/archive.ts';
import { manifestClient } from '../../../src/cli/compare/manifest.ts';
import { adminClient } from '../../../src/cli/ingest/admin-client.ts';
import { filesBelow } from '../../../src/cli/ingest/jp2-sources.ts';
import { run } from '../../../src/cli/run.ts';
import { projectRoot } from '../../../src/cli/settings.ts';
import { MIRROR_NAMES } from '../../../src/platform/limits/mirror.ts';
import { sha256Hex } from '../../../src/platform/util/bytes.ts';
import { type Fault, serveTree, type TreeServer } from '../../support/mirror/tree-server.ts';
import { inFolder } from '../../support/system/in-folder.ts';
import { localServer } from '../../support/system/local-server.ts';
import type { Bench, BenchResult } from '../run.ts';
import { ADMIN_TOKEN, whileRunning, withState } from '../service.ts';

/** Faults of the first request of a path; later requests are answered. */
const FAULTS: readonly Fault[] = ['pass', 'cut', 'pass', 'wrong length', 'error', 'pass', 'page', 'slow', 'half', 'drop'];

interface Way {
  readonly name: string;
  /** Program and arguments. */
  readonly command: readonly [string, ...string[]];
  /** Changes under way at the kills: steps of a mirror, batches of a hundred objects of the index, which begins with the known ones. */
  readonly killsAt: readonly number[];
}

interface Service {
  readonly url: string;
  readonly stateDir: string;
  /** Names of all files. */
  readonly names: readonly string[];
}

/** Images of the expected names, asked in a way that no cache answers. */
async function imagesOf({ url, names }: Service): Promise<number> {
  const client = adminClient(url, ADMIN_TOKEN);
  let images = 0;
  for (let i = 0; i < names.length; i += MIRROR_NAMES) images += (await client.known(names.slice(i, i + MIRROR_NAMES))).size;
  return images;
}

/** Forwards requests to a service, and calls the watcher when one arrives that adds images: a step of the mirror, or a batch of objects. */
async function forwarder(target: string) {
  let onChange: () => void = () => undefined;
  const server = await localServer(async (request, response) => {
    const sent = Buffer.concat(await request.toArray());
    const { method = 'GET', url = '/', headers } = request;
    if (method === 'POST' && /^\/admin\/(mirror\/step|objects)/.test(url)) onChange();
    const body = sent.length > 0 ? sent : null;
    const forwarded = { Authorization: headers.authorization ?? '', 'Content-Type': headers['content-type'] ?? '' };
    const answer = await fetch(target + url, { method, headers: forwarded, body });
    const bytes = new Uint8Array(await answer.arrayBuffer());
    response.writeHead(answer.status, { 'Content-Type': answer.headers.get('Content-Type') ?? '' }).end(bytes);
  });
  const watch = (changed: () => void) => {
    onChange = changed;
  };
  return { ...server, watch };
}

/** Runs a command against a service. `killAt`: the change under way at which it is killed, without a chance to clean up. */
async function runCommand({ command: [program, ...args] }: Way, { stateDir, proxy }: Filled, killAt: number) {
  let changes = 0;
  proxy.watch(() => {
    changes += 1;
    if (changes === killAt) child.kill('SIGKILL');
  });
  const child = spawn(process.execPath, [join(projectRoot, program), ...args], {
    cwd: projectRoot,
    env: { ...process.env, HELIOEDGE_URL: proxy.url, ADMIN_TOKEN, STATE_DIR: stateDir },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const code = await new Promise<number | null>((done) => child.once('close', done));
  return { code, output };
}

/** A service that is filled through a forwarder, with one address for all runs of a command, because its state belongs to an address. */
type Filled = Service & { readonly proxy: Awaited<ReturnType<typeof forwarder>> };

/** Fills a service with three kills. @returns seconds, and the images that it had after each of them */
async function fill(way: Way, direct: Service, total: number, log: (line: string) => void) {
  const began = performance.now();
  const service: Filled = { ...direct, proxy: await forwarder(direct.url) };
  const kills: number[] = [];
  for (const killAt of way.killsAt) {
    const { code } = await runCommand(way, service, killAt);
    if (code !== null) throw new Error(`Expected ${way.name} to be killed, got its exit with status ${code}.`);
    kills.push(await imagesOf(service));
    log(`${way.name}: killed at ${kills.at(-1)} of ${total} images`);
  }
  const { code, output } = await runCommand(way, service, Number.POSITIVE_INFINITY);
  await service.proxy.close();
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
    return inFolder(async (folder) => {
      await makeArchive(
        defaultArchive().map((shot) => ({ ...shot, size: shot.size / 4 })),
        folder,
      );
      const { contents, expected } = await filesOf(folder);
      log(`${expected.size} files`);
      const names = [...expected.keys()];
      const tree = await lyingTree(contents);
      const mirrored: Way = {
        name: 'mirror of a tree',
        command: ['src/cli/mirror.ts', '--from-tree', tree.url, '--sources', 'all', '--rate', '200'],
        killsAt: [4, 8, 12],
      };
      const indexed: Way = {
        name: 'index of a bucket',
        command: ['src/cli/index-bucket.ts', '--prefix', '', '--parallel', '1'],
        killsAt: [1, 3, 4],
      };
      return await withState(log, (startFirst, firstDir) =>
        withState(log, async (startSecond, secondDir) => {
          await run('test/bench/fill-bucket.ts', [secondDir, folder]);
          return whileRunning(startFirst, (firstUrl) =>
            whileRunning(startSecond, async (secondUrl) => {
              const services = [
                { way: indexed, service: { url: secondUrl, stateDir: secondDir, names } },
                { way: mirrored, service: { url: firstUrl, stateDir: firstDir, names } },
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
    });
  },
};
