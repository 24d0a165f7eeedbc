// getDataGaps: the times for which a datasource lacks images.
import { type ExplainedGap, type GapIndex, gapsOf } from '../../archive/gaps.ts';
import { RECENT } from '../../platform/http/cache-policy.ts';
import { type JsonBody, jsonBody } from '../../platform/http/openapi/json-bodies.ts';
import { date } from '../../platform/http/parameters.ts';
import { jsonReply } from '../../platform/http/response.ts';
import { GAPS } from '../../platform/limits/images.ts';
import { SECOND_MS } from '../../platform/util/durations.ts';
import { badParameter } from '../../platform/util/errors.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import { formatExact, formatIso, swappedTimes } from '../../sun/time.ts';
import { operation } from '../services.ts';
import type { recentGaps as recentGapsSchema } from './catalogue-schemas.ts';
import { dataGaps } from './list-schemas.ts';
import { singleSource, sourceId } from './source-parameters.ts';

const seconds = (ms: number): number => Math.round(ms) / SECOND_MS;
const secondsOrNull = (ms: number | null): number | null => (ms === null ? null : seconds(ms));

function gapRecord({ startMs, endMs, cadenceMs, missing, why }: ExplainedGap): JsonBody<typeof dataGaps>['gaps'][number] {
  return {
    start: formatExact(startMs),
    end: formatExact(endMs),
    seconds: seconds(endMs - startMs),
    cadenceSeconds: secondsOrNull(cadenceMs),
    missing,
    reason: why?.reason ?? null,
    sentence: why?.sentence ?? null,
  };
}

/** Gaps of a status. */
const SHOWN = 3;

/** The gaps of a source in the time before its newest image, for the status of its instrument. */
export async function recentGaps(index: GapIndex, sourceId: number, endMs: number): Promise<JsonBody<typeof recentGapsSchema>> {
  const { gaps, cadenceMs } = await gapsOf(index, sourceId, { startMs: endMs - GAPS.rangeMs, endMs });
  const held = gaps.filter(({ why }) => why?.reason !== 'before-first').map(gapRecord);
  return {
    count: held.length,
    seconds: held.reduce((sum, gap) => sum + gap.seconds, 0),
    cadenceSeconds: secondsOrNull(cadenceMs),
    longest: held.toSorted((a, b) => b.seconds - a.seconds).slice(0, SHOWN),
  };
}

export const getDataGaps = operation({
  name: 'getDataGaps',
  summary: 'Gaps in the images of a datasource, with the reason where it is known.',
  description:
    'A gap is an interval between two images of three times the cadence at least, where the cadence is the median interval of the ' +
    'nine images on each side. Gaps are found by counts that the service keeps, so that years take milliseconds: every gap of ' +
    '`foundFromSeconds` is found, which is ten minutes for images of a high cadence in a month, two hours in three years, and two ' +
    'days in longer ranges; shorter ones may be. `next` is there where the search has to go on. `reason` is null where neither the archive nor a documented outage explains a gap.',
  tag: 'Catalogue',
  responses: { 'application/json': jsonBody('The gaps by time.', dataGaps) },
  parameters: {
    sourceId: sourceId(),
    startTime: date('Start of the range. Unset: 30 days before its end.').optional(),
    endTime: date('End of the range. Unset, and for times to come: now.').optional(),
  },
  parametersInV1: null,
  jsonp: true,
  edge: 'shared',
  canonical: ({ sourceId: id, startTime, endTime }) => {
    const source = singleSource(id);
    if (startTime !== undefined && endTime !== undefined && startTime >= endTime) {
      const swapped = swappedTimes(startTime, endTime, ['startTime', 'endTime']);
      throw badParameter('endTime', 'a date after startTime', formatIso(endTime), swapped);
    }
    return { sourceId: source, startTime, endTime };
  },
  handle: async ({ sourceId: source, startTime, endTime }, { services, stopwatch }) => {
    const endMs = Math.min(endTime ?? Number.POSITIVE_INFINITY, services.clock());
    const startMs = Math.min(startTime ?? endMs - GAPS.rangeMs, endMs);
    const found = await stopwatch.measure('index', () => gapsOf(services.index, source, { startMs, endMs }));
    const reply: JsonBody<typeof dataGaps> = {
      sourceId: source,
      name: findSource(source)?.nickname ?? '',
      start: formatIso(startMs),
      end: formatIso(endMs),
      cadenceSeconds: secondsOrNull(found.cadenceMs),
      foundFromSeconds: secondsOrNull(found.foundFromMs),
      gaps: found.gaps.map(gapRecord),
      next: found.nextMs === null ? null : formatExact(found.nextMs),
    };
    return jsonReply(reply, { policy: RECENT });
  },
});
