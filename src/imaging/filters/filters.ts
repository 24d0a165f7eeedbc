// What filters do to the levels of an image, by their names.
import { findSource } from '../../domain/catalogue/sources.ts';
import type { Filter } from '../../picture/operations/filter.ts';
import type { Operations } from '../../picture/operations/operations.ts';
import type { Rect } from '../jp2/structure.ts';
import type { AnnulusStatistics } from './annuli.ts';
import type { ByteTable } from './byte-table.ts';
import { type LevelPart, MGN_APRON, mgn } from './mgn.ts';
import { nrgfTable } from './nrgf.ts';
import { rhefTable } from './rhef.ts';
import { steadyTable } from './steady.ts';

interface FilteredImage {
  readonly statistics: AnnulusStatistics;
  /** Whether it shows the corona around an occulter. */
  readonly isCoronagraph: boolean;
}

interface LevelFilter {
  /** Samples around a part that it needs. */
  readonly apron: number;
  /** The samples of `inner`, from a part of a level of this size that has those around them. */
  filtered(part: LevelPart, inner: Rect, level: { readonly width: number; readonly height: number }): Uint8Array;
}

const FILTERS: {
  readonly [N in Filter['name']]:
    | { table(image: FilteredImage, filter: Extract<Filter, { readonly name: N }>): ByteTable }
    | { readonly level: LevelFilter };
} = {
  mgn: { level: { apron: MGN_APRON, filtered: mgn } },
  nrgf: { table: ({ statistics, isCoronagraph }) => nrgfTable(statistics, isCoronagraph ? 'coronagraph' : 'disc') },
  rhef: { table: ({ statistics }, strengths) => rhefTable(statistics, strengths) },
};

/** The filter of a layer on resolution levels, which a steady brightness precedes; null without one. */
export function levelFilterOf({ filter }: Operations): LevelFilter | null {
  const record = filter && FILTERS[filter.name];
  return record && 'level' in record ? record.level : null;
}

/** The table of an image in a layer; null without one. RHEF and NRGF are the same with a steady brightness, which cancels in them. */
export function tableOf({ filter, steady }: Operations, statistics: AnnulusStatistics, sourceId: number): ByteTable | null {
  const isCoronagraph = Boolean(findSource(sourceId)?.mask);
  const record = filter && FILTERS[filter.name];
  if (record && 'table' in record) return record.table({ statistics, isCoronagraph }, filter as never);
  return steady ? steadyTable(statistics) : null;
}
