import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const newFolder = () => mkdtempSync(join(tmpdir(), 'helioedge-'));
const remove = (folder: string) => rmSync(folder, { recursive: true, force: true });

/** Runs a job with a temporary folder, which is removed afterwards. */
export async function inFolder<T>(job: (folder: string) => Promise<T>): Promise<T> {
  const folder = newFolder();
  try {
    return await job(folder);
  } finally {
    remove(folder);
  }
}

/** `inFolder` for a job that waits for nothing. */
export function inFolderSync<T>(job: (folder: string) => T): T {
  const folder = newFolder();
  try {
    return job(folder);
  } finally {
    remove(folder);
  }
}
