// The time as ISO text, which takes what people write; below it the same as local time or as Carrington rotation.
import { signal, useSignal } from '@preact/signals';
import { carringtonRotation } from '../../../domain/explorer/readout.ts';
import { parseWrittenDate } from '../../../domain/time.ts';
import { setTo, setter } from '../page/controls.tsx';
import { change } from '../store/open.ts';
import { shown } from '../store/state.ts';
import { utc } from '../texts/times.ts';
import { texts } from '../texts.ts';

type Zone = 'local' | 'carrington';
const zone = signal<Zone>('carrington');

function otherTime(atMs: number): string {
  if (zone.value === 'local') {
    const date = new Date(atMs);
    const local = new Date(atMs - date.getTimezoneOffset() * 60_000).toISOString();
    return texts.time.local(`${local.slice(0, 10)} ${local.slice(11, 19)}`);
  }
  const { rotation, longitude } = carringtonRotation(atMs);
  return texts.time.carrington(rotation, longitude);
}

export function TimeField() {
  const draft = useSignal<string | null>(null);
  const error = useSignal('');
  const atMs = shown.value?.view.atMs;
  const otherZone = zone.value === 'local' ? 'carrington' : 'local';
  const submit = async (event: Event) => {
    event.preventDefault();
    const text = draft.value?.trim() ?? '';
    if (draft.value === null || text === '') return;
    const askedMs = parseWrittenDate(text);
    error.value = askedMs === null ? texts.time.badDate(text) : '';
    if (askedMs === null) return;
    draft.value = null;
    await change({ atMs: askedMs });
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
          aria-describedby="date-error"
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
      <p id="date-error" class="field-error" role="alert">
        {error.value}
      </p>
    </form>
  );
}
