#!/usr/bin/env node
// Runs a program of this project: installs the locked packages when they are missing or outdated, then hands over to a
// Node that can run TypeScript. Plain JavaScript for Node 20, because it is the one file that runs before anything exists.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const stampFile = join(root, 'node_modules', '.helioedge-packages');
const [program, ...rest] = process.argv.slice(2);
const FIRST_NODE_WITH_TYPE_STRIPPING = [22, 18];
const PARENT_CHECK_MS = 1000;
const SUPERVISOR = 'src/cli/start.ts';
/** Seconds without a sign of life after which a supervisor is stuck. */
const [TICK_MS, MOST_SILENT_TICKS] = [1000, 5];
/** Time in which what a killed supervisor leaves has ended, and the port is free. */
const RESTART_PAUSE_MS = 2500;
/** Time that an interrupted npm has: it would undo an installation for a minute, which the next start repeats from the beginning anyway. */
const NPM_GRACE_MS = 1000;

/** The running child process, whether it leads a group of processes, and the signal that ended this one. */
let child = null;
let isGroup = false;
let interruptedBy = null;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    interruptedBy = signal;
    if (!isGroup) return child?.kill(signal);
    killGroup('SIGTERM');
    setTimeout(() => killGroup('SIGKILL'), NPM_GRACE_MS).unref();
  });
}

/** Ends the child and its own children. */
function killGroup(signal) {
  try {
    process.kill(-child.pid, signal);
  } catch {
    // They have ended.
  }
}

if (process.env.npm_lifecycle_event) {
  const parent = process.ppid;
  // An npm that was killed cannot pass on signals, and nothing may outlive it.
  setInterval(() => {
    if (process.ppid !== parent) process.emit('SIGTERM');
  }, PARENT_CHECK_MS).unref();
}

/** Runs a command until it ends; its exit status, 1 after a signal, and whether it was a signal. */
function run(command, args, options) {
  child = spawn(command, args, options);
  isGroup = options.detached === true;
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve({ status: code ?? 1, wasKilled: code === null, signal }));
  });
}

/** Whether a process waits for a processor or a disk, read from /proc. */
function isBusy(pid) {
  try {
    return /\) [RD] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/**
 * Runs the supervisor of the service, and starts another one when it was killed, or gives no sign of life. The signs are counted by the
 * ticks of a timer, which has as little processor time as the supervisor when the machine is busy, and stands still with it after Ctrl-Z.
 */
async function runSupervisor(command, args, options) {
  let wasReady = false;
  for (;;) {
    const ended = run(command, wasReady ? [...args, '--again'] : args, {
      ...options,
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    });
    let silentTicks = -Infinity;
    child.on('message', (message) => {
      silentTicks = 0;
      if (message === 'ready') wasReady = true;
    });
    const watch = setInterval(() => {
      silentTicks = isBusy(child.pid) ? 0 : silentTicks + 1;
      if (silentTicks > MOST_SILENT_TICKS) child.kill('SIGKILL');
    }, TICK_MS);
    const { status, wasKilled, signal } = await ended;
    clearInterval(watch);
    if (!wasKilled || interruptedBy) return status;
    console.error(`the supervisor has ended (${signal}), it is started again`);
    await sleep(RESTART_PAUSE_MS);
    if (interruptedBy) return status;
  }
}

/**
 * Whether npm's record of the installation has the locked version of every package that is needed. Optional packages may be missing.
 */
function hasLockedPackages(needed) {
  const record = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const packagesOf = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;
  const installed = packagesOf(record);
  const isMissing = ([path, { version, dev, devOptional, optional }]) =>
    path !== '' && !optional && !devOptional && !(dev && needed !== 'all') && installed[path]?.version !== version;
  return !Object.entries(packagesOf(join(root, 'package-lock.json'))).some(isMissing);
}

/**
 * Installs the packages that the program needs: all for tests and development tools, the `dependencies` for others, because the
 * others are a third of the installation. `npm install` adds them later without installing everything again.
 */
async function installPackages() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const [installedLock, installed] = existsSync(stampFile) ? readFileSync(stampFile, 'utf8').split(' ') : [];
  const needed = /^(test|node_modules)\//.test(program) ? 'all' : 'dependencies';
  const isCurrent = installedLock === lock;
  if (isCurrent && (installed === 'all' || needed === 'dependencies')) return;
  if (installed !== undefined && hasLockedPackages('all')) return writeFileSync(stampFile, `${lock} all`);
  const command = isCurrent ? ['install', '--no-save'] : needed === 'all' ? ['ci'] : ['ci', '--omit=dev'];
  console.error(`installing packages (npm ${command.join(' ')})`);
  const options = ['--no-audit', '--no-fund', '--loglevel=error'];
  // Of an installation that ends early, nothing counts as installed.
  rmSync(stampFile, { force: true });
  // A group of its own: the terminal does not interrupt it, and what it has started can be ended with it.
  const { status } = await run('npm', [...command, ...options], { cwd: root, stdio: ['ignore', 2, 2], detached: true });
  if (interruptedBy) killGroup('SIGKILL');
  if (status !== 0 || interruptedBy) process.exit(status || 1);
  writeFileSync(stampFile, `${lock} ${needed}`);
}

/** The Node that came with the packages, else the running one where it is new enough. */
function findNode() {
  try {
    const require = createRequire(join(root, 'package.json'));
    return join(dirname(require.resolve(`node-${process.platform}-${process.arch}/package.json`)), 'bin', 'node');
  } catch {
    const [major, minor] = process.versions.node.split('.').map(Number);
    const [needMajor, needMinor] = FIRST_NODE_WITH_TYPE_STRIPPING;
    if (major > needMajor || (major === needMajor && minor >= needMinor)) return process.execPath;
    console.error(
      `Expected Node ${needMajor}.${needMinor} or newer on ${process.platform}-${process.arch}, got ${process.version}.`,
    );
    process.exit(1);
  }
}

await installPackages();
const node = findNode();
const path = [dirname(node), join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter);
// Compiled code is kept across processes: a program of some hundred TypeScript modules then loads in a third of the time.
const compileCache = process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules', '.cache', 'node');
const args = ['--disable-warning=ExperimentalWarning', join(root, program), ...rest];
const options = { stdio: 'inherit', env: { ...process.env, PATH: path, NODE_COMPILE_CACHE: compileCache } };
process.exit(program === SUPERVISOR ? await runSupervisor(node, args, options) : (await run(node, args, options)).status);
