// npm run deploy [-- --dry-run --check --rollback --env staging --domain NAME --take-over --location HINT --without-movies --image-databases N]
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { SHARDS } from '../platform/storage/shards.ts';
import { INTERRUPTED, interruption, onInterrupt } from '../platform/util/interrupt.ts';
import { delay } from '../platform/util/retry.ts';
import { buildStaleArtefacts } from './build/artefacts.ts';
import {
  bundleWorker,
  checkWorkerVariables,
  command,
  FLAG,
  newSecret,
  projectRoot,
  serviceAccess,
  TEXT,
  wholeNumber,
  wrangler,
} from './command.ts';
import { CHECK_WAITS, checkedLine, checkService } from './deploy/check.ts';
import type { DeployedConfigOptions, WranglerConfig } from './deploy/deployed-config.ts';
import { configOf, databasesOf, deployedConfig, MAX_IMAGE_DATABASES, publicOrigin } from './deploy/deployed-config.ts';
import { type DeploymentOptions, deploy } from './deploy/deployment.ts';
import { rollBack } from './deploy/rollback.ts';
import { accountApi, d1Ids, latestVersion, variableOf, withSecrets } from './deploy/wrangler.ts';
import { schemaMigrations } from './local/migrations.ts';

const HELP = `npm run deploy [-- --dry-run --check --rollback --env staging --domain NAME --take-over --location HINT --without-movies --image-databases N]

Creates missing databases, buckets and queues, migrates the databases, deploys the Worker and the containers of its movie
workers, together with missing secrets. May be repeated at any time. The first deployment asks for domain and location on a terminal.

  --env NAME             production (the default), or staging
  --dry-run              builds the Worker and prints its size; needs no account and no network
  --check                deploys nothing: drives the deployed service, or that at HELIOEDGE_URL, with ADMIN_TOKEN (scopes ingest and
                         withdraw), and prints what works. It uploads four synthetic images of 1996 and withdraws them.
                         Exit status: 0 everything works, 1 something failed, 130 interrupted
  --rollback             goes back to the version that was deployed before, or --version ID, if it fits the schema of the databases, and
                         empties the edge cache, by ADMIN_TOKEN (scope withdraw). Databases and containers stay as they are
  --domain NAME          custom domain, in a zone of the account; later deployments keep it. Without one: a name on workers.dev
  --take-over            takes over a custom domain that other Workers or DNS records have; without it, nothing is made then
  --location HINT        place of new databases and of a new bucket: weur, eeur, apac, oc, wnam or enam; near this machine unless given
  --without-movies       leaves out the containers, whose image needs Docker, and their class: movies then wait for workers of
                         your own; a later deployment without this option adds them
  --image-databases N    databases of the image index: 16 unless given, 1 for a small archive; more can be added later
  CLOUDFLARE_API_TOKEN   API token; not needed after \`npx wrangler login\`
  CLOUDFLARE_ACCOUNT_ID  account, for a login with several`;

const BUILD = join(projectRoot, 'build');

const say = (line: string) => console.log(line);

async function readConfig(environment: string): Promise<WranglerConfig> {
  const { experimental_readRawConfig: readRawConfig } = await import('wrangler');
  const { rawConfig } = readRawConfig({ config: join(projectRoot, 'wrangler.toml') });
  return configOf(rawConfig as unknown as WranglerConfig, environment);
}

/** Writes the configuration of a deployment into build/, which is not tracked: wrangler.json, or wrangler.staging.json. */
async function writeConfig(environment: string, config: WranglerConfig, options: DeployedConfigOptions): Promise<string> {
  const path = join(BUILD, environment === 'production' ? 'wrangler.json' : `wrangler.${environment}.json`);
  await mkdir(BUILD, { recursive: true });
  const { vars, ...deployed } = deployedConfig(config, options);
  const checked = { ...deployed, vars: { ...vars, SCHEMA_MIGRATIONS: await schemaMigrations() } };
  await writeFile(path, `${JSON.stringify(checked, null, 2)}\n`);
  return path;
}

async function hasDocker(): Promise<boolean> {
  const docker = spawn('docker', ['info'], { stdio: 'ignore' });
  return new Promise((resolve) => docker.once('error', () => resolve(false)).once('close', (code) => resolve(code === 0)));
}

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}

type Flags = Pick<DeploymentOptions, 'domain' | 'takeOver' | 'location' | 'withoutMovies' | 'imageDatabases'> & {
  readonly environment: string;
};

