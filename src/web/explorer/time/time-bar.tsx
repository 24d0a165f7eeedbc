// The bar below the picture: the time, steps, play, and the timeline.
import { useEffect } from 'preact/hooks';
import { Icon } from '../shell/icons.tsx';
import { Lazy } from '../shell/lazy.tsx';
import { type StepUnit, showNewest, step } from '../store/actions.ts';
import { pause } from '../store/open.ts';
import { adjacent, isPlaying, shown } from '../store/state.ts';
import { texts } from '../texts.ts';
import { play, SPEEDS, speed, stepUnit } from './play.ts';
import { addShortcuts } from './shortcuts.ts';
import { TimeField } from './time-field.tsx';

const UNITS: readonly StepUnit[] = ['image', 'hour', 'day', 'rotation'];

function Steps() {
  const { previousMs, nextMs } = adjacent.value;
  const byImage = stepUnit.value === 'image';
  const isOff = shown.value === null;
  return (
    <>
      <button
        type="button"
        id="previous"
        aria-label={texts.time.previous}
        title={texts.time.previous}
        disabled={isOff || (byImage && previousMs === null)}
        onClick={() => void step(-1, stepUnit.value)}
      >
        <Icon name="previous" />
      </button>
      <TimeField />
      <button
        type="button"
        id="next"
        aria-label={texts.time.next}
        title={texts.time.next}
        disabled={isOff || (byImage && nextMs === null)}
        onClick={() => void step(1, stepUnit.value)}
      >
        <Icon name="next" />
      </button>
    </>
  );
}

function Select<T extends string | number>(props: {
  readonly id: string;
  readonly label: string;
  readonly value: T;
  readonly options: readonly (readonly [T, string])[];
  readonly onPick: (value: T) => void;
}) {
  const { id, label, value, options, onPick } = props;
  return (
    <label class="pick">
      <span class="unseen">{label}</span>
      <select id={id} value={String(value)} onChange={(event) => onPick(options[event.currentTarget.selectedIndex]![0])}>
        {options.map(([key, text]) => (
          <option key={key} value={String(key)}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The timeline loads after the first picture. */
function LazyTimeline() {
  const load = async () => (await import('./timeline.tsx')).Timeline;
  return <div class="timeline-place">{shown.value && <Lazy name="timeline" load={load} isSilent />}</div>;
}

export function TimeBar() {
  useEffect(addShortcuts, []);
  return (
    <section class="time" aria-label={texts.time.label}>
      <div class="time-row">
        <Steps />
        <Select
          id="step-by"
          label={texts.time.stepBy}
          value={stepUnit.value}
          options={UNITS.map((unit) => [unit, texts.time.units[unit]] as const)}
          onPick={(unit) => {
            stepUnit.value = unit;
          }}
        />
        <button
          type="button"
          id="play"
          disabled={shown.value === null}
          aria-pressed={isPlaying.value}
          onClick={() => (isPlaying.value ? pause() : void play())}
        >
          <Icon name={isPlaying.value ? 'pause' : 'play'} />
          <span class="label">{isPlaying.value ? texts.time.pause : texts.time.play}</span>
        </button>
        <Select
          id="speed"
          label={texts.time.speed}
          value={speed.value}
          options={SPEEDS.map((frames) => [frames, texts.time.perSecond(frames)] as const)}
          onPick={(frames) => {
            speed.value = frames;
          }}
        />
        <button type="button" id="newest" disabled={shown.value === null} onClick={() => void showNewest()}>
          <Icon name="newest" />
          <span class="label">{texts.time.newest}</span>
        </button>
      </div>
      <LazyTimeline />
    </section>
  );
}
