// npm run deploy [-- --dry-run --without-movies]
import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildStaleArtefacts } from './build/artefacts.ts';
import { deployedConfig } from './deploy/deployed-config.ts';
import { deploy, type Wrangler } from './deploy/deployment.ts';
import { run, WRANGLER } from './run.ts';
import { newSecret, projectRoot } from './settings.ts';

const HELP = `npm run deploy [-- --dry-run --without-movies]

Creates missing databases, buckets and queues, migrates the database, deploys the Worker and the containers of its movie
workers, and creates missing secrets. May be repeated at any time.

  --dry-run              builds and prints the size of the Worker; needs no account and no network
  --without-movies       leaves out the containers, whose image needs Docker: movies then wait for workers of your own
  CLOUDFLARE_API_TOKEN   API token; not needed after \`npx wrangler login\`
  CLOUDFLARE_ACCOUNT_ID  account, for a login with several`;

/** Id in place of a real one in a dry run. */
const LOCAL_ID = '00000000-0000-0000-0000-000000000000';

const QUIET = { WRANGLER_SEND_METRICS: 'false', WRANGLER_HIDE_BANNER: 'true', WRANGLER_WRITE_LOGS: 'false' };

const say = (line: string) => console.log(line);
const wrangler: Wrangler = (args, input) => run(WRANGLER, args, { env: QUIET, ...(input === undefined ? {} : { input }) });

/** Writes wrangler.toml with the real databases into build/, which is not tracked. */
async function writeConfig(databaseIds: readonly [string, string], withoutMovies: boolean): Promise<string> {
  const toml = await readFile(join(projectRoot, 'wrangler.toml'), 'utf8');
  const config = join(projectRoot, 'build', 'wrangler.toml');
  await mkdir(join(projectRoot, 'build'), { recursive: true });
  await writeFile(config, deployedConfig(toml, { databaseIds, withoutMovies }));
  return config;
}

async function hasDocker(): Promise<boolean> {
  const docker = spawn('docker', ['info'], { stdio: 'ignore' });
  return new Promise((resolve) => docker.once('error', () => resolve(false)).once('close', (code) => resolve(code === 0)));
}

async function deployAll(withoutMovies: boolean): Promise<void> {
  const write = (databaseIds: readonly [string, string]) => writeConfig(databaseIds, withoutMovies);
  await deploy({ wrangler, writeConfig: write, newToken: newSecret, hasDocker, withoutMovies, say });
}

async function dryRun(withoutMovies: boolean): Promise<void> {
  const config = await writeConfig([LOCAL_ID, LOCAL_ID], withoutMovies);
  const offline = { ...QUIET, CLOUDFLARE_CF_FETCH_ENABLED: 'false' };
  say(
    (
      await run(WRANGLER, ['deploy', '--dry-run', '--config', config, '--outdir', 'build/worker', '--containers-rollout=none'], {
        env: offline,
      })
    ).trim(),
  );
}

try {
  const flag = { type: 'boolean' } as const;
  const { values } = parseArgs({ options: { 'dry-run': flag, 'without-movies': flag, help: flag } });
  if (values.help) say(HELP);
  else {
    await buildStaleArtefacts(say);
    const withoutMovies = values['without-movies'] ?? false;
    await (values['dry-run'] ? dryRun(withoutMovies) : deployAll(withoutMovies));
  }
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
