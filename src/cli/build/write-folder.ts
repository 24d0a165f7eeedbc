// Folders of build/, which programs read while they are built anew.
import { mkdir, rename, rm } from 'node:fs/promises';

/** Replaces a folder by what `write` puts into a new one, so that a reader finds the old or the new one whole. A failure leaves the old folder. */
export async function writeFolder(target: string, write: (folder: string) => Promise<unknown>): Promise<void> {
  const folder = `${target}.${process.pid}`;
  try {
    await mkdir(folder, { recursive: true });
    await write(folder);
    await rm(target, { recursive: true, force: true });
    await rename(folder, target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
