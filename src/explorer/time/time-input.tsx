// Fields for a time and for a range of time, as forms have them.
import type { Range } from '../model/timeline.ts';
import { Field } from '../page/controls.tsx';
import { utc } from '../texts/times.ts';
import { texts } from '../texts.ts';
import { useTimeDraft } from './time-field.tsx';

function TimeInput({
  id,
  label,
  atMs,
  set,
}: {
  readonly id: string;
  readonly label: string;
  readonly atMs: number;
  readonly set: (atMs: number) => void;
}) {
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

export function RangeFields({
  name,
  range,
  set,
}: {
  readonly name: string;
  readonly range: Range;
  readonly set: (range: Range) => void;
}) {
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
