// The packages of the judges, which have a lock file of their own and are installed in build/judges, so that no other command needs them.
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../../src/cli/command.ts';
import { outputOf } from '../support/programs.ts';

const FOLDER = join(projectRoot, 'build', 'judges');
const LOCK = 'package-lock.json';
export const PACKAGES = join(FOLDER, 'node_modules');
/** A copy of the lock file that was installed. */
const INSTALLED = join(PACKAGES, '.installed-lock.json');

/** Installs the locked packages where they are missing or outdated. @throws Error with the output of npm */
export async function installPackages(): Promise<void> {
  const lock = await readFile(join(import.meta.dirname, LOCK), 'utf8');
  if ((await readFile(INSTALLED, 'utf8').catch(() => null)) === lock) return;
  await mkdir(FOLDER, { recursive: true });
  for (const name of ['package.json', '.npmrc', LOCK]) await copyFile(join(import.meta.dirname, name), join(FOLDER, name));
  outputOf('npm', ['ci', '--prefix', FOLDER, '--no-audit', '--no-fund', '--loglevel=error']);
  await writeFile(INSTALLED, lock);
}

/** A module of the packages, whose types are not installed. */
export const importPackage = (path: string) => import(join(PACKAGES, path));

// As `.ci/run` does while other tests run.
if (import.meta.main) await installPackages();
