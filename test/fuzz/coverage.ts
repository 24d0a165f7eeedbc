// Code of the service that has run, by V8's precise coverage. It needs no instrumented build and no native package, and does not see the
// WebAssembly core.
import { type Profiler, Session } from 'node:inspector';

const OWN_CODE = /^file:.*\/src\/(?!cli\/)/;

export class Coverage {
  readonly #session = new Session();
  readonly #seen = new Set<string>();

  constructor() {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** Number of blocks that have run so far. */
  get size(): number {
    return this.#seen.size;
  }

  /** The blocks that have run since the last call. Takes some milliseconds. */
  take(): Set<string> {
    const blocks = this.#counts().flatMap(({ scriptId, functions }) =>
      functions.flatMap(({ ranges }) =>
        ranges.filter(({ count }) => count > 0).map(({ startOffset, endOffset }) => `${scriptId}:${startOffset}:${endOffset}`),
      ),
    );
    return new Set(blocks);
  }

  /** The blocks among these that had not run before; they have from now on. */
  add(blocks: ReadonlySet<string>): Set<string> {
    const found = new Set([...blocks].filter((block) => !this.#seen.has(block)));
    for (const block of found) this.#seen.add(block);
    return found;
  }

  close(): void {
    this.#session.disconnect();
  }

  /** Counts since the last call. An inspector of its own thread answers at once. */
  #counts(): readonly Profiler.ScriptCoverage[] {
    let found: readonly Profiler.ScriptCoverage[] = [];
    this.#session.post('Profiler.takePreciseCoverage', (error, answer) => {
      if (error) throw error;
      found = answer.result.filter(({ url }) => OWN_CODE.test(url));
    });
    return found;
  }
}