async function deployAll({ environment, ...flags }: Flags): Promise<void> {
  const config = await readConfig(environment);
  const write = (options: DeployedConfigOptions) => writeConfig(environment, config, options);
  await deploy({
    ...flags,
    wrangler,
    config,
    writeConfig: write,
    newToken: newSecret,
    sessionKey: process.env.SESSION_KEY || null,
    hasDocker,
    withSecrets,
    ask: process.stdin.isTTY && process.stdout.isTTY ? ask : null,
    api: () => accountApi(wrangler, process.env.CLOUDFLARE_ACCOUNT_ID),
    say,
  });
}

/** The databases have their local ids, because their real ones are known to the account only. */
async function dryRun({ environment, domain, withoutMovies, imageDatabases: requested }: Flags): Promise<void> {
  const config = await readConfig(environment);
  checkWorkerVariables(config.vars);
  const { own, images } = databasesOf(config, new Set(), requested);
  const path = await writeConfig(environment, config, {
    databases: [...own, ...images],
    shardDatabases: SHARDS.map((shard) => images[shard % images.length]!.binding),
    movies: withoutMovies ? 'none' : 'containers',
    origin: await publicOrigin(domain, config.vars.PUBLIC_ORIGIN ?? null, null),
  });
  const outdir = join(BUILD, environment === 'production' ? 'worker' : `worker-${environment}`);
  say((await bundleWorker(outdir, ['--config', path])).trim());
  say(`The configuration is in ${path}, the Worker in ${outdir}.`);
}

/** @returns the exit status */
async function checkDeployed({ environment, withoutMovies }: Flags): Promise<number> {
  const [serviceUrl, token] = await serviceAccess({ ...process.env, HELIOEDGE_URL: await deployedUrl(environment) });
  say(`checking ${serviceUrl}`);
  let hasFailed = false;
  const signal = interruption();
  const options = { serviceUrl, token, hasMovies: !withoutMovies, nowMs: Date.now(), waits: CHECK_WAITS, signal };
  for await (const row of checkService(options)) {
    say(checkedLine(row));
    hasFailed ||= row.outcome === 'failed';
  }
  if (signal.aborted) return INTERRUPTED;
  return hasFailed ? 1 : 0;
}

async function rollBackTo(environment: string, version: string | null): Promise<void> {
  const adminToken = process.env.ADMIN_TOKEN;
  if (!adminToken) throw new Error('Expected the token of the service for ADMIN_TOKEN, with the scope withdraw, got nothing.');
  const config = await readConfig(environment);
  const ids = await d1Ids(wrangler);
  const { own, images } = databasesOf(config, new Set(ids.keys()), null);
  const databases = [...own, ...images].flatMap((database) => {
    const id = ids.get(database.database_name);
    return id === undefined ? [] : { ...database, database_id: id };
  });
  const path = await writeConfig('rollback', config, { databases, shardDatabases: ['IMAGES'], movies: 'none', origin: null });
  await rollBack({ wrangler, name: config.name, version, databases, config: path, adminToken, wait: delay, say });
}

/** HELIOEDGE_URL, else the origin of the deployed version. */
async function deployedUrl(environment: string): Promise<string> {
  if (process.env.HELIOEDGE_URL) return process.env.HELIOEDGE_URL;
  const version = await latestVersion(wrangler, (await readConfig(environment)).name);
  const origin = version && variableOf(version, 'PUBLIC_ORIGIN');
  if (origin === null) throw new Error('No service is deployed. Run npm run deploy, or set HELIOEDGE_URL.');
  return origin;
}

const OPTIONS = {
  'dry-run': FLAG,
  check: FLAG,
  rollback: FLAG,
  version: TEXT,
  'without-movies': FLAG,
  'image-databases': TEXT,
  domain: TEXT,
  'take-over': FLAG,
  location: TEXT,
  env: { ...TEXT, default: 'production' },
};

await command(HELP, OPTIONS, async ({ values }) => {
  const chosen = [values['dry-run'], values.check, values.rollback].filter((isChosen) => isChosen);
  if (chosen.length > 1 || (values.version !== undefined && !values.rollback))
    throw new Error('State one of --dry-run, --check and --rollback at most, and --version beside --rollback alone.');
  const count = values['image-databases'];
  const flags: Flags = {
    environment: values.env,
    domain: values.domain ?? null,
    takeOver: values['take-over'],
    location: values.location ?? null,
    withoutMovies: values['without-movies'],
    imageDatabases: count === undefined ? null : wholeNumber('image-databases', count, 1, MAX_IMAGE_DATABASES),
  };
  if (values.check) return checkDeployed(flags);
  // Wrangler ends with this process, also after a signal to it alone.
  onInterrupt(() => process.exit(INTERRUPTED));
  if (values.rollback) {
    await rollBackTo(flags.environment, values.version ?? null);
    return 0;
  }
  await buildStaleArtefacts(say);
  await (values['dry-run'] ? dryRun(flags) : deployAll(flags));
  return 0;
});
