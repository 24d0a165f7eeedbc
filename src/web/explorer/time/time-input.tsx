// Fields for a time and for a range of time, as forms have them.
import { useSignal } from '@preact/signals';
import type { Range } from '../model/timeline.ts';
import { Field, setter } from '../page/controls.tsx';
import { utc } from '../texts/times.ts';
import { fill, texts } from '../texts.ts';
import { timeIn } from './time-field.tsx';

interface TimeInputProps {
  readonly id: string;
  readonly label: string;
  readonly atMs: number;
  readonly set: (atMs: number) => void;
}

/** A time as people write it. Text that is no time stays, with a sentence about it. */
function TimeInput({ id, label, atMs, set }: TimeInputProps) {
  const draft = useSignal<string | null>(null);
  const read = draft.value === null ? null : timeIn(draft.value);
  const error = useSignal('');
  const submit = () => {
    error.value = draft.value !== null && read === null ? fill(texts.time.badDate, { given: draft.value }) : '';
    if (read === null) return;
    draft.value = null;
    set(read === 'newest' ? Date.now() : read);
  };
  return (
    <div>
      <Field
        label={label}
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
      <p id={`${id}-error`} class="field-problem" role="alert">
        {error.value}
      </p>
    </div>
  );
}

interface RangeFieldsProps {
  readonly name: string;
  readonly range: Range;
  readonly set: (range: Range) => void;
}

/** Start and end, with a sentence about an end before the start. */
export function RangeFields({ name, range, set }: RangeFieldsProps) {
  const { startMs, endMs } = range;
  return (
    <>
      <div class="fields wide">
        <TimeInput
          id={`${name}-start`}
          label={texts.make.start}
          atMs={startMs}
          set={(atMs) => set({ ...range, startMs: atMs })}
        />
        <TimeInput id={`${name}-end`} label={texts.make.end} atMs={endMs} set={(atMs) => set({ ...range, endMs: atMs })} />
      </div>
      {endMs <= startMs && (
        <p class="field-problem" role="alert">
          {texts.make.endsBeforeStart}
        </p>
      )}
    </>
  );
}
