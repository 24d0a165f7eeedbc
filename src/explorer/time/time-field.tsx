// The time as ISO text, which takes what people write and says how it reads it; below it the same as local time or as Carrington rotation.
import { signal, useSignal } from '@preact/signals';
import { MINUTE_MS } from '../../platform/util/durations.ts';
import { earthAt } from '../../sun/coordinates/observer.ts';
import { carringtonRotation } from '../../sun/maps/map-grid.ts';
import { formatDateTime } from '../../sun/time.ts';
import { parseSpokenDate } from '../model/spoken-date.ts';
import { setter, toggle } from '../page/controls.tsx';
import { showNewest } from '../store/actions.ts';
import { change } from '../store/open.ts';
import { shown, timeAsked } from '../store/state.ts';
import { fill, texts, utc } from '../texts.ts';

/** Whether the time is also shown as local time, else as Carrington rotation. */
const isLocal = signal(false);

function otherTime(atMs: number): string {
  const behindMs = new Date(atMs).getTimezoneOffset() * MINUTE_MS;
  if (isLocal.value) return fill(texts.time.local, { text: formatDateTime(atMs - behindMs) });
  const longitude = earthAt(atMs).l0Degrees.toFixed(1);
  return fill(texts.time.carrington, { rotation: carringtonRotation(atMs), longitude });
}

/** Whether the browser's own language writes the month before the day. */
const isMonthFirst = () => /^en-us$/i.test(navigator.language);

/** A time as people write it; null for other text. Distances refer to the shown time. */
const timeIn = (text: string) =>
  parseSpokenDate(text, { nowMs: Date.now(), atMs: shown.value?.view.atMs ?? Date.now(), isMonthFirst: isMonthFirst() });

/** How the field reads a draft that is not yet shown; empty for one that is no time or stands there as ISO text. */
function understood(draft: string | null): string {
  const read = draft === null ? null : timeIn(draft);
  if (read === null || (read !== 'newest' && utc(read) === draft?.trim())) return '';
  return fill(texts.time.understood, { time: read === 'newest' ? texts.time.newest : utc(read) });
}

/** A draft of a time as people write it, with the properties of its field and what is wrong with it, until `set` takes the time. */
export function useTimeDraft(set: (read: number | 'newest') => void) {
  const draft = useSignal<string | null>(null);
  const error = useSignal('');
  const submit = () => {
    const read = draft.value === null ? null : timeIn(draft.value);
    error.value = draft.value !== null && read === null ? fill(texts.time.badDate, { given: draft.value.trim() }) : '';
    if (read === null) return;
    draft.value = null;
    set(read);
  };
  const field = {
    type: 'text',
    autocomplete: 'off',
    spellcheck: false,
    'aria-invalid': error.value !== '',
    onInput: (event: { readonly currentTarget: { readonly value: string } }) => setter(draft)(event.currentTarget.value),
  };
  return { draft, error, submit, field };
}

export function TimeField() {
  const atMs = timeAsked.value;
  const { draft, error, submit, field } = useTimeDraft(
    (read) => void (read === 'newest' ? showNewest() : change({ atMs: read })),
  );
  const submitText = (event: Event) => {
    event.preventDefault();
    if (draft.value?.trim()) submit();
  };
  return (
    <form class="time-field" onSubmit={submitText}>
      <label>
        <span class="unseen">{texts.time.field}</span>
        <input
          id="date"
          {...field}
          inputMode="text"
          enterkeyhint="go"
          aria-describedby="date-error date-understood"
          value={draft.value ?? (atMs === undefined ? '' : utc(atMs))}
          onFocus={(event) => event.currentTarget.select()}
          onBlur={submitText}
          onKeyDown={(event) => {
            event.stopPropagation();
            if (event.key !== 'Escape') return;
            draft.value = null;
            error.value = '';
          }}
        />
      </label>
      <button type="button" class="other-time" title={texts.time.showAs} onClick={toggle(isLocal)}>
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
