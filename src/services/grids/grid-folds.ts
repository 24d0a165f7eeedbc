// Makes the objects of days of grids by the clock.
import { GRIDS } from '../../config/limits/grids.ts';
import { dayStart } from '../../domain/time.ts';
import type { ImageIndex } from '../../ports/images.ts';
import type { Clock } from '../../ports/timing.ts';
import { DAY_MS, MINUTE_MS } from '../../util/durations.ts';
import { GRID_KINDS, type GridsByKind } from './image-grids.ts';

interface Ports {
  readonly grids: GridsByKind<'days' | 'waiting' | 'fold'>;
  readonly index: Pick<ImageIndex, 'extents'>;
  readonly clock: Clock;
}

/**
 * Makes the oldest missing day of the last ones of a source, another source or kind of grids each minute. A day that is not over has no object yet, because
 * each new image would remove it.
 * @returns the number of days that were made
 */
export async function foldByClock({ grids, index, clock }: Ports): Promise<number> {
  const nowMs = clock();
  const today = dayStart(nowMs);
  const firstMs = today - GRIDS.clockDays * DAY_MS;
  const recent = [...(await index.extents())].filter(([, { endMs }]) => endMs >= firstMs).map(([sourceId]) => sourceId);
  const turns = recent.sort((a, b) => a - b).flatMap((sourceId) => GRID_KINDS.map((kind) => ({ sourceId, grids: grids[kind] })));
  const turn = turns[Math.floor(nowMs / MINUTE_MS) % turns.length];
  if (!turn) return 0;
  const { sourceId } = turn;
  const present = new Set((await turn.grids.days(sourceId, firstMs, today - DAY_MS)).map(({ dayMs }) => dayMs));
  const past = Array.from({ length: GRIDS.clockDays }, (_, day) => firstMs + day * DAY_MS);
  const { value: dayMs } = await turn.grids
    .waiting(
      sourceId,
      past.filter((dayMs) => !present.has(dayMs)),
    )
    .next();
  return dayMs !== undefined && (await turn.grids.fold(sourceId, dayMs)) ? 1 : 0;
}
