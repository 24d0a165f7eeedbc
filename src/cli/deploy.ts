// npm run deploy [-- --dry-run | --without-movies]
import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildStaleArtefacts } from './artefacts.ts';
import { deploy, type Wrangler } from './deployment.ts';
import { run } from './run.ts';
import { newSecret } from './secrets.ts';
import { projectRoot } from './settings.ts';
import { WRANGLER } from './wrangler.ts';

const HELP = `npm run deploy [-- --dry-run | --without-movies]

Creates the database, the bucket and the queues where they are missing, migrates the database, deploys the Worker and the
containers of its movie workers, and makes the secrets that it has not got. May be repeated at any time.

  --dry-run              only builds, and prints the size of the Worker; needs no account and no network
  --without-movies       leaves out the containers, whose image needs Docker: movies then wait until something builds them
  CLOUDFLARE_API_TOKEN   what to log in with, unless \`npx wrangler login\` did
  CLOUDFLARE_ACCOUNT_ID  which account, for a login that has several`;

const QUIET = { WRANGLER_SEND_METRICS: 'false', WRANGLER_HIDE_BANNER: 'true', WRANGLER_WRITE_LOGS: 'false' };
/** Stands in wrangler.toml for the local copy of the database. */
const LOCAL_DATABASE_ID = /(?<=^database_id = ")0[0-]*(?="$)/m;
/** Paths are relative to the file that they stand in. */
const RELATIVE_PATHS = /(?<=^(?:main|migrations_dir|directory|image|image_build_context) = ")(?!\/)/gm;
/** The block of the containers, up to the next one. */
const CONTAINERS = /^\[\[containers\]\]\n(?:(?!\[).*\n)*/m;

const say = (line: string) => console.log(line);
const wrangler: Wrangler = (args, input) => run(WRANGLER, args, { env: QUIET, ...(input === undefined ? {} : { input }) });

/** Writes wrangler.toml with the real database into build/, which is not tracked. */
async function writeConfig(databaseId: string, withoutMovies: boolean): Promise<string> {
  const whole = await readFile(join(projectRoot, 'wrangler.toml'), 'utf8');
  const text = withoutMovies ? whole.replace(CONTAINERS, '') : whole;
  const config = join(projectRoot, 'build', 'wrangler.toml');
  await mkdir(join(projectRoot, 'build'), { recursive: true });
  await writeFile(config, text.replace(LOCAL_DATABASE_ID, databaseId).replace(RELATIVE_PATHS, '../'));
  return config;
}

async function hasDocker(): Promise<boolean> {
  const docker = spawn('docker', ['info'], { stdio: 'ignore' });
  return new Promise((resolve) => docker.once('error', () => resolve(false)).once('close', (code) => resolve(code === 0)));
}

async function deployAll(withoutMovies: boolean): Promise<void> {
  const write = (databaseId: string) => writeConfig(databaseId, withoutMovies);
  await deploy({ wrangler, writeConfig: write, newToken: newSecret, hasDocker, withoutMovies, say });
}

async function dryRun(): Promise<void> {
  const config = await writeConfig('00000000-0000-0000-0000-000000000000', false);
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
    await (values['dry-run'] ? dryRun() : deployAll(values['without-movies'] ?? false));
  }
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
