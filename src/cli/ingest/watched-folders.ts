// Files of folders that other programs write to: those that are there, then new ones as soon as they are complete.
import { watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { MINUTE_MS } from '../../platform/util/durations.ts';
import { delay } from '../../platform/util/retry.ts';
import { fileSource, filesBelow, type Jp2Source } from './jp2-sources.ts';

interface WatchTimes {
  /** Time without a change after which a file counts as complete. */
  readonly settledMs: number;
  /** Time between two looks at the files that have changed. */
  readonly lookMs: number;
  /** Time between two walks through the folders, which find what the system did not report. */
  readonly walkMs: number;
}

const TIMES: WatchTimes = { settledMs: 2000, lookMs: 500, walkMs: 10 * MINUTE_MS };

/** Difference between the clocks of this machine and of a file server. */
const CLOCK_TOLERANCE_MS = MINUTE_MS;

/**
 * Ends when `ended` aborts. A file that changes comes again, and one of `failed` with the next walk.
 * @throws Error when a folder is not there any more
 */
export async function* watchedFiles(
  folders: readonly string[],
  ended: AbortSignal,
  failed: Set<string>,
  times: WatchTimes = TIMES,
): AsyncGenerator<Jp2Source> {
  const changed = new Set<string>();
  const watchers = folders.map((folder) =>
    watch(folder, { recursive: true, signal: ended }, (_, name) => {
      if (name?.endsWith('.jp2')) changed.add(join(folder, name));
    }).on('error', () => undefined),
  );
  try {
    let walkedAtMs = 0;
    while (!ended.aborted) {
      if (Date.now() - walkedAtMs >= times.walkMs) {
        const sinceMs = walkedAtMs - CLOCK_TOLERANCE_MS;
        walkedAtMs = Date.now();
        for (const path of failed) changed.add(path);
        failed.clear();
        for (const folder of folders) {
          if (!(await stat(folder).catch(() => null))) throw new Error(`The watched folder ${folder} is not there any more.`);
          for await (const { label } of filesBelow(folder)) if ((await changedAtMs(label)) >= sinceMs) changed.add(label);
        }
      }
      for (const path of changed) {
        const changedMs = await changedAtMs(path);
        if (Date.now() - changedMs < times.settledMs) continue;
        changed.delete(path);
        if (changedMs > 0) yield fileSource(path);
      }
      await delay(times.lookMs, ended).catch(() => undefined);
    }
  } finally {
    for (const watcher of watchers) watcher.close();
  }
}

/** Time at which a file got its content or its name, whatever time of change its writer gave it; 0 when it does not exist. */
const changedAtMs = async (path: string): Promise<number> => (await stat(path).catch(() => null))?.ctimeMs ?? 0;
