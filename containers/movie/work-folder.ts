// The folder of this process, and what dead ones have left.
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** `<process id>-<anything>`. */
const FOLDER = /^(\d+)-/;
/** An encoder that outlived its worker may still be writing. */
const REMOVAL = { recursive: true, force: true, maxRetries: 5, retryDelay: 100 } as const;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export const removeFolder = (folder: string): Promise<void> => rm(folder, REMOVAL);

/** Removes the folders of processes that are gone from `root`, and makes one for this process. */
export async function openWorkFolder(root: string): Promise<string> {
  await mkdir(root, { recursive: true });
  for (const name of await readdir(root)) {
    const pid = Number(FOLDER.exec(name)?.[1] ?? Number.NaN);
    // In a container the one before had the same id.
    if (Number.isNaN(pid) || (pid !== process.pid && isAlive(pid))) continue;
    await removeFolder(join(root, name)).catch(() => undefined);
  }
  return mkdtemp(join(root, `${process.pid}-`));
}
