// The times of the images around the shown one, each a step to it.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { formatDateTime } from '../../../domain/time.ts';
import { HOUR_MS } from '../../../util/durations.ts';
import { change } from '../store/open.ts';
import { baseSourceId, shown } from '../store/state.ts';
import { texts } from '../texts.ts';
import { imageCoverage } from '../time/coverage.ts';
import { save } from './screenshot.tsx';

/** The longest range with single images; the service gives its length on both sides as well. */
const RANGE_MS = 1.75 * HOUR_MS;
const words = texts.data;

export function ImageList() {
  const times = useSignal<readonly number[] | null>(null);
  const [atMs, sourceId] = [shown.value!.view.atMs, baseSourceId.value ?? 0];
  useEffect(() => {
    const loading = new AbortController();
    const range = { startMs: Math.round(atMs - RANGE_MS / 2), endMs: Math.round(atMs + RANGE_MS / 2) };
    imageCoverage([sourceId], range, loading.signal).then(
      ([layer]) => {
        times.value = layer?.bins.map(({ startMs }) => startMs) ?? [];
      },
      () => {
        if (!loading.signal.aborted) times.value = [];
      },
    );
    return () => loading.abort();
  }, [atMs, sourceId, times]);
  if (times.value === null) return <p class="quiet">{texts.loading}</p>;
  const list = times.value;
  return (
    <>
      <p class="quiet">{words.listed(list.length)}</p>
      <button
        type="button"
        disabled={list.length === 0}
        onClick={() =>
          save(new Blob([list.map((ms) => `${new Date(ms).toISOString()}\n`).join('')], { type: 'text/plain' }), 'images.txt')
        }
      >
        {words.saveList}
      </button>
      <ul class="list times">
        {list.slice(0, 100).map((ms) => (
          <li key={ms}>
            <button
              type="button"
              class="row-button"
              aria-current={Math.abs(ms - atMs) < 1000 ? 'time' : undefined}
              onClick={() => void change({ atMs: ms })}
            >
              {formatDateTime(ms)}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
