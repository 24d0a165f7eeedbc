// The time as ISO text, which takes what people write and says how it reads it; below it the same as local time or as Carrington rotation.
import { signal, useSignal } from '@preact/signals';
import { carringtonRotation } from '../model/readout.ts';
import { parseSpokenDate } from '../model/spoken-date.ts';
import { setTo, setter } from '../page/controls.tsx';
import { showNewest } from '../store/actions.ts';
import { change } from '../store/open.ts';
import { askedMs, shown } from '../store/state.ts';
import { utc } from '../texts/times.ts';
import { fill, texts } from '../texts.ts';

type Zone = 'local' | 'carrington';
const zone = signal<Zone>('carrington');

function otherTime(atMs: number): string {
  if (zone.value === 'local') {
    const date = new Date(atMs);
    const local = new Date(atMs - date.getTimezoneOffset() * 60_000).toISOString();
    return fill(texts.time.local, { text: `${local.slice(0, 10)} ${local.slice(11, 19)}` });
  }
  const { rotation, longitude } = carringtonRotation(atMs);
  return fill(texts.time.carrington, { rotation, longitude: longitude.toFixed(1) });
}

/** Whether the browser's own language writes the month before the day. */
const isMonthFirst = () => /^en-us$/i.test(navigator.language);

/** A time as people write it; null for other text. Distances refer to the shown time. */
export const timeIn = (text: string) =>
  parseSpokenDate(text, { nowMs: Date.now(), atMs: shown.value?.view.atMs ?? Date.now(), isMonthFirst: isMonthFirst() });

/** How the field reads a draft that is not yet shown; empty for one that is no time or stands there as ISO text. */
function understood(draft: string | null): string {
  const read = draft === null ? null : timeIn(draft);
  if (read === null || (read !== 'newest' && utc(read) === draft?.trim())) return '';
  return fill(texts.time.understood, { time: read === 'newest' ? texts.time.newest : utc(read) });
}

export function TimeField() {
  const draft = useSignal<string | null>(null);
  const error = useSignal('');
  // What was asked for, also while the picture of another time is still there.
  const atMs = askedMs.value ?? shown.value?.view.atMs;
  const otherZone = zone.value === 'local' ? 'carrington' : 'local';
  const submit = async (event: Event) => {
    event.preventDefault();
    const text = draft.value?.trim() ?? '';
    if (draft.value === null || text === '') return;
    const read = timeIn(text);
    error.value = read === null ? fill(texts.time.badDate, { given: text }) : '';
    if (read === null) return;
    draft.value = null;
    await (read === 'newest' ? showNewest() : change({ atMs: read }));
  };
  return (
    <form class="time-field" onSubmit={submit}>
      <label>
        <span class="unseen">{texts.time.field}</span>
        <input
          id="date"
          type="text"
          inputMode="text"
          autocomplete="off"
          spellcheck={false}
          enterkeyhint="go"
          aria-invalid={error.value !== ''}
          aria-describedby="date-error date-understood"
          value={draft.value ?? (atMs === undefined ? '' : utc(atMs))}
          onInput={(event) => setter(draft)(event.currentTarget.value)}
          onFocus={(event) => event.currentTarget.select()}
          onBlur={(event) => void submit(event)}
          onKeyDown={(event) => {
            event.stopPropagation();
            if (event.key !== 'Escape') return;
            draft.value = null;
            error.value = '';
          }}
        />
      </label>
      <button type="button" class="other-time" title={texts.time.showAs} onClick={setTo(zone, otherZone)}>
        <span class="unseen">{texts.time.showAs} </span>
        {atMs === undefined ? ' ' : otherTime(atMs)}
      </button>
      <p id="date-understood" class="field-hint" role="status">
        {error.value === '' && understood(draft.value)}
      </p>
      <p id="date-error" class="field-error" role="alert">
        {error.value}
      </p>
    </form>
  );
}
