// Steps from event to event of a type.
import { DAY_MS } from '../../../../util/durations.ts';
import { sentenceOf } from '../../api/request.ts';
import { nextMoment } from '../../model/timeline.ts';
import { change } from '../../store/open.ts';
import { shown, trouble } from '../../store/state.ts';
import { fill, texts } from '../../texts.ts';
import { eventsOf } from '../../time/coverage.ts';

/** Days in which the next event is searched for, each with a request. */
const MOST_DAYS = 7;
const DAY = DAY_MS - 1000;

let search = new AbortController();

export async function goToNext(pin: string, direction: -1 | 1): Promise<void> {
  const { atMs } = shown.value!.view;
  search.abort();
  search = new AbortController();
  const { signal } = search;
  try {
    for (let day = 0; day < MOST_DAYS; day += 1) {
      const nearMs = atMs + direction * day * DAY_MS;
      const range = direction > 0 ? { startMs: nearMs, endMs: nearMs + DAY } : { startMs: nearMs - DAY, endMs: nearMs };
      const found = (await eventsOf([pin], range, signal)).map((event) => ({ ...event, count: null, weight: 1 }));
      const toMs = nextMoment(found, atMs, direction);
      if (toMs === null) continue;
      await change({ atMs: toMs });
      return;
    }
    trouble.value = { sentence: fill(texts.events.noneNear, { days: fill(texts.durations.day, { count: MOST_DAYS }) }) };
  } catch (error) {
    if (!signal.aborted) trouble.value = { sentence: sentenceOf(error), retry: () => void goToNext(pin, direction) };
  }
}
