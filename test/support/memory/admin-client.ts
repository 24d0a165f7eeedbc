import { createHash } from 'node:crypto';
import type { SampleProgress } from '../../../src/archive/sample-progress.ts';
import type { AdminClient, UploadFlags, UploadOutcome } from '../../../src/cli/ingest/admin-client.ts';

/** A service in memory, in which images that were not uploaded contain their name. It refuses files whose names begin with `bad` or `withdrawn`. */
export class MemoryAdminClient implements AdminClient {
  readonly images = new Set<string>();
  readonly reports: (SampleProgress | null)[] = [];
  /** Names of the files that were sent. */
  readonly puts: string[] = [];
  /** Names that were looked up. */
  readonly finds: string[] = [];
  readonly #files = new Map<string, Uint8Array>();
  /** Most uploads at once so far. */
  busiest = 0;
  #busy = 0;

  /** Names of the images with other content than the files. */
  readonly others = new Set<string>();

  async find(fileName: string): Promise<{ sha256: string } | null> {
    this.finds.push(fileName);
    if (this.others.has(fileName)) return { sha256: 'other' };
    const jp2 = this.#files.get(fileName) ?? (this.images.has(fileName) ? fileName : null);
    return jp2 === null ? null : { sha256: createHash('sha256').update(jp2).digest('hex') };
  }

  async known(fileNames: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(fileNames.filter((name) => this.images.has(name)));
  }

  async put(fileName: string, jp2: Uint8Array, { replace = false }: UploadFlags = {}): Promise<UploadOutcome> {
    if (replace) this.others.delete(fileName);
    this.puts.push(fileName);
    this.#busy += 1;
    this.busiest = Math.max(this.busiest, this.#busy);
    await new Promise((done) => setTimeout(done, 1));
    this.#busy -= 1;
    if (fileName.startsWith('bad')) return { outcome: 'refused', reason: 'malformed', sentence: 'Expected a box, got noise.' };
    if (fileName.startsWith('withdrawn')) return { outcome: 'refused', reason: 'withdrawn', sentence: 'It was withdrawn.' };
    this.images.add(fileName);
    this.#files.set(fileName, jp2);
    return { outcome: 'added' };
  }

  async isEmpty(): Promise<boolean> {
    return this.images.size === 0;
  }

  async reportSample(progress: SampleProgress | null): Promise<void> {
    this.reports.push(progress);
  }
}
