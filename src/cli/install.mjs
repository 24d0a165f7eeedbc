// Installs missing or outdated packages, and prints the path of a Node for TypeScript. Plain JavaScript, because it runs before.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const stampFile = join(root, 'node_modules', '.helioedge-packages');
const [program] = process.argv.slice(2);
const FIRST_NODE_WITH_TYPE_STRIPPING = '22.18';
const PARENT_CHECK_MS = 1000;
/** Time for an interrupted npm, which would spend a minute on undoing an installation that the next start repeats from the beginning. */
const NPM_GRACE_MS = 1000;

/** Runs npm in a process group of its own, and ends it at a signal or with the parent. @returns its exit status, 1 after a signal */
async function runNpm(args) {
  // Before npm runs, so that no signal and no end of the parent is missed.
  const parent = process.ppid;
  let isInterrupted = false;
  const kill = (signal) => {
    try {
      process.kill(-npm.pid, signal);
    } catch {
      // It has ended.
    }
  };
  const interrupt = () => {
    isInterrupted = true;
    kill('SIGTERM');
    setTimeout(() => kill('SIGKILL'), NPM_GRACE_MS).unref();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, interrupt);
  const npm = spawn('npm', args, { cwd: root, stdio: ['ignore', 2, 2], detached: true });
  setInterval(() => process.ppid !== parent && !isInterrupted && interrupt(), PARENT_CHECK_MS).unref();
  const status = await new Promise((resolve, reject) => {
    npm.once('error', reject);
    npm.once('exit', (code) => resolve(code ?? 1));
  });
  if (!isInterrupted) return status;
  kill('SIGKILL');
  return 1;
}

/** Whether npm's record of the installation has the locked version of every package that is needed. Optional packages may be missing. */
function hasLockedPackages() {
  const record = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const packagesOf = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;
  const installed = packagesOf(record);
  const isMissing = ([path, { version, devOptional, optional }]) =>
    path !== '' && !optional && !devOptional && installed[path]?.version !== version;
  return !Object.entries(packagesOf(join(root, 'package-lock.json'))).some(isMissing);
}

/** Installs all packages for tests, the client and development tools, and the `dependencies`, two thirds, for other programs. */
async function installPackages() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const [installedLock, installed] = existsSync(stampFile) ? readFileSync(stampFile, 'utf8').split(' ') : [];
  const needed = /^(test|node_modules|clients)\//.test(program) ? 'all' : 'dependencies';
  const isCurrent = installedLock === lock;
  if (isCurrent && (installed === 'all' || needed === 'dependencies')) return;
  // Also after `npm ci` by hand, which this would otherwise replace by fewer packages.
  if (hasLockedPackages()) return writeFileSync(stampFile, `${lock} all`);
  // NODE_ENV and a configuration of npm leave out those of development, unless they are included.
  const all = [...(isCurrent ? ['install', '--no-save'] : ['ci']), '--include=dev'];
  const command = needed === 'all' ? all : ['ci', '--omit=dev'];
  console.error(`installing packages (npm ${command.join(' ')})`);
  // Removed first, so that an interrupted installation is repeated.
  rmSync(stampFile, { force: true });
  const status = await runNpm([...command, '--no-audit', '--no-fund', '--loglevel=error']);
  if (status !== 0) process.exit(status);
  writeFileSync(stampFile, `${lock} ${needed}`);
}

/** The Node that came with the packages, else the running one where it is new enough. */
function findNode() {
  try {
    const require = createRequire(join(root, 'package.json'));
    return join(dirname(require.resolve(`node-${process.platform}-${process.arch}/package.json`)), 'bin', 'node');
  } catch {
    if (process.features.typescript) return process.execPath;
    console.error(
      `helioedge needs Node ${FIRST_NODE_WITH_TYPE_STRIPPING} on ${process.platform}-${process.arch}. This is ${process.version}: install a newer one.`,
    );
    process.exit(1);
  }
}

await installPackages();
console.log(findNode());
