// The status as JSON.
import { formatIso } from '../../sun/time.ts';
import type { ServiceStatus } from './service-status.ts';
import { isFailing } from './states.ts';

export const isoOrNull = (ms: number | null) => (ms === null ? null : formatIso(ms));

/** Times are `YYYY-MM-DDTHH:MM:SSZ`, durations seconds. */
export function statusJson({ states, heartbeats, movies, mirror, nowMs }: ServiceStatus) {
  return {
    time: formatIso(nowMs),
    states: states.map(({ sinceMs, ...state }) => ({ ...state, since: isoOrNull(sinceMs) })),
    upstreams: heartbeats.map(({ name, okAtMs, triedAtMs, failures, sentence }) => ({
      name,
      ok: isoOrNull(okAtMs),
      tried: isoOrNull(triedAtMs),
      isFailing: isFailing({ failures }),
      sentence,
    })),
    mirror: mirror && {
      sources: mirror.sources,
      added: mirror.added,
      refused: mirror.refused,
      incomplete: mirror.open,
      through: isoOrNull(mirror.cursorMs),
    },
    movies: movies && {
      queued: movies.queued,
      processing: movies.processing,
      oldestWaitSeconds: movies.oldestWaitMs === null ? null : Math.round(movies.oldestWaitMs / 1000),
      repeated: movies.repeated,
      expiredLeases: movies.expired,
      failed: movies.failed,
    },
  };
}
