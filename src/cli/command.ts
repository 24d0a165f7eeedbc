// What the commands share: settings and secrets of the service, programs, arguments, the progress and the report of a run.

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createWriteStream, openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { LAUNCHER_VARIABLES } from '../platform/settings/launcher.ts';
import { readMirrorSettings } from '../platform/settings/mirror.ts';
import { SCHEMA } from '../platform/settings/schema.ts';
import { readVariables } from '../platform/settings/variable.ts';
import { MINUTE_MS } from '../platform/util/durations.ts';
import { isLoopback } from '../platform/util/url.ts';
import { parseWrittenDate } from '../sun/time.ts';

/** The lines of a help text about the variables that `serviceAccess` reads. */
export const SERVICE_HELP = `  HELIOEDGE_URL   the service (http://127.0.0.1:$PORT, where PORT is 8787 unless set)
  ADMIN_TOKEN     its token; not needed for a service started on this machine with the same STATE_DIR`;

const SECRET_BYTES = 24;

export const projectRoot = resolve(import.meta.dirname, '..', '..');

/** Folder of the databases, objects, sample and secrets of the local service. */
export const stateDirFrom = (env: NodeJS.ProcessEnv): string =>
  resolve(readVariables(LAUNCHER_VARIABLES, env).STATE_DIR ?? join(projectRoot, '.wrangler', 'state'));

/** $HELIOEDGE_URL, or the local service. Without a slash at the end. */
export function serviceUrlFrom(env: NodeJS.ProcessEnv): string {
  const { HELIOEDGE_URL: serviceUrl, PORT: port } = readVariables(LAUNCHER_VARIABLES, env);
  return serviceUrl ?? `http://127.0.0.1:${port}`;
}

/** A secret of 192 random bits, in characters that need no quoting. */
export const newSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');

/** A secret of the local service: `given`, else that in the state folder, else a new one. It is stored there, readable by its owner alone. */
export async function localSecret(stateDir: string, name: string, given: string | undefined): Promise<string> {
  const file = join(stateDir, name);
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim();
  const secret = given || kept || newSecret();
  if (secret !== kept) await writeFile(file, `${secret}\n`, { mode: 0o600 });
  return secret;
}

/** Address of the service, and $ADMIN_TOKEN; for a service on this machine, the token that it made for itself. */
export async function serviceAccess(env: NodeJS.ProcessEnv): Promise<[serviceUrl: string, token: string]> {
  const serviceUrl = serviceUrlFrom(env);
  if (env.ADMIN_TOKEN) return [serviceUrl, env.ADMIN_TOKEN];
  const file = join(stateDirFrom(env), 'admin-token');
  const token = isLoopback(new URL(serviceUrl)) ? await readFile(file, 'utf8').catch(() => '') : '';
  if (token.trim() === '') throw new Error(`Expected the token of ${serviceUrl} for ADMIN_TOKEN, got nothing.`);
  return [serviceUrl, token.trim()];
}

/** Checks the variables that the Worker gets from this environment. @throws Failure that names the variable, without the value of a secret */
export function checkWorkerVariables(env: NodeJS.ProcessEnv): void {
  const given = SCHEMA.worker.filter(({ name }) => env[name]?.trim());
  readVariables(Object.fromEntries(given.map((variable) => [variable.name, variable])), env);
  readMirrorSettings(env);
}

const PASSED_ON = SCHEMA.worker.filter(({ isChosenByStart }) => !isChosenByStart).map(({ name }) => name);

/** Variables and secrets that `npm start` passes on from its environment to the Worker. */
export const workerVariables = (env: NodeJS.ProcessEnv): Readonly<Record<string, string>> =>
  Object.fromEntries(PASSED_ON.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));

/** A program exited with a status other than 0. The message ends with its output. */
export class ProgramError extends Error {}

/** Environment in which wrangler sends no metrics and no error reports. */
export const QUIET = {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  WRANGLER_WRITE_LOGS: 'false',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
};

/** Runs a program of the project or its packages. @returns standard output and error @throws ProgramError when it fails */
export async function run(program: string, args: readonly string[] = []): Promise<string> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', join(projectRoot, program), ...args], {
    cwd: projectRoot,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...QUIET },
  });
  const stop = () => child.kill();
  process.once('exit', stop);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  process.off('exit', stop);
  if (code !== 0) throw new ProgramError(`${program} ${args.join(' ')} failed.\n${output.trim()}`);
  return output;
}

/** Runs wrangler and resolves with its output. @throws ProgramError when it fails */
export const wrangler = (args: readonly string[]): Promise<string> => run('node_modules/wrangler/bin/wrangler.js', args);

/** Bundles a Worker into a folder as a deployment does, without an account. @throws ProgramError */
export const bundleWorker = (folder: string, args: readonly string[]): Promise<string> =>
  wrangler(['deploy', ...args, '--dry-run', '--outdir', folder, '--containers-rollout=none']);

