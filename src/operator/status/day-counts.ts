// Images a day of each instrument, for the charts of the status.
import type { ImageIndex } from '../../archive/ports.ts';
import { STATUS } from '../../platform/limits/status.ts';
import { DAY_MS } from '../../platform/util/durations.ts';
import { countedBins, countedWidthMs } from '../../sun/bins.ts';
import { allSources } from '../../sun/catalogue/sources.ts';
import { dayStart } from '../../sun/time.ts';

export interface DayCounts {
  readonly instrument: string;
  /** A count for each of the last days, today included, the oldest first. */
  readonly counts: readonly number[];
}

export async function dayCounts(index: Pick<ImageIndex, 'extents' | 'counts'>, nowMs: number): Promise<DayCounts[]> {
  const today = dayStart(nowMs);
  const bins = countedBins('D', { startMs: today - (STATUS.chartDays - 1) * DAY_MS, endMs: today });
  const extents = await index.extents();
  const sources = allSources.filter((source) => extents.has(source.id) && source.statusName !== null);
  const counted = await index.counts(
    sources.map(({ id }) => id),
    bins,
    countedWidthMs('D'),
  );
  const byInstrument = Map.groupBy(sources.keys(), (i) => sources[i]!.statusName!);
  return [...byInstrument].map(([instrument, members]) => ({
    instrument,
    counts: bins.map(([startMs]) => members.reduce((sum, i) => sum + (counted[i]!.get(startMs) ?? 0), 0)),
  }));
}
