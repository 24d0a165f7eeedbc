// The sources that a mirror follows, and the cadence of each, as `10:300,13` in settings and arguments.
import { isSourceGroup } from './datasource.ts';
import { findSource } from './sources.ts';

export interface ChosenSource {
  readonly sourceId: number;
  /** Only the first image of each interval of this length, counted from 1970, is mirrored. Null: every image. */
  readonly cadenceMs: number | null;
}

const CHOICE = /^(\d{1,5})(?::(\d{1,8}))?$/;

export const CHOICE_FORM = 'a source id of getDataSources, with :<seconds> for a cadence,';

/** The source of one choice; null for another form, an unknown source, a group of sources, and a cadence of 0. */
export function parseChoice(text: string): ChosenSource | null {
  const [, id, seconds] = CHOICE.exec(text.trim()) ?? [];
  const source = id === undefined ? undefined : findSource(Number(id));
  if (!source || isSourceGroup(source) || Number(seconds ?? 1) === 0) return null;
  return { sourceId: source.id, cadenceMs: seconds === undefined ? null : 1000 * Number(seconds) };
}

/** The first of each interval of `cadenceMs`, of items in the order of their times; all without a cadence. */
export function thinned<Item extends { readonly atMs: number }>(items: readonly Item[], cadenceMs: number | null): Item[] {
  if (cadenceMs === null) return [...items];
  const seen = new Set<number>();
  return items.filter(({ atMs }) => {
    const interval = Math.floor(atMs / cadenceMs);
    return !seen.has(interval) && Boolean(seen.add(interval));
  });
}
