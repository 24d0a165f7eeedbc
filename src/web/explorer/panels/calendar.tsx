// A month of days, marked where the lowest layer has images; a click shows the same time of another day.
import { useSignal } from '@preact/signals';
import { dayStart, isoDay } from '../../../domain/time.ts';
import { DAY_MS } from '../../../util/durations.ts';
import { Choice, IconButton, setter } from '../page/controls.tsx';
import { Failure, useLoaded } from '../page/loading.tsx';
import { change } from '../store/open.ts';
import { baseSourceId, dialog, shown, sourceName, sources } from '../store/state.ts';
import { presentLanguage } from '../texts/language.ts';
import { fill, texts } from '../texts.ts';
import { imageCoverage } from '../time/coverage.ts';
import { useCatalogue } from './catalogue.ts';

const words = texts.calendar;
const LONGEST_MONTH_MS = 31 * DAY_MS;
/** A Monday, with which weeks begin. */
const MONDAY_MS = Date.UTC(2024, 0, 1);

const monthFrom = (ms: number, by = 0) => Date.UTC(new Date(ms).getUTCFullYear(), new Date(ms).getUTCMonth() + by, 1);
const inWords = (ms: number, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(presentLanguage(), { ...options, timeZone: 'UTC' }).format(ms);

async function imagesByDay(sourceId: number, startMs: number, signal: AbortSignal): Promise<ReadonlyMap<number, number>> {
  const [layer] = await imageCoverage([sourceId], { startMs, endMs: startMs + LONGEST_MONTH_MS }, signal);
  const days = new Map<number, number>();
  for (const { startMs: binMs, count } of layer?.bins ?? []) {
    const day = dayStart(binMs);
    days.set(day, (days.get(day) ?? 0) + count);
  }
  return days;
}

function Days({ startMs, counts }: { readonly startMs: number; readonly counts: ReadonlyMap<number, number> | null }) {
  const atMs = shown.value!.view.atMs;
  const count = Math.round((monthFrom(startMs, 1) - startMs) / DAY_MS);
  const firstColumn = ((new Date(startMs).getUTCDay() + 6) % 7) + 1;
  const pick = (dayMs: number) => {
    dialog.value = null;
    void change({ atMs: dayMs + (atMs % DAY_MS) });
  };
  return (
    <div class="calendar">
      {Array.from({ length: 7 }, (_, i) => (
        <span key={i} class="quiet" aria-hidden="true">
          {inWords(MONDAY_MS + i * DAY_MS, { weekday: 'short' })}
        </span>
      ))}
      {Array.from({ length: count }, (_, i) => {
        const day = startMs + i * DAY_MS;
        const images = counts?.get(day) ?? 0;
        return (
          <button
            key={day}
            type="button"
            data-images={images > 0}
            aria-current={dayStart(atMs) === day ? 'date' : undefined}
            style={i === 0 ? { gridColumn: String(firstColumn) } : {}}
            onClick={() => pick(day)}
          >
            <span aria-hidden="true">{i + 1}</span>
            <span class="unseen">{counts ? fill(words.images, { day: isoDay(day), count: images }) : isoDay(day)}</span>
          </button>
        );
      })}
    </div>
  );
}

export function Calendar() {
  const month = useSignal(monthFrom(shown.value!.view.atMs));
  useCatalogue();
  const sourceId = baseSourceId.value!;
  const startMs = month.value;
  const key = `${sourceId} ${startMs}`;
  const { last, failure, retry } = useLoaded(key, (signal) => imagesByDay(sourceId, startMs, signal));
  const source = sources.value?.find((one) => one.sourceId === sourceId);
  const year = new Date(startMs).getUTCFullYear();
  const known = [source?.startMs ?? startMs, source?.endMs ?? startMs, startMs].map((ms) => new Date(ms).getUTCFullYear());
  const [from, to] = [Math.min(...known), Math.max(...known)];
  const move = (by: number) => setter(month)(monthFrom(startMs, by));
  return (
    <>
      <div class="month">
        <IconButton icon="previous" label={words.previous} act={() => move(-1)} />
        <strong role="status">{inWords(startMs, { month: 'long', year: 'numeric' })}</strong>
        <IconButton icon="next" label={words.next} act={() => move(1)} />
        <Choice
          isBare
          id="year"
          label={words.year}
          value={year}
          options={Array.from({ length: to - from + 1 }, (_, i) => [from + i, String(from + i)] as const)}
          pick={(next) => move(12 * (next - year))}
        />
      </div>
      <Days startMs={startMs} counts={last?.key === key ? last.value : null} />
      {failure && <Failure sentences={[texts.timeline.noImages, failure]} retry={retry} />}
      <p class="quiet">{fill(words.note, { name: sourceName(sourceId) })}</p>
    </>
  );
}