/** Runs the main function of a command. Its number is the exit status, otherwise 0; an error ends it with its message and status 1. */
export async function runProgram(main: () => Promise<unknown>): Promise<void> {
  try {
    const status = await main();
    process.exitCode = typeof status === 'number' ? status : 0;
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}

export const TEXT = { type: 'string' } as const;
export const FLAG = { type: 'boolean', default: false } as const;

type Options = NonNullable<ParseArgsConfig['options']>;
type Parsed<O extends Options> = ReturnType<typeof parseArgs<{ options: O; allowPositionals: true }>>;

/** Runs a command with the arguments of this process. Prints its help with `--help`, and, with status 1, where it is not complete. */
export const command = <const O extends Options>(
  help: string,
  options: O,
  main: (parsed: Parsed<O>) => Promise<unknown>,
  isComplete: (parsed: Parsed<O>) => boolean = ({ positionals }) => positionals.length === 0,
): Promise<void> =>
  runProgram(async () => {
    const { values, positionals } = parseArgs({ options: { ...options, help: FLAG }, allowPositionals: true });
    const { help: isHelp, ...given } = values as { readonly help?: boolean };
    const parsed = { values: given, positionals } as unknown as Parsed<O>;
    if (!isHelp && isComplete(parsed)) return main(parsed);
    console.log(help);
    return isHelp ? 0 : 1;
  });

const DOWNLOAD_TIMEOUT_MS = 2 * MINUTE_MS;

/** The greatest `--parallel`: requests to the service at once. */
export const MAX_PARALLEL = 16;

export const expected = (what: string, name: string, got: string | undefined): Error =>
  new Error(`Expected ${what} for --${name}, got ${got || 'nothing'}.`);

/** @throws Error for other text than a whole number from `min` to `max` */
export function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) throw expected(`a whole number from ${min} to ${max}`, name, text);
  return value;
}

/** Milliseconds since 1970. UTC unless the text states an offset. @throws Error for text that names no existing time */
export function instant(name: string, text: string): number {
  const ms = parseWrittenDate(text);
  if (ms === null) throw expected('a UTC date such as 2024-05-10T12:00:00Z', name, text);
  return ms;
}

/** The date of `instant` in ISO form. @throws Error */
export const isoInstant = (name: string, text: string): string => new Date(instant(name, text)).toISOString();

/** The source ids of `10,13`. @throws Error */
export function sourceIds(name: string, text: string): number[] {
  const items = text.split(',').map((item) => item.trim());
  if (!items.every((item) => /^\d+$/.test(item))) throw expected('source ids separated by commas', name, text);
  return items.map(Number);
}

/** The response of an address. @throws Error with the cause, in place of the `fetch failed` of Node */
export const responseOf = (address: string, init: RequestInit = {}): Promise<Response> =>
  fetch(address, init).catch((error: Error) => {
    const { message = '', code = '' } = (error.cause ?? {}) as NodeJS.ErrnoException;
    throw new Error(`${new URL(address).origin} does not respond: ${message || code || error.message}`, { cause: error });
  });

/** The response of a file at an address. @throws Error for one that cannot be loaded */
export async function downloaded(address: string): Promise<Response> {
  const response = await responseOf(address, { signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS) });
  if (!response.ok) throw new Error(`${address} responded with status ${response.status}.`);
  return response;
}

/** The text of `FILE|URL`, which is UTF-8. @throws Error for one that cannot be loaded */
export const textOf = async (from: string): Promise<string> =>
  /^https?:/.test(from) ? (await downloaded(from)).text() : readFile(from, 'utf8');

const BAR_WIDTH = 30;
const REDRAW_MS = 100;
const LINE_EVERY_MS = 5_000;

export interface Progress {
  /** `total`: null while it is not known. */
  update(done: number, total: number | null): void;
  /** Shows the last state and ends the line of the bar. */
  finish(): void;
}

/** @param mayHaveBar Whether a terminal shows a bar, which would break the lines of a program that logs meanwhile */
export function showProgress(label: string, mayHaveBar = true): Progress {
  const isBar = mayHaveBar && process.stderr.isTTY;
  const startedAt = performance.now();
  let shownAt = -Infinity;
  let shown = '';

  const show = (line: string) => {
    shownAt = performance.now();
    shown = line;
    process.stderr.write(isBar ? `\r\x1b[2K${line}` : `${line}\n`);
  };
  let last = '';
  return {
    update(done, total) {
      last = describe(label, done, total, performance.now() - startedAt, isBar);
      if (performance.now() - shownAt >= (isBar ? REDRAW_MS : LINE_EVERY_MS)) show(last);
    },
    finish() {
      if (last !== '' && last !== shown) show(last);
      if (isBar) process.stderr.write('\n');
    },
  };
}

function describe(label: string, done: number, total: number | null, elapsedMs: number, bar: boolean): string {
  if (total === null) {
    const rate = elapsedMs > 0 ? (1000 * done) / elapsedMs : 0;
    return `${label} ${done} (${Math.round(elapsedMs / 1000)} s, ${rate.toFixed(1)} a second)`;
  }
  const share = total > 0 ? done / total : 1;
  const counted = `${label} ${done}/${total}`;
  const elapsed = `${Math.round(elapsedMs / 1000)} s`;
  if (!bar) return `${counted} (${elapsed})`;
  const filled = Math.round(share * BAR_WIDTH);
  const left = share > 0 && share < 1 ? `, ${Math.round((elapsedMs * (1 - share)) / share / 1000)} s left` : '';
  return `${label} ${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)} ${done}/${total} ${elapsed}${left}`;
}

/** The file of `--report`, a line of JSON for each object; without a path nothing is written. @throws Error for one that cannot be opened */
export function reportFile(path: string | undefined) {
  if (path === undefined) return { write: () => undefined, end: async () => undefined };
  const stream = createWriteStream(path, { fd: openSync(path, 'w') });
  const failed = new Promise<never>((_, reject) => stream.once('error', reject));
  failed.catch(() => undefined);
  return {
    write: (line: object) => void stream.write(`${JSON.stringify(line)}\n`),
    /** @throws Error of the system when the file could not be written, now or earlier */
    end: () => Promise.race([failed, new Promise<void>((done) => stream.end(done))]),
  };
}
