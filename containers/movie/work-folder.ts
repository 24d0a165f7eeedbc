// Work folder of this process, and removal of the folders that dead processes left.
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** `<process id>-<random characters>`. */
const FOLDER_NAME = /^(\d+)-/;
/** Retries, because an encoder that outlived its worker may still be writing. */
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

/** Creates the folder of this process in `root`, after removing those of dead processes. */
export async function openWorkFolder(root: string): Promise<string> {
  await mkdir(root, { recursive: true });
  for (const name of await readdir(root)) {
    const pid = Number(FOLDER_NAME.exec(name)?.[1] ?? Number.NaN);
    // A folder with the id of this process is a leftover too: in a container, each process gets the same id.
    if (Number.isNaN(pid) || (pid !== process.pid && isAlive(pid))) continue;
    await removeFolder(join(root, name)).catch(() => undefined);
  }
  return mkdtemp(join(root, `${process.pid}-`));
}
