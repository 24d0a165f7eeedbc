// The report of a command: one line of JSON for each problem.
import { createWriteStream } from 'node:fs';
import type { Problem } from './outcomes.ts';

export interface ReportFile {
  write(problem: Problem): void;
  /** @throws Error when the file could not be written */
  end(): Promise<void>;
}

export function reportFile(path: string): ReportFile {
  const stream = createWriteStream(path);
  const failed = new Promise<never>((_, reject) => stream.once('error', reject));
  failed.catch(() => undefined);
  return {
    write: (problem) => void stream.write(`${JSON.stringify(problem)}\n`),
    end: () => Promise.race([failed, new Promise<void>((done) => stream.end(done))]),
  };
}
