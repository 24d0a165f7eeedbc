// The report of a command: one line of JSON for each finding.
import { createWriteStream } from 'node:fs';

export function reportFile(path: string) {
  const stream = createWriteStream(path);
  const failed = new Promise<never>((_, reject) => stream.once('error', reject));
  failed.catch(() => undefined);
  return {
    write: (line: object) => void stream.write(`${JSON.stringify(line)}\n`),
    /** @throws Error of the system when the file could not be written, now or earlier */
    end: () => Promise.race([failed, new Promise<void>((done) => stream.end(done))]),
  };
}
