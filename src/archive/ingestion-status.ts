// Age of the newest image of each instrument, and of each datasource (getStatus).
import type { DataSource } from '../sun/catalogue/datasource.ts';
import { allSources } from '../sun/catalogue/sources.ts';
import type { Extents } from '../sun/catalogue/tree.ts';
import { formatIso } from '../sun/time.ts';

interface Age {
  /** Newest image, `YYYY-MM-DDTHH:MM:SSZ`. */
  readonly time: string;
  /** From 1, up to date, to 5, more than a week behind. */
  readonly level: number;
  readonly secondsBehind: number;
}

export interface InstrumentStatus extends Age {
  /** Nickname of the source with the newest image; for RHESSI its description. */
  readonly measurement: string;
}

const HOUR_S = 3600;
const LAST_LEVEL_BEFORE_STALE_S = 7 * 24 * HOUR_S;

/** Level 1..5 of the instrument of a source that is `secondsBehind`. Some instruments have a scheduled delay. */
export function statusLevel({ statusHours }: Pick<DataSource, 'statusHours'>, secondsBehind: number): number {
  const limits = [...statusHours.map((hours) => hours * HOUR_S), LAST_LEVEL_BEFORE_STALE_S];
  const reached = limits.findIndex((limit) => secondsBehind <= limit);
  return reached < 0 ? limits.length + 1 : reached + 1;
}

/** Newest source of each instrument with images, by its name: as the public service with RHESSI, without TRACE (no instrument level). */
export function newestSources(extents: Extents): ReadonlyMap<string, { readonly source: DataSource; readonly endMs: number }> {
  const newest = new Map<string, { source: DataSource; endMs: number }>();
  for (const source of allSources) {
    const endMs = extents.get(source.id)?.endMs;
    if (source.statusName === null || endMs === undefined) continue;
    if (endMs > (newest.get(source.statusName)?.endMs ?? Number.NEGATIVE_INFINITY))
      newest.set(source.statusName, { source, endMs });
  }
  return new Map([...newest].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function ageOf(source: DataSource, endMs: number, nowMs: number): Age {
  const secondsBehind = Math.max(0, Math.floor(nowMs / 1000) - Math.floor(endMs / 1000));
  return { time: formatIso(endMs), level: statusLevel(source, secondsBehind), secondsBehind };
}

export function sourceStatuses(extents: Extents, nowMs: number) {
  const statuses = allSources.flatMap((source) => {
    const endMs = extents.get(source.id)?.endMs;
    return endMs === undefined ? [] : [{ sourceId: source.id, nickname: source.nickname, ...ageOf(source, endMs, nowMs) }];
  });
  return statuses.sort((a, b) => a.sourceId - b.sourceId);
}

export function ingestionStatus(extents: Extents, nowMs: number): Record<string, InstrumentStatus> {
  return Object.fromEntries(
    [...newestSources(extents)].map(([instrument, { source, endMs }]) => {
      // The nickname of RHESSI says no more than its instrument.
      const measurement = (source.nickname === instrument && source.description) || source.nickname;
      return [instrument, { ...ageOf(source, endMs, nowMs), measurement }];
    }),
  );
}
