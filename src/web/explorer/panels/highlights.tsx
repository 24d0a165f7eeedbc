// The strongest flares of the day, each a step to its peak.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { DAY_MS } from '../../../util/durations.ts';
import { change } from '../store/open.ts';
import { texts } from '../texts.ts';
import { type Flare, flaresOf } from '../time/coverage.ts';

const MOST = 5;

/** Peak flux of a GOES class in units of A1; 0 for labels without one. */
export function flareStrength(label: string): number {
  const match = /\b([ABCMX])(\d+(?:\.\d+)?)\b/.exec(label);
  return match ? 10 ** 'ABCMX'.indexOf(match[1]!) * Number(match[2]) : 0;
}

/** The strongest flares, one of each time. */
function strongest(flares: readonly Flare[], dayMs: number): Flare[] {
  const ofDay = flares.filter(
    ({ peakMs, label }) => peakMs !== null && peakMs >= dayMs && peakMs < dayMs + DAY_MS && flareStrength(label) > 0,
  );
  const sorted = ofDay.sort((a, b) => flareStrength(b.label) - flareStrength(a.label));
  return sorted
    .filter((flare, i) => sorted.findIndex((other) => Math.abs(other.peakMs! - flare.peakMs!) < 60_000) === i)
    .slice(0, MOST);
}

export function Highlights({ atMs }: { readonly atMs: number }) {
  const flares = useSignal<readonly Flare[] | null>(null);
  const dayMs = Math.floor(atMs / DAY_MS) * DAY_MS;
  const failure = useSignal('');
  const attempt = useSignal(0);
  const attempts = attempt.value;
  useEffect(() => {
    const loading = new AbortController();
    flares.value = null;
    failure.value = '';
    // A range below a day has single events.
    flaresOf({ startMs: dayMs, endMs: dayMs + DAY_MS - 1000 }, loading.signal).then(
      (all) => {
        flares.value = strongest(all, dayMs);
      },
      (error: Error) => {
        if (!loading.signal.aborted) failure.value = error.message;
      },
    );
    return () => loading.abort();
  }, [dayMs, attempts, flares, failure]);
  return (
    <section aria-labelledby="highlights">
      <h3 id="highlights">{texts.looks.highlights(new Date(dayMs).toISOString().slice(0, 10))}</h3>
      {flares.value === null && !failure.value && <p class="quiet">{texts.loading}</p>}
      {failure.value && (
        <p role="alert">
          {failure.value}{' '}
          <button
            type="button"
            onClick={() => {
              attempt.value += 1;
            }}
          >
            {texts.retry}
          </button>
        </p>
      )}
      {flares.value?.length === 0 && <p class="quiet">{texts.looks.noHighlights}</p>}
      <ul class="chips">
        {flares.value?.map(({ id, label, peakMs }) => (
          <li key={id}>
            <button type="button" onClick={() => void change({ atMs: peakMs!, events: ['FL'] })}>
              <strong>{label}</strong> <span class="quiet">{texts.looks.peak(peakMs!)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
