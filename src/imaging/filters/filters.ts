// What filters do to the levels of an image, by their names.
import { findSource } from '../../domain/catalogue/sources.ts';
import type { Filter } from '../../picture/operations/filter.ts';
import type { Operations } from '../../picture/operations/operations.ts';
import type { AnnulusStatistics } from './annuli.ts';
import type { ByteTable } from './byte-table.ts';
import { nrgfTable } from './nrgf.ts';
import { rhefTable } from './rhef.ts';

/** An image whose statistics are known. */
interface FilteredImage {
  readonly statistics: AnnulusStatistics;
  /** Whether it shows the corona around an occulter. */
  readonly isCoronagraph: boolean;
}

const TABLES: {
  readonly [N in Filter['name']]: (image: FilteredImage, filter: Extract<Filter, { readonly name: N }>) => ByteTable;
} = {
  nrgf: ({ statistics, isCoronagraph }) => nrgfTable(statistics, isCoronagraph ? 'coronagraph' : 'disc'),
  rhef: ({ statistics }, strengths) => rhefTable(statistics, strengths),
};

/** The table of an image in a layer; null without one. */
export function tableOf({ filter }: Operations, statistics: AnnulusStatistics, sourceId: number): ByteTable | null {
  const isCoronagraph = Boolean(findSource(sourceId)?.mask);
  return filter ? TABLES[filter.name]({ statistics, isCoronagraph }, filter as never) : null;
}
