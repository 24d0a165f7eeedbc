// A field for a time, as forms have it.
import { useSignal } from '@preact/signals';
import { setter } from '../page/controls.tsx';
import { utc } from '../texts/times.ts';
import { texts } from '../texts.ts';
import { timeIn } from './time-field.tsx';

interface TimeInputProps {
  readonly id: string;
  readonly label: string;
  readonly atMs: number;
  readonly set: (atMs: number) => void;
}

/** A time as people write it. Text that is no time stays, with a sentence about it. */
export function TimeInput({ id, label, atMs, set }: TimeInputProps) {
  const draft = useSignal<string | null>(null);
  const read = draft.value === null ? null : timeIn(draft.value);
  const error = useSignal('');
  const submit = () => {
    error.value = draft.value !== null && read === null ? texts.time.badDate(draft.value) : '';
    if (read === null) return;
    draft.value = null;
    set(read === 'newest' ? Date.now() : read);
  };
  return (
    <div>
      <label class="field">
        {label}
        <input
          id={id}
          type="text"
          autocomplete="off"
          spellcheck={false}
          aria-invalid={error.value !== ''}
          aria-describedby={`${id}-error`}
          value={draft.value ?? utc(atMs)}
          onInput={(event) => setter(draft)(event.currentTarget.value)}
          onBlur={submit}
          onKeyDown={(event) => {
            if (event.key === 'Enter') submit();
          }}
        />
      </label>
      <p id={`${id}-error`} class="field-problem" role="alert">
        {error.value}
      </p>
    </div>
  );
}
