// npm run deploy [-- --dry-run --env staging --without-movies --image-databases N]
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { SHARDS } from '../domain/shards.ts';
import { wholeNumber } from './arguments.ts';
import { buildStaleArtefacts } from './build/artefacts.ts';
import { configOf, type DeployedConfigOptions, deployedConfig, type WranglerConfig } from './deploy/deployed-config.ts';
import { deploy } from './deploy/deployment.ts';
import { imageDatabases, MAX_IMAGE_DATABASES } from './deploy/image-databases.ts';
import type { Wrangler } from './deploy/wrangler.ts';
import { run, WRANGLER } from './run.ts';
import { runProgram } from './run-program.ts';
import { newSecret, projectRoot } from './settings.ts';

const HELP = `npm run deploy [-- --dry-run --env staging --without-movies --image-databases N]

Creates missing databases, buckets and queues, migrates the databases, deploys the Worker and the containers of its movie
workers, and creates missing secrets. May be repeated at any time.

  --env NAME             production (the default), or an environment of wrangler.toml: staging
  --dry-run              builds the Worker and prints its size; needs no account and no network
  --without-movies       leaves out the containers, whose image needs Docker, and their class: movies then wait for workers of
                         your own; a later deployment without this option adds them
  --image-databases N    databases of the image index: 16 unless given, 1 for a small archive; more can be added later
  CLOUDFLARE_API_TOKEN   API token; not needed after \`npx wrangler login\`
  CLOUDFLARE_ACCOUNT_ID  account, for a login with several`;

const QUIET = { WRANGLER_SEND_METRICS: 'false', WRANGLER_HIDE_BANNER: 'true', WRANGLER_WRITE_LOGS: 'false' };

const BUILD = join(projectRoot, 'build');

const say = (line: string) => console.log(line);
const wrangler: Wrangler = (args, input) => run(WRANGLER, args, { env: QUIET, ...(input === undefined ? {} : { input }) });

/** Configuration of an environment in wrangler.toml. */
async function readConfig(environment: string): Promise<WranglerConfig> {
  const { experimental_readRawConfig: readRawConfig } = await import('wrangler');
  const { rawConfig } = readRawConfig({ config: join(projectRoot, 'wrangler.toml') });
  return configOf(rawConfig as unknown as WranglerConfig, environment);
}

/** Writes the configuration of a deployment into build/, which is not tracked: wrangler.json, or wrangler.staging.json. */
async function writeConfig(environment: string, config: WranglerConfig, options: DeployedConfigOptions): Promise<string> {
  const path = join(BUILD, environment === 'production' ? 'wrangler.json' : `wrangler.${environment}.json`);
  await mkdir(BUILD, { recursive: true });
  await writeFile(path, `${JSON.stringify(deployedConfig(config, options), null, 2)}\n`);
  return path;
}

async function hasDocker(): Promise<boolean> {
  const docker = spawn('docker', ['info'], { stdio: 'ignore' });
  return new Promise((resolve) => docker.once('error', () => resolve(false)).once('close', (code) => resolve(code === 0)));
}

interface Flags {
  readonly environment: string;
  readonly withoutMovies: boolean;
  readonly imageDatabases: number | null;
}

async function deployAll({ environment, ...flags }: Flags): Promise<void> {
  const config = await readConfig(environment);
  const write = (options: DeployedConfigOptions) => writeConfig(environment, config, options);
  await deploy({ ...flags, wrangler, config, writeConfig: write, newToken: newSecret, hasDocker, say });
}

/** The databases have their local ids, because their real ones are known to the account only. */
async function dryRun({ environment, withoutMovies, imageDatabases: requested }: Flags): Promise<void> {
  const config = await readConfig(environment);
  const [main, template] = config.d1_databases;
  const images = imageDatabases(template!, new Set(), requested);
  const path = await writeConfig(environment, config, {
    databases: [main!, ...images],
    shardDatabases: SHARDS.map((shard) => images[shard % images.length]!.binding),
    movies: withoutMovies ? 'none' : 'containers',
  });
  const outdir = join(BUILD, environment === 'production' ? 'worker' : `worker-${environment}`);
  const args = ['deploy', '--dry-run', '--config', path, '--outdir', outdir, '--containers-rollout=none'];
  say((await run(WRANGLER, args, { env: { ...QUIET, CLOUDFLARE_CF_FETCH_ENABLED: 'false' } })).trim());
  say(`The configuration is in ${path}, the Worker in ${outdir}.`);
}

/** Null when the argument is absent. @throws ArgumentError for another value than a number of databases */
function databaseCount(text: string | undefined): number | null {
  if (text === undefined) return null;
  return wholeNumber('image-databases', text, 1, MAX_IMAGE_DATABASES);
}

async function main(): Promise<void> {
  const flag = { type: 'boolean' } as const;
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: { 'dry-run': flag, 'without-movies': flag, 'image-databases': text, env: text, help: flag },
  });
  if (values.help) say(HELP);
  else {
    const flags: Flags = {
      environment: values.env ?? 'production',
      withoutMovies: values['without-movies'] ?? false,
      imageDatabases: databaseCount(values['image-databases']),
    };
    await buildStaleArtefacts(say);
    await (values['dry-run'] ? dryRun(flags) : deployAll(flags));
  }
}

await runProgram(main);
