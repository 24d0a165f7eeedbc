// Age of the newest image of each instrument (getStatus).
import { type DataSource, levelName } from './catalogue/datasource.ts';
import { allSources } from './catalogue/sources.ts';
import type { Extents } from './catalogue/tree.ts';
import { formatIso } from './time.ts';

export interface InstrumentStatus {
  /** Newest image, `YYYY-MM-DDTHH:MM:SSZ`. */
  readonly time: string;
  /** From 1, up to date, to 5, more than a week behind. */
  readonly level: number;
  /** Never negative. */
  readonly secondsBehind: number;
  /** Nickname of the source with the newest image; for RHESSI its description. */
  readonly measurement: string;
}

/** Sources with the newest images, by the names of `ingestionStatus`. */
export type NewestSources = ReadonlyMap<
  string,
  { readonly sourceId: number; readonly endMs: number; readonly measurement: string }
>;

const HOUR_S = 3600;
const LAST_LEVEL_BEFORE_STALE_S = 7 * 24 * HOUR_S;

/** Upper limits of levels 1, 2 and 3 in hours. Some instruments have a scheduled delay. */
const DEFAULT_THRESHOLDS_H = [2, 4, 12];
const THRESHOLDS_H: Readonly<Record<string, readonly number[]>> = {
  EIT: [14, 24, 48],
  HMI: [4, 8, 24],
  LASCO: [8, 12, 24],
  SECCHI: [84, 120, 144],
  SWAP: [4, 8, 12],
};

/** Level 1..5 of an instrument that is `secondsBehind`. */
export function statusLevel(instrument: string, secondsBehind: number): number {
  const limits = [
    ...(THRESHOLDS_H[instrument] ?? DEFAULT_THRESHOLDS_H).map((hours) => hours * HOUR_S),
    LAST_LEVEL_BEFORE_STALE_S,
  ];
  const reached = limits.findIndex((limit) => secondsBehind <= limit);
  return reached < 0 ? limits.length + 1 : reached + 1;
}

/** Instrument of a source; RHESSI, whose sources have no instrument level, by its observatory. Undefined for TRACE. */
export function instrumentOf(source: DataSource): string | undefined {
  return levelName(source, 'Observatory') === 'RHESSI' ? 'RHESSI' : levelName(source, 'Instrument');
}

/**
 * The source with the newest image of every instrument that has images, sorted by name. Like the public service, it groups by
 * instrument, includes RHESSI and omits TRACE, which has no instrument level.
 */
export function newestSources(extents: Extents): NewestSources {
  const newest = new Map<string, { sourceId: number; endMs: number; measurement: string }>();
  for (const source of allSources) {
    const group = instrumentOf(source);
    const endMs = extents.get(source.id)?.endMs;
    if (group === undefined || endMs === undefined) continue;
    if (endMs <= (newest.get(group)?.endMs ?? Number.NEGATIVE_INFINITY)) continue;
    const measurement = (group === 'RHESSI' && source.description) || source.nickname;
    newest.set(group, { sourceId: source.id, endMs, measurement });
  }
  return new Map([...newest].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Status of every instrument that has images, sorted by name. */
export function ingestionStatus(extents: Extents, nowMs: number): Record<string, InstrumentStatus> {
  return Object.fromEntries(
    [...newestSources(extents)].map(([group, { endMs, measurement }]) => {
      const secondsBehind = Math.max(0, Math.floor(nowMs / 1000) - Math.floor(endMs / 1000));
      return [group, { time: formatIso(endMs), level: statusLevel(group, secondsBehind), secondsBehind, measurement }];
    }),
  );
}
