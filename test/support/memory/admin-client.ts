import type { AdminClient, UploadOutcome } from '../../../src/cli/ingest/admin-client.ts';
import type { SampleProgress } from '../../../src/services/images/sample-progress.ts';

/** A service in memory. It refuses files whose names begin with `bad`. */
export class MemoryAdminClient implements AdminClient {
  readonly images = new Set<string>();
  readonly reports: (SampleProgress | null)[] = [];
  /** Names of the files that were sent. */
  readonly puts: string[] = [];
  /** Most uploads at once so far. */
  busiest = 0;
  #busy = 0;

  /** Names of the images with other content than the files. */
  readonly others = new Set<string>();

  async find(fileName: string): Promise<UploadOutcome | null> {
    if (this.others.has(fileName))
      return { outcome: 'refused', reason: 'conflict', sentence: 'Expected its content, got other.' };
    return this.images.has(fileName) ? { outcome: 'known' } : null;
  }

  async put(fileName: string, _jp2: Uint8Array, _sha256: string, replace = false): Promise<UploadOutcome> {
    if (replace) this.others.delete(fileName);
    this.puts.push(fileName);
    this.#busy += 1;
    this.busiest = Math.max(this.busiest, this.#busy);
    await new Promise((done) => setTimeout(done, 1));
    this.#busy -= 1;
    if (fileName.startsWith('bad')) return { outcome: 'refused', reason: 'malformed', sentence: 'Expected a box, got noise.' };
    this.images.add(fileName);
    return { outcome: 'added' };
  }

  async isEmpty(): Promise<boolean> {
    return this.images.size === 0;
  }

  async reportSample(progress: SampleProgress | null): Promise<void> {
    this.reports.push(progress);
  }
}
