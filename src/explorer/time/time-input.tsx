// Fields for a time and for a range of time, as forms have them.
import type { Range } from '../model/timeline.ts';
import { Field, onKeys } from '../page/fields.tsx';
import { makeTexts } from '../texts/more.ts';
import { utc } from '../texts.ts';
import { useTimeDraft } from './time-field.tsx';

type InputProps = Readonly<Record<'id' | 'label', string> & { atMs: number; set: (atMs: number) => void }>;

function TimeInput({ id, label, atMs, set }: InputProps) {
  const { draft, error, submit, field } = useTimeDraft((read) => set(read === 'newest' ? Date.now() : read));
  return (
    <div>
      <Field
        label={label}
        id={id}
        {...field}
        aria-describedby={`${id}-error`}
        value={draft.value ?? utc(atMs)}
        onBlur={submit}
        onKeyDown={onKeys({ Enter: true }, submit)}
      />
      <p id={`${id}-error`} class="field-problem" role="alert">
        {error.value}
      </p>
    </div>
  );
}

type RangeProps = { readonly name: string; readonly range: Range; readonly set: (range: Range) => void };

export function RangeFields({ name, range, set }: RangeProps) {
  const { startMs, endMs } = range;
  return (
    <>
      <div class="fields wide">
        <TimeInput id={`${name}-start`} label={makeTexts.start} atMs={startMs} set={(atMs) => set({ ...range, startMs: atMs })} />
        <TimeInput id={`${name}-end`} label={makeTexts.end} atMs={endMs} set={(atMs) => set({ ...range, endMs: atMs })} />
      </div>
      {endMs <= startMs && (
        <p class="field-problem" role="alert">
          {makeTexts.endsBeforeStart}
        </p>
      )}
    </>
  );
}
