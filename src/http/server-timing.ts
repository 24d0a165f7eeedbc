// Time spent in each stage of a request, for the Server-Timing header.
import type { StageTimings, Stopwatch } from '../ports/timing.ts';

const STAGES = ['cache', 'index', 'read', 'decode', 'colour', 'compose', 'overlays', 'encode'] as const;

export class ServerTiming implements Stopwatch {
  readonly #startedAt = performance.now();
  readonly #milliseconds = new Map<string, number>();

  async measure<T>(stage: keyof StageTimings, work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      this.add({ [stage]: performance.now() - startedAt });
    }
  }

  add(timings: StageTimings): void {
    for (const stage of STAGES) {
      const milliseconds = timings[stage];
      if (milliseconds !== undefined) this.#milliseconds.set(stage, (this.#milliseconds.get(stage) ?? 0) + milliseconds);
    }
  }

  /** `cache;dur=0.4, index;dur=1.2, total;dur=3`: the stages that ran, in the order of the pipeline, in milliseconds. */
  header(): string {
    const total = performance.now() - this.#startedAt;
    const parts = STAGES.filter((stage) => this.#milliseconds.has(stage)).map(
      (stage) => [stage, this.#milliseconds.get(stage)!] as const,
    );
    return [...parts, ['total', total] as const].map(([stage, ms]) => `${stage};dur=${Number(ms.toFixed(2))}`).join(', ');
  }
}
