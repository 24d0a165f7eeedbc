import type { StatusPoints } from '../ports/status.ts';

/** Points in Workers Analytics Engine; without its binding, as on this machine, they are dropped. */
export function analyticsPoints(dataset: AnalyticsEngineDataset | undefined): StatusPoints {
  return {
    write({ subject, state, values }) {
      dataset?.writeDataPoint({ indexes: [subject.slice(0, 96)], blobs: [subject, state], doubles: [...values] });
    },
  };
}
